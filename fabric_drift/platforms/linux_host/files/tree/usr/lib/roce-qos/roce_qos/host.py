"""The machine: everything that this program does to it goes through here."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import syslog
import time
from pathlib import Path
from typing import IO

CONF = "/etc/roce-qos"
STATE = "/var/lib/roce-qos"
GATE = "/etc/roce-qos-drain-gate"
LOCK = "/run/roce-qos.lock"


class Failed(Exception):
    """Ends the command. ``status``: 1 failed, 2 usage or file, 3 differs, 4 refused and nothing was written."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


class Host:
    """A real machine. ``root``: in place of /, for files only."""

    def __init__(self, root: str = "") -> None:
        self._root = root
        self._lock: IO[str] | None = None

    def run(self, argv: list[str], timeout: int = 60) -> tuple[int, str, str]:
        """(exit status, stdout, stderr); 127 where there is no such command, 124 where time ran out."""
        try:
            done = subprocess.run(  # noqa: S603 - no shell; names were checked
                argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False
            )
        except OSError as error:
            return 127, "", str(error)
        except subprocess.TimeoutExpired:
            return 124, "", f"no answer within {timeout} s"
        return done.returncode, done.stdout, done.stderr

    def read(self, path: str) -> str | None:
        """Text of a file; None where there is none. Raises OSError."""
        try:
            return Path(self._root + path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def write(self, path: str, text: str) -> None:
        """One write to a file of the kernel. Raises OSError."""
        Path(self._root + path).write_text(text, encoding="utf-8")

    def save(self, path: str, text: str) -> None:
        """The whole new file on disk, or still the old one. Raises OSError."""
        real = Path(self._root + path)
        new = Path(f"{real}.new")
        real.parent.mkdir(parents=True, exist_ok=True)
        with new.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(real)

    def remove(self, path: str) -> None:
        """Remove a file, if it is there. Raises OSError."""
        if Path(self._root + path).exists():
            Path(self._root + path).unlink()

    def names(self, folder: str) -> list[str]:
        """Names in a folder, sorted; none where there is no folder."""
        return sorted(one.name for one in Path(self._root + folder).iterdir()) if self.has_folder(folder) else []

    def has_folder(self, path: str) -> bool:
        """Whether there is such a folder."""
        return Path(self._root + path).is_dir()

    def target(self, path: str) -> str:
        """What a path is when all links are followed."""
        return os.path.realpath(self._root + path)

    def make(self, folder: str) -> None:
        """Make one folder. Raises OSError, FileExistsError where it is there."""
        Path(self._root + folder).mkdir()

    def unmake(self, folder: str) -> None:
        """Remove one empty folder. Raises OSError."""
        Path(self._root + folder).rmdir()

    def log(self, line: str) -> None:
        """A correction: into a file that stays, and the journal."""
        folder = Path(self._root + STATE)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "corrections.log").open("a", encoding="utf-8") as file:
            file.write(time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + line + "\n")
        syslog.openlog("roce-qos")
        syslog.syslog(syslog.LOG_WARNING, line)

    def lock(self) -> None:
        """Wait until no other run of this program writes. The kernel ends the lock with the process."""
        self._lock = Path(self._root + LOCK).open("w", encoding="utf-8")  # noqa: SIM115 - held until the process ends
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def stdin(self) -> str:
        """All of the standard input."""
        return sys.stdin.read()

    def say(self, line: str, *, error: bool = False) -> None:
        """One line for people: stdout, or stderr."""
        os.write(2 if error else 1, (line + "\n").encode())
