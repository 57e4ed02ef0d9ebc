"""Output forms: one a file."""
