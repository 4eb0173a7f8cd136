"""One file per output format, and what they share: grouping, ranges, harmless text, private files."""
