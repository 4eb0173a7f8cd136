"""The emulated fabric. Imports no platform: an emulator that shared code with a renderer would prove nothing."""
