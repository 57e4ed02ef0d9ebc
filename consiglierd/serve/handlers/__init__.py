"""Turns each call into a question to a service, one file a family of calls."""
