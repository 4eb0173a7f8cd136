"""``show session-config diffs``: what a session would change, section by section, behind the two lines of its head."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import sessions, tree
from fabric_drift.lab.eos.show_text import configuration


def diffs(store: Store, name: str) -> str:
    """The difference of a pending session; nothing where nothing differs."""
    before, after = _blocks(store, store["running"]), _blocks(store, sessions.staged(store, name))
    lines = [line for key in _merged(list(before), list(after)) for line in _block(before.get(key), after.get(key))]
    head = ["--- system:/running-config", f"+++ session:/{name}-session-config"]
    return "".join(f"{line}\n" for line in (*head, *lines)) if lines else ""


def _blocks(store: Store, root: tree.Section) -> dict[str, list[str]]:
    """Header -> its lines, the header first; a line at the left margin is a block of its own."""
    found: dict[str, list[str]] = {}
    header = ""
    for line in configuration(store, root, "").splitlines():
        if line[:1] == " ":
            found[header].append(line)
        elif line != "!" and not line.startswith("! "):
            header = line
            found[header] = [line]
    return found


def _merged(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for tag, low, high, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield from (key for key in old[low:high] if tag == "equal" or key not in new)
        yield from (key for key in new[start:end] if tag != "equal")


def _block(old: list[str] | None, new: list[str] | None) -> list[str]:
    """The changed lines of a block behind its header; all of it where it comes or goes."""
    if old == new:
        return []
    if old is None or new is None:
        return [f"{'+' if old is None else '-'}{line}" for line in (old or new or [])]
    changed = list(difflib.ndiff(old, new, linejunk=None, charjunk=None))
    return [f" {old[0]}", *(f"{line[0]}{line[2:]}" for line in changed if line[:1] in "+-" and line[2:].strip() != "!")]
