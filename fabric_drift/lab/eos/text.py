"""A configuration tree as the text of ``show running-config``, and as its JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from fabric_drift.lab.eos.defaults import is_hidden
from fabric_drift.lab.eos.order import sort_key
from fabric_drift.lab.eos.tree import Section, is_bare, mode_of

LISTED = ("qos map dscp", "qos map cos", "qos map exp")
ALWAYS_SHOWN = ("interface Ethernet", "interface Management", "qos profile", "interface Port-Channel")

Visible = Callable[[str, str, str], bool]


def _listed(lines: dict[str, str]) -> dict[str, str]:
    """Map entries of one value joined to one line: ``qos map dscp 8 9 to traffic-class 1``."""
    joined: dict[tuple[str, str], list[int]] = {}
    shown: dict[str, str] = {}
    for key, line in lines.items():
        prefix, _, entry = key.rpartition(" ")
        if prefix in LISTED:
            joined.setdefault((prefix, line.removeprefix(key)), []).append(int(entry))
        else:
            shown[key] = line
    for (prefix, tail), entries in joined.items():
        numbers = " ".join(str(entry) for entry in sorted(entries))
        shown[f"{prefix} {numbers}"] = f"{prefix} {numbers}{tail}"
    return shown


def _comments(lines: dict[str, str]) -> list[str]:
    return [line for key, line in lines.items() if key.startswith("!!")]


def _body(release: str, header: str, section: Section, visible: Visible) -> list[tuple[str, Any]]:
    """What is shown in a section, in order: (line, None) and (header, section)."""
    mode = mode_of(header) if header else "global"
    lines = {key: line for key, line in section["lines"].items() if visible(header, key, line)}
    comments = _comments(lines)
    lines = _listed({key: line for key, line in lines.items() if not key.startswith("!!")})
    items: list[tuple[str, str, Any]] = [(key, line, None) for key, line in lines.items()]
    items += [
        (child, child, content)
        for child, content in section["sections"].items()
        if not is_bare(content) or child.startswith(ALWAYS_SHOWN) or mode in {"opaque", "global"}
    ]
    if mode not in {"opaque", "leaf"}:
        items.sort(key=lambda item: sort_key(release, mode, item[0]))
    return [(comment, None) for comment in comments] + [(line, content) for _, line, content in items]


def _indent_of(header: str) -> int:
    return 4 if header.startswith("platform trident mmu") else 3


def _lines(release: str, header: str, section: Section, visible: Visible) -> list[str]:
    shown: list[str] = []
    was_section = False
    for text, content in _body(release, header, section, visible):
        if content is None:
            shown += ["!"] * was_section + [text]
            was_section = False
            continue
        width = _indent_of(text)
        # A box shows a profile's name with a blank behind it (AVD pull request 6318).
        title = f"{text} " if text.startswith("qos profile ") else text
        shown += ["!", title]
        shown += [f"{' ' * width}{line}" for line in _lines(release, text, content, visible)]
        was_section = True
    return shown


def _visible(root: Section, header: str, key: str, line: str) -> bool:
    return not is_hidden(root, header, key, line)


def running(root: Section, release: str) -> list[str]:
    """The lines between the head of the configuration and ``end``, without the defaults."""
    return _lines(release, "", root, partial(_visible, root))


def as_json(root: Section, release: str) -> dict[str, Any]:
    """The configuration as ``| json`` shows it: lines and sections as keys of ``cmds``."""

    def cmds(header: str, section: Section) -> dict[str, Any]:
        body = _body(release, header, section, partial(_visible, root))
        plain = {text: content for text, content in body if not text.startswith("!!")}
        nested = {
            text: None if content is None else {"cmds": cmds(text, content), "comments": []}
            for text, content in plain.items()
        }
        return dict(nested)

    return {"header": [], "comments": [], "cmds": cmds("", root)}
