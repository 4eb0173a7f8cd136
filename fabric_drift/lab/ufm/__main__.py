"""``python -m fabric_drift.lab.ufm``."""

from fabric_drift.lab.ufm.commands import app

app()
