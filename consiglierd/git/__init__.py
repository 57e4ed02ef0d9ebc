"""The only package that runs git, and only in ways that cannot run anything of the repository."""
