"""Booting with a rendered configuration: what it owns replaces what was there."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import tree
from fabric_drift.lab.eos.editor import Editor

FILE = "eos.cfg"
OWNED_GLOBAL = ("qos ", "priority-flow-control ", "platform trident mmu ")
OWNED_ON_PORT = (
    "mtu",
    "shutdown",
    "speed",
    "error-correction",
    "flowcontrol",
    "dcbx",
    "service-profile",
    "qos ",
    "priority-flow-control",
)


def _forget_owned(running: tree.Section, text: str) -> None:
    """Removes the owned lines: the global ones, and those of the interfaces that ``text`` speaks of."""
    for kind in ("lines", "sections"):
        for key in [key for key in running[kind] if key.startswith(OWNED_GLOBAL)]:
            del running[kind][key]
    named = {line.strip() for line in text.splitlines() if line.startswith("interface ")}
    for header in named & set(running["sections"]):
        section = running["sections"][header]
        section["lines"] = {key: line for key, line in section["lines"].items() if not key.startswith(OWNED_ON_PORT)}
        section["sections"] = {}


def load(store: Store, files: Mapping[str, str]) -> None:
    """Raises ValueError, with nothing changed, for a file or a line that the device doesn't take."""
    unknown = sorted(set(files) - {FILE})
    if unknown:
        raise ValueError(f"% Error: no such configuration: {', '.join(unknown)}")
    running = deepcopy(store["running"])
    _forget_owned(running, files.get(FILE, ""))
    editor = Editor(running, frozenset(store["ports"]))
    for number, line in enumerate(files.get(FILE, "").splitlines(), start=1):
        editor.open = True
        problem = editor.type(line)
        if problem:
            raise ValueError(f"{FILE}:{number}: {line.strip()}: {problem}")
    store["running"] = running
    store["startup"] = deepcopy(running)
