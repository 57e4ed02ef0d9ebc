"""Noticing that files changed: ignore rules, scans, reconciling, events, barriers."""
