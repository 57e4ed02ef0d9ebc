"""The client side: the wire contract, the command line and the programs that speak to the daemon."""

__version__ = "0.1.0"
