"""``sed -i`` and ``rm``: how people change files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fabric_drift.lab.emulator import Answer, Store

SUBSTITUTION = re.compile(r"s/((?:[^/\\]|\\.)*)/([^/]*)/g?")


def sed(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``sed -i s/PATTERN/TEXT/ FILE``, line by line."""
    match list(args):
        case ["-i", script, path] if SUBSTITUTION.fullmatch(script):
            found = SUBSTITUTION.fullmatch(script)
        case _:
            return Answer(stderr="sed: only -i s/PATTERN/TEXT/ FILE is emulated\n", exit_status=1)
    if path not in store["files"] or found is None:
        return Answer(stderr=f"sed: can't read {path}: No such file or directory\n", exit_status=2)
    if not root:
        return Answer(stderr="sed: couldn't open temporary file: Permission denied\n", exit_status=4)
    text = found[2].replace("\\", "\\\\")
    try:
        lines = [re.sub(found[1], text, line) for line in store["files"][path].splitlines()]
    except re.error:
        return Answer(
            stderr=f"sed: -e expression #1, char {len(script)}: Invalid preceding regular expression\n", exit_status=1
        )
    store["files"][path] = "".join(f"{line}\n" for line in lines)
    return Answer()


def rm(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``rm FILE...``."""
    for path in (arg for arg in args if not arg.startswith("-")):
        if path not in store["files"] or not root:
            reason = "Permission denied" if path in store["files"] else "No such file or directory"
            return Answer(stderr=f"rm: cannot remove '{path}': {reason}\n", exit_status=1)
        del store["files"][path]
    return Answer()
