"""The command line: words to workflow, errors to exit codes. It never writes to a device (the lab's excepted)."""

from fabric_drift.cli.app import main

__all__ = ["main"]
