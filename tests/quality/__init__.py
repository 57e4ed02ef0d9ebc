"""Tests of one kind."""
