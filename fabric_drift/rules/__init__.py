"""Engineering rules: one file per family. ``facts`` names and weighs a single fact that drifted."""
