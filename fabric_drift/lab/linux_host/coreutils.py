"""``cat``, ``grep``, ``ls``, ``readlink`` and their like, with GNU's messages and exit statuses."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import files
from fabric_drift.lab.linux_host.files import Tree

WHEN = "Nov 29 18:00"


def cat(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``cat FILE...``."""
    now = files.tree(store)
    output, errors = [], []
    for path in args:
        try:
            output.append(files.read(now, path, root=root))
        except OSError as error:
            errors.append(f"cat: {path}: {error.strerror}\n")
    return Answer("".join(output), "".join(errors), int(bool(errors)))


@dataclass(frozen=True, slots=True)
class _Grep:
    patterns: tuple[re.Pattern[str], ...]
    paths: tuple[str, ...]
    flags: frozenset[str]

    def matches(self, line: str) -> bool:
        return any(pattern.search(line) for pattern in self.patterns)


def _grep_words(args: Sequence[str]) -> _Grep:
    words, patterns, flags = list(args), [], set()
    rest = []
    while words:
        word = words.pop(0)
        if word == "-e":
            patterns.append(words.pop(0))
        elif word.startswith("-") and word != "-":
            flags |= set(word.lstrip("-"))
        else:
            rest.append(word)
    if not patterns:
        patterns.append(rest.pop(0) if rest else "")
    return _Grep(tuple(re.compile(pattern) for pattern in patterns), tuple(rest), frozenset(flags))


def grep(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``grep [-rHhns] [-e PATTERN]... [PATTERN] PATH...``: exit status 2 as soon as one path can't be read."""
    try:
        wanted = _grep_words(args)
    except (re.error, IndexError):
        return Answer(stderr="grep: Unmatched [, [^, [:, [., or [=\n", exit_status=2)
    now = files.tree(store)
    named = "h" not in wanted.flags and ("H" in wanted.flags or "r" in wanted.flags or len(wanted.paths) > 1)
    output: list[str] = []
    errors: list[str] = []
    for path in wanted.paths:
        for name, text in _grep_files(now, path, wanted.flags, root, errors):
            for number, line in enumerate(text.splitlines(), start=1):
                if wanted.matches(line):
                    shown = f"{name}:" if named else ""
                    output.append(f"{shown}{f'{number}:' if 'n' in wanted.flags else ''}{line}\n")
    return Answer("".join(output), "".join(errors), 2 if errors else int(not output))


def _grep_files(
    now: Tree, path: str, flags: frozenset[str], root: bool, errors: list[str]
) -> Iterator[tuple[str, str]]:
    """(name as typed, text) of what ``path`` stands for; what can't be read goes to ``errors``."""
    real = now.resolve(path)
    if "r" in flags and real in now.folders and files.is_allowed(real, root=root):
        below = sorted(name for name in now.files if name.startswith(f"{real}/"))
        yield from ((path.rstrip("/") + name[len(real) :], now.files[name]) for name in below)
        return
    try:
        yield path, files.read(now, path, root=root)
    except OSError as error:
        errors.append(f"grep: {path}: {error.strerror}\n")


def ls(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``ls [-l] PATH...``: one name per line, as on something that isn't a terminal."""
    now = files.tree(store)
    paths = [arg for arg in args if not arg.startswith("-")] or ["/root"]
    long = any("l" in arg for arg in args if arg.startswith("-"))
    blocks, errors = [], []
    for path in paths:
        real = now.resolve(path)
        if real not in now.folders and real not in now.files:
            errors.append(f"ls: cannot access '{path}': No such file or directory\n")
            continue
        if not files.is_allowed(real, root=root):
            errors.append(f"ls: cannot open directory '{path}': Permission denied\n")
            continue
        names = now.children(real) if real in now.folders else [path]
        head = f"{path}:\n" if len(paths) > 1 else ""
        total = "total 0\n" if long and real in now.folders else ""
        blocks.append(head + total + "".join(_ls_line(now, real, name, long) for name in names))
    return Answer("\n".join(blocks), "".join(errors), 2 if errors else 0)


def _ls_line(now: Tree, folder: str, name: str, long: bool) -> str:
    if not long:
        return f"{name}\n"
    path = posixpath.join(folder, name)
    if path in now.links:
        return f"lrwxrwxrwx 1 root root    0 {WHEN} {name} -> {now.links[path]}\n"
    mode, size = ("drwxr-xr-x 2", 0) if path in now.folders else ("-rw-r--r-- 1", 4096)
    return f"{mode} root root {size:>4} {WHEN} {name}\n"


def readlink(store: Store, args: Sequence[str], _root: bool) -> Answer:
    """``readlink [-f] PATH...``: silent about what isn't a link."""
    now = files.tree(store)
    paths = [arg for arg in args if not arg.startswith("-")]
    if "-f" in args:
        return Answer("".join(f"{now.resolve(path)}\n" for path in paths))
    found = [now.links[path] for path in paths if path in now.links]
    return Answer("".join(f"{target}\n" for target in found), exit_status=int(len(found) < len(paths)))


def hostname(store: Store, _args: Sequence[str], _root: bool) -> Answer:
    """``hostname``."""
    return Answer(f"{store['hostname']}\n")


def uname(store: Store, args: Sequence[str], _root: bool) -> Answer:
    """``uname [-r]``."""
    return Answer(f"{store['kernel'] if '-r' in args else 'Linux'}\n")


def echo(_store: Store, args: Sequence[str], _root: bool) -> Answer:
    """``echo [-n] WORDS``."""
    words = list(args)
    end = "" if words[:1] == ["-n"] else "\n"
    return Answer(" ".join(words[1:] if not end else words) + end)


def mkdir(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``mkdir`` of an RDMA device below configfs; elsewhere nothing needs it."""
    return _configfs_folder(store, args, root, verb="mkdir", there=True)


def rmdir(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``rmdir`` of the same; what was set survives."""
    return _configfs_folder(store, args, root, verb="rmdir", there=False)


def _configfs_folder(store: Store, args: Sequence[str], root: bool, *, verb: str, there: bool) -> Answer:
    what = {"mkdir": "cannot create directory", "rmdir": "failed to remove"}[verb]
    for path in (arg for arg in args if not arg.startswith("-")):
        folder, device = posixpath.split(path.rstrip("/"))
        nic = files.mlx5_of(store, device) if folder == "/sys/kernel/config/rdma_cm" else None
        reason = "" if root else "Permission denied"
        if root and nic is None:
            reason = "No such device" if folder == "/sys/kernel/config/rdma_cm" else "Operation not permitted"
        if reason or nic is None:
            return Answer(stderr=f"{verb}: {what} '{path}': {reason}\n", exit_status=1)
        nic["rdma_cm"]["folder"] = there
    return Answer()


COMMANDS: dict[str, Callable[[Store, Sequence[str], bool], Answer]] = {
    "cat": cat,
    "grep": grep,
    "ls": ls,
    "readlink": readlink,
    "hostname": hostname,
    "uname": uname,
    "echo": echo,
    "mkdir": mkdir,
    "rmdir": rmdir,
}
