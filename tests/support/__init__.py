"""What several tests start, look at, or compare."""
