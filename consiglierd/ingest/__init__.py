"""Bytes of a file to sections and problems: pure, deterministic, picklable."""
