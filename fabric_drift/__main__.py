"""``python -m fabric_drift``."""

from fabric_drift.cli import main

if __name__ == "__main__":
    main()
