"""A root of its own for a play with a local connection: the host's programs, read-only, and empty writable folders.

Test code only. Needs bubblewrap. ``systemctl`` is a small stand-in that remembers what is enabled.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[2]
WRITABLE = (
    "etc",
    "usr",
    "usr/lib",
    "usr/lib/systemd",
    "usr/lib/systemd/system",
    "usr/lib/udev",
    "usr/lib/udev/rules.d",
)
FOLDERS = (*WRITABLE, "usr/sbin", "usr/share", "var/lib", "run/systemd/system", "tmp", "root", "sys", "proc", "dev")
ENTERED = {*WRITABLE, "usr/sbin", "usr/share"}
SYSTEMCTL = """\
#!/bin/sh
state=/var/lib/enabled-units
for word in "$@"; do case $word in *.service) unit=$word ;; esac; done
case " $* " in
    *" show "*) echo "LoadState=loaded"; echo "ActiveState=inactive"; echo "Id=$unit" ;;
    *" is-enabled "*) grep -qx "$unit" $state 2>/dev/null && { echo enabled; exit 0; }; echo disabled; exit 1 ;;
    *" enable "*) echo "$unit" >>$state ;;
    *" daemon-reload "*) echo reload >>/var/lib/reloads ;;
    *" list-unit-files "*) echo "$unit disabled enabled" ;;
esac
"""


class Sandbox:
    """Folders of the sandbox are below ``root`` and stay between runs."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        for name in FOLDERS:
            (self.root / name).mkdir(parents=True, exist_ok=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            if Path("/", name).is_symlink():
                (self.root / name).symlink_to(f"usr/{name}")
        self._lent = [
            str(child)
            for parent in sorted(ENTERED)
            for child in sorted(Path("/", parent).iterdir())
            if str(child)[1:] not in ENTERED and not (self.root / str(child)[1:]).exists()
        ]
        self._systemctl = folder / "systemctl"
        self._systemctl.write_text(SYSTEMCTL)
        self._systemctl.chmod(0o755)

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """A command in the sandbox; never raises for its exit status."""
        binds = ["--bind", str(self.root), "/", "--proc", "/proc", "--dev", "/dev"]
        for child in self._lent:
            binds += ["--ro-bind-try", child, child]
        for place in sorted({Path(sys.base_prefix), Path(sys.prefix), REPO}):
            binds += ["--ro-bind", str(place), str(place)]
        binds += ["--ro-bind", str(self._systemctl), "/usr/bin/systemctl"]
        environment = {
            "PATH": f"{sys.prefix}/bin:/usr/sbin:/usr/bin",
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(REPO),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ANSIBLE_NOCOLOR": "1",
        }
        argv = ["bwrap", "--die-with-parent", "--unshare-ipc", "--chdir", "/root", *binds, *map(str, command)]
        return subprocess.run(
            argv,
            env={**environment, "TERM": os.environ.get("TERM", "dumb")},
            capture_output=True,
            text=True,
            check=False,
        )
