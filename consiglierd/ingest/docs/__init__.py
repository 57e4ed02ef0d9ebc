"""Documents: Markdown, AsciiDoc, reStructuredText and plain text to sections."""
