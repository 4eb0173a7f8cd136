"""``python -m fabric_drift.lab.infiniband``."""

from fabric_drift.lab.infiniband.commands import app

app()
