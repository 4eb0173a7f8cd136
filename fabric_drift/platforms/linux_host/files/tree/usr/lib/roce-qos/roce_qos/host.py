"""The machine: everything that this program does to it goes through here."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import syslog
import time
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
            with open(self._root + path, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def write(self, path: str, text: str) -> None:
        """One write to a file of the kernel. Raises OSError."""
        with open(self._root + path, "w", encoding="utf-8") as file:
            file.write(text)

    def save(self, path: str, text: str) -> None:
        """The whole new file on disk, or still the old one. Raises OSError."""
        real = self._root + path
        os.makedirs(os.path.dirname(real), exist_ok=True)
        with open(real + ".new", "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(real + ".new", real)

    def remove(self, path: str) -> None:
        """Remove a file, if it is there. Raises OSError."""
        if os.path.exists(self._root + path):
            os.remove(self._root + path)

    def names(self, folder: str) -> list[str]:
        """Names in a folder, sorted; none where there is no folder."""
        return sorted(os.listdir(self._root + folder)) if os.path.isdir(self._root + folder) else []

    def has_folder(self, path: str) -> bool:
        """Whether there is such a folder."""
        return os.path.isdir(self._root + path)

    def target(self, path: str) -> str:
        """What a path is when all links are followed."""
        return os.path.realpath(self._root + path)

    def make(self, folder: str) -> None:
        """Make one folder. Raises OSError, FileExistsError where it is there."""
        os.mkdir(self._root + folder)

    def unmake(self, folder: str) -> None:
        """Remove one empty folder. Raises OSError."""
        os.rmdir(self._root + folder)

    def log(self, line: str) -> None:
        """A correction: into a file that stays, and the journal."""
        os.makedirs(self._root + STATE, exist_ok=True)
        with open(self._root + STATE + "/corrections.log", "a", encoding="utf-8") as file:
            file.write(time.strftime("%Y-%m-%dT%H:%M:%SZ ", time.gmtime()) + line + "\n")
        syslog.openlog("roce-qos")
        syslog.syslog(syslog.LOG_WARNING, line)

    def lock(self) -> None:
        """Wait until no other run of this program writes. The kernel ends the lock with the process."""
        self._lock = open(self._root + LOCK, "w", encoding="utf-8")  # noqa: SIM115 - held until the process ends
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
