"""``python -m fabric_drift.lab``: the lab without the rest of the command line."""

from fabric_drift.lab.commands import app

if __name__ == "__main__":
    app(prog_name="python -m fabric_drift.lab")
