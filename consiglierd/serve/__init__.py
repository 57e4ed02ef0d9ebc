"""Answers calls and publishes events: sockets on one side, the daemon's services on the other."""
