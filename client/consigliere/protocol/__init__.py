"""The wire contract between the daemon and everything that speaks to it; PROTOCOL.md is the authority."""
