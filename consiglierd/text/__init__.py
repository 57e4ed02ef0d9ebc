"""Text to terms: one analysis for indexing and for asking."""
