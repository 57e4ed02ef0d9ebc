"""Every setting, and the files that choose it."""
