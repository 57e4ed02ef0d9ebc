"""Text to vectors: the seam at which embedding joins; no backend is built yet."""
