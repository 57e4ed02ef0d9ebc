"""Documents by path and lines, read safely from the disk."""
