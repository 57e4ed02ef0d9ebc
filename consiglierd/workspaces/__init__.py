"""The open workspaces: one root directory each, opened on the first call that names it."""
