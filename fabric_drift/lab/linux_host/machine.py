"""What a program on the emulated host can do to it: files, folders, commands. Counts what it changes."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from fabric_drift.lab.clock import now_s
from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import files, writes
from fabric_drift.lab.linux_host.files import Tree, mlx5_of
from fabric_drift.lab.linux_host.nic import refuse

CONFIGFS = "/sys/kernel/config/rdma_cm"
GATE = "/etc/roce-qos-drain-gate"
GATE_ANSWERS = {
    "drained": (0, "", ""),
    "busy": (1, "", "node gpu: state ALLOCATED"),
    "hang": (124, "", "no answer within 60 s"),
}
GATE_SCRIPTS = {
    "drained": "#!/bin/sh\nexit 0\n",
    "busy": "#!/bin/sh\necho 'node gpu: state ALLOCATED' >&2\nexit 1\n",
    "hang": "#!/bin/sh\nexec sleep 3600\n",
}
"""The same as programs, for who runs them."""
NO_GATE = (127, "", f"[Errno 2] No such file or directory: '{GATE}'")
OURS = ("/var/lib/roce-qos/", "/run/")
"""Folders of the program's own: what it keeps there changes no setting."""


def gate(store: Store) -> str:
    """Which of our own scripts the drain gate is; "" for none, or the text of another."""
    text: str = store["files"].get(GATE, "")
    return next((name for name, script in GATE_SCRIPTS.items() if text == script), text)


class Died(Exception):
    """The program was killed."""


class Machine:
    """One run of a program as root."""

    def __init__(self, store: Store, run: Callable[[Store, Sequence[str]], Answer]) -> None:
        self._store = store
        self._run = run
        self._now: Tree | None = None
        self.said: list[str] = []
        self.complained: list[str] = []

    def _tree(self) -> Tree:
        if self._now is None:
            self._now = files.tree(self._store)
        return self._now

    def _changes(self, what: str) -> None:
        """Counts a change, and is where a program dies that has to."""
        left = self._store.get("writes_until_death")
        if left is not None:
            if left <= 0:
                self._store.pop("writes_until_death")
                raise Died
            self._store["writes_until_death"] = left - 1
        self._now = None
        if not what.startswith(OURS):
            self._store.setdefault("writes", []).append(what)

    def run(self, argv: Sequence[str], timeout: int = 60) -> tuple[int, str, str]:
        """A command of the host."""
        del timeout
        if argv[0] == GATE:
            return self._gate()
        if not {"show", "-a", "--show-fec", "q"} & set(argv) and argv[0] not in {"systemctl", "systemd-run"}:
            self._changes(" ".join(argv))
        answer = self._run(self._store, argv)
        return answer.exit_status, answer.stdout, answer.stderr

    def _gate(self) -> tuple[int, str, str]:
        """Our own scripts aren't run; another was, before the program that asks."""
        found = gate(self._store)
        if not found or found in GATE_ANSWERS:
            return GATE_ANSWERS.get(found, NO_GATE)
        status, out, err = self._store.get("gate_answer") or (126, "", "lab: nobody ran the gate")
        return int(status), str(out), str(err)

    def read(self, path: str) -> str | None:
        """Text of a file, or None."""
        try:
            return files.read(self._tree(), path, root=True)
        except OSError as error:
            if error.errno == errno.ENOENT:
                return None
            raise

    def write(self, path: str, text: str) -> None:
        """A write to a file of the kernel."""
        self._changes(f"{path} {text}")
        writes.write(self._store, path, text, root=True)

    def save(self, path: str, text: str) -> None:
        """A file on disk. Raises OSError ENOSPC where the disk is full."""
        if self._store.get("disk_full"):
            raise refuse(errno.ENOSPC)
        self._changes(path)
        self._store["files"][path] = text

    def remove(self, path: str) -> None:
        """Removes a file that is there."""
        if path in self._store["files"]:
            self._changes(path)
            del self._store["files"][path]

    def names(self, folder: str) -> list[str]:
        """Names in a folder."""
        now = self._tree()
        return now.children(now.resolve(folder))

    def has_folder(self, path: str) -> bool:
        """Folders of ordinary files come and go with them."""
        now = self._tree()
        return now.resolve(path) in now.folders

    def target(self, path: str) -> str:
        """Where links lead to."""
        return self._tree().resolve(path)

    def make(self, folder: str) -> None:
        """mkdir: of rdma_cm's folders only."""
        self._folder(folder, there=True)

    def unmake(self, folder: str) -> None:
        """rmdir: of the same, and nothing for folders that live by their files."""
        self._folder(folder, there=False)

    def _folder(self, folder: str, *, there: bool) -> None:
        parent, _, device = folder.rpartition("/")
        nic = mlx5_of(self._store, device) if parent == CONFIGFS else None
        if parent == CONFIGFS:
            if nic is None:
                raise refuse(errno.ENODEV)
            nic["rdma_cm"]["folder"] = there
        elif not there and folder in self._store.get("folders", ()):
            self._store["folders"].remove(folder)
        self._now = None

    def log(self, line: str) -> None:
        """The corrections of this host."""
        path = "/var/lib/roce-qos/corrections.log"
        stamp = f"{now_s(self._store):.0f}"
        self._store["files"][path] = f"{self._store['files'].get(path, '')}{stamp} {line}\n"
        self._now = None

    def lock(self) -> None:
        """Commands of an emulated host run one after another."""

    def sleep(self, seconds: float) -> None:
        """Nobody waits here."""

    def stdin(self) -> str:
        """The standard input of the command."""
        return str(self._store.get("stdin", ""))

    def say(self, line: str, *, error: bool = False) -> None:
        """A line of output."""
        (self.complained if error else self.said).append(line + "\n")
