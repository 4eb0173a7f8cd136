"""The files of one host, twice: as texts in the emulator's store, and as a tree that programs of a sandbox write to.

``take`` carries what programs did into the store, ``give`` what the emulator did into the tree: whoever wrote since
they were last the same wins, and where both did, the program. After the lab was killed the store wins.
Texts up to a size are in the store; what is larger or no text, and all modes and owners, are in the tree alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fabric_drift.lab.emulator import Store

TREE = ("etc", "usr", "var", "opt", "srv", "root", "home")
VOLATILE = ("tmp", "run/systemd/system", "ansible/root", "ansible/admin")
"""Emptied by no one, but no part of the host's state either."""
SKIPPED = {".ansible", "__pycache__"}
MAX_BYTES = 256 * 1024
Stamp = tuple[int, int, int]


@dataclass(slots=True)
class RootFs:
    """The tree below ``folder`` (``root``, ``scratch``, ``volatile``)."""

    folder: Path
    _seen: dict[str, tuple[Stamp, str]] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)
    """The texts that both had when they were last compared."""

    @property
    def exists(self) -> bool:
        """Whether a program has ever run on this host."""
        return self.root.is_dir()

    @property
    def root(self) -> Path:
        """What the host has written."""
        return self.folder / "root"

    def prepare(self, hostname: str) -> None:
        """Makes the folders; what is in them stays."""
        homes = ("root/home/admin", "root/root/.ansible", "root/home/admin/.ansible")
        below = [*(f"root/{name}" for name in TREE), *homes, *(f"volatile/{name}" for name in VOLATILE)]
        # Folders that the machine has too, so that a daemon's umask doesn't show through.
        below += ["scratch/usr", "scratch/etc", "root/var/lib", "root/var/tmp", "root/var/log", "root/var/cache"]
        for name in below:
            self._make_parents(self.folder / name / "x")
        for name in ("volatile/tmp", "root/var/tmp"):
            (self.folder / name).chmod(0o1777)
        if not (self.root / "etc" / "hostname").exists():
            (self.root / "etc" / "hostname").write_text(f"{hostname}\n", encoding="utf-8")
            (self.root / "etc" / "hostname").chmod(0o644)

    def take(self, store: Store) -> None:
        """Tree to store."""
        found: set[str] = set()
        for path, file in self._files():
            text = self._text(path, file)
            if text is None:
                continue
            found.add(path)
            if self._last.get(path) != text:
                store["files"][path] = self._last[path] = text
        for path in self._last.keys() - found:
            if store["files"].get(path) == self._last.pop(path):
                del store["files"][path]
            self._seen.pop(path, None)
        store["folders"] = sorted(self._empty_folders())

    def give(self, store: Store) -> None:
        """Store to tree. Raises OSError where the machine's disk is full."""
        ours = {path: text for path, text in store["files"].items() if path.split("/")[1] in TREE and ".." not in path}
        for path, text in ours.items():
            file = self.root / path[1:]
            if self._last.get(path) == text or not self._is_ours(file):
                continue
            if file.is_symlink() or self._text(path, file) != text:
                self._write(file, text)
            self._seen[path] = (_stamp(file.stat()), text)
            self._last[path] = text
        for path in self._last.keys() - ours.keys():
            if self._is_ours(self.root / path[1:]):
                (self.root / path[1:]).unlink(missing_ok=True)
            self._seen.pop(path, None)
            del self._last[path]

    def _is_ours(self, file: Path) -> bool:
        """Whether no link that a program made leads elsewhere, perhaps to a file of the machine."""
        return file.parent.resolve() == self.root.resolve() / file.parent.relative_to(self.root)

    def _write(self, file: Path, text: str) -> None:
        self._make_parents(file)
        if file.is_symlink():
            file.unlink()
        new = not file.exists()
        file.write_text(text, encoding="utf-8", errors="surrogateescape")
        if new:
            file.chmod(0o755 if text.startswith("#!") else 0o644)

    def _make_parents(self, file: Path) -> None:
        missing = [folder for folder in file.parents if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir()
            folder.chmod(0o755)

    def _files(self) -> Iterator[tuple[str, Path]]:
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in SKIPPED]
            for name in names:
                file = Path(folder, name)
                yield f"/{file.relative_to(self.root)}", file

    def _empty_folders(self) -> Iterator[str]:
        for folder, folders, names in os.walk(self.root / "etc"):
            if not folders and not names:
                yield f"/{Path(folder).relative_to(self.root)}"

    def _text(self, path: str, file: Path) -> str | None:
        """What is in a file; None where that isn't for the store."""
        try:
            found = file.lstat()
            if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
                return None
            stamp, seen = _stamp(found), self._seen.get(path)
            if seen and seen[0] == stamp:
                return seen[1]
            text = file.read_bytes().decode("utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            return None
        if "\0" in text:
            return None
        self._seen[path] = (stamp, text)
        return text


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_mtime_ns, found.st_size, found.st_ino
