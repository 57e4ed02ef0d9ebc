"""How well the search does on labelled questions: by words, by meaning, by both."""
