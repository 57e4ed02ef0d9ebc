"""The write path: events in, revisions out."""
