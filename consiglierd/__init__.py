"""The daemon: keeps the indexes of a user's projects hot and answers over a socket."""

__version__ = "0.1.0"
