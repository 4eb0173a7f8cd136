"""NOTHING but platforms: one folder each, found by the registry."""
