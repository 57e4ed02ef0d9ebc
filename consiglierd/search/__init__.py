"""The read path: a query in, verified lines of the user's files out."""
