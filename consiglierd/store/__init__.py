"""SQLite: the one truth that everything else is derived from."""
