"""The file system of an emulated switch: flat texts in ``store["files"]``, directories in ``store["directories"]``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic.answers import RefusedError, as_json
from fabric_drift.lab.sonic.badday import trouble

SAVED_CONFIG = "/etc/sonic/config_db.json"
STANDING = ("/", "/etc", "/etc/sonic", "/etc/sonic/checkpoints", "/run", "/tmp", "/var", "/var/lib")  # noqa: S108
VOLATILE = ("/run/", "/tmp/")  # noqa: S108 - the switch's own


def read(store: Store, path: str) -> str | None:
    """A file's text, None when there is none."""
    if path == SAVED_CONFIG:
        return as_json(store["saved"])
    text: str | None = store["files"].get(path) if path.startswith("/") else None
    return text


def write(store: Store, path: str, text: str, program: str = "-bash") -> None:
    """Replaces a file. Raises RefusedError when the directory is missing or the disk is full; /run is memory."""
    if not is_directory(store, path.rpartition("/")[0] or "/"):
        raise RefusedError(f"{program}: {path}: No such file or directory")
    if trouble(store, "disk_full") is not None and not path.startswith("/run/"):
        raise RefusedError(f"{program}: {path}: No space left on device")
    if path == SAVED_CONFIG:
        store["saved"] = json.loads(text)
    else:
        store["files"][path] = text


def is_directory(store: Store, path: str) -> bool:
    """Whether there is such a directory."""
    return path in STANDING or path in store.get("directories", ())


def forget_volatile(store: Store) -> None:
    """What a reboot loses."""
    store["files"] = {path: text for path, text in store["files"].items() if not path.startswith(VOLATILE)}
    store["directories"] = [path for path in store.get("directories", ()) if not path.startswith(VOLATILE)]


def tee(store: Store, words: Sequence[str], stdin: str) -> Answer:
    """``tee FILE``: standard input into a file."""
    paths = [word for word in words if not word.startswith("-")]
    for path in paths:
        write(store, path, stdin, "tee")
    return Answer(stdin)


def cat(store: Store, words: Sequence[str]) -> Answer:
    """``cat FILE...``."""
    shown, missing = "", ""
    for path in words:
        text = read(store, path)
        if text is None:
            missing += f"cat: {path}: No such file or directory\n"
        else:
            shown += text
    return Answer(shown, missing, int(bool(missing)))


def _mkdir(store: Store, words: Sequence[str]) -> Answer:
    parents = "-p" in words
    for path in (word.rstrip("/") for word in words if word.startswith("/")):
        steps = path.split("/")
        wanted = ["/".join(steps[: end + 1]) for end in range(1, len(steps))] if parents else [path]
        if not parents and is_directory(store, path):
            raise RefusedError(f"mkdir: cannot create directory '{path}': File exists")
        if not parents and not is_directory(store, path.rpartition("/")[0] or "/"):
            raise RefusedError(f"mkdir: cannot create directory '{path}': No such file or directory")
        if trouble(store, "disk_full") is not None:
            raise RefusedError(f"mkdir: cannot create directory '{path}': No space left on device")
        made = store.setdefault("directories", [])
        made.extend(step for step in wanted if not is_directory(store, step))
    return Answer()


def _rm(store: Store, words: Sequence[str]) -> Answer:
    flags = "".join(word for word in words if word.startswith("-"))
    for path in (word for word in words if word.startswith("/")):
        below = f"{path.rstrip('/')}/"
        files = [name for name in store["files"] if name == path or ("r" in flags and name.startswith(below))]
        folders = [name for name in store.get("directories", ()) if name == path or name.startswith(below)]
        if not files and not folders and "f" not in flags:
            raise RefusedError(f"rm: cannot remove '{path}': No such file or directory")
        if folders and "r" not in flags:
            raise RefusedError(f"rm: cannot remove '{path}': Is a directory")
        for name in files:
            del store["files"][name]
        store["directories"] = [name for name in store.get("directories", ()) if name not in folders]
    return Answer()


def _cp(store: Store, words: Sequence[str]) -> Answer:
    paths = [word for word in words if not word.startswith("-")]
    if len(paths) != 2:  # noqa: PLR2004 - from, to
        raise RefusedError("cp: missing file operand")
    text = read(store, paths[0])
    if text is None:
        raise RefusedError(f"cp: cannot stat '{paths[0]}': No such file or directory")
    write(store, paths[1], text, "cp")
    return Answer()


def _touch(store: Store, words: Sequence[str]) -> Answer:
    for path in words:
        if read(store, path) is None:
            write(store, path, "", "touch")
    return Answer()


def _test(store: Store, words: Sequence[str]) -> Answer:
    match list(words):
        case ["!", *rest]:
            return Answer(exit_status=1 - _test(store, rest).exit_status)
        case ["-e", path]:
            return Answer(exit_status=int(read(store, path) is None and not is_directory(store, path)))
        case ["-f", path]:
            return Answer(exit_status=int(read(store, path) is None))
        case ["-d", path]:
            return Answer(exit_status=int(not is_directory(store, path)))
    raise RefusedError("test: this lab knows -e, -f and -d", 2)


def _grep(store: Store, words: Sequence[str]) -> Answer:
    """``grep -qx TEXT FILE``: whether a whole line says so."""
    match list(words):
        case ["-qx", wanted, path]:
            text = files_text(store, path)
            return Answer(exit_status=0 if wanted in text.splitlines() else 1)
    raise RefusedError("grep: this lab knows -qx TEXT FILE", 2)


def files_text(store: Store, path: str) -> str:
    """A file's text. Raises RefusedError when there is none."""
    text = read(store, path)
    if text is None:
        raise RefusedError(f"grep: {path}: No such file or directory", 2)
    return text


def _nothing(_store: Store, _words: Sequence[str]) -> Answer:
    return Answer()


FILE_PROGRAMS: dict[str, Callable[[Store, Sequence[str]], Answer]] = {
    "cat": cat,
    "chmod": _nothing,
    "cp": _cp,
    "grep": _grep,
    "mkdir": _mkdir,
    "rm": _rm,
    "sync": _nothing,
    "test": _test,
    "touch": _touch,
}
