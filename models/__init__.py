"""The recipe of the bundled embedding: from fetched sources to the table; not part of what is installed."""
