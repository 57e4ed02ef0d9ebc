"""The nouns that two or more packages share: frozen dataclasses, no I/O."""
