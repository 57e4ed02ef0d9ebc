"""The rules of the house, as functions over source text."""
