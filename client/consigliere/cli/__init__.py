"""The command line: one file a command group, imported only when its command is run."""
