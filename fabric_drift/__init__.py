"""One intent for the whole lossless path of a GPU cluster: rendered, checked, reviewed."""

__version__ = "0.1.0"
