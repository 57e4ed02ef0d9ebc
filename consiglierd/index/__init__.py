"""Derived indexes: they follow the journal, may be deleted at any moment, and only propose."""
