"""A sample project to search, the script that gives it a history, and a guided first run."""
