"""A configuration as JSON: sections that hold lines and sections.

``{"lines": {key: line}, "sections": {header: section}}``. A key names the setting that its line sets, so a
setting has one value; lists on the wire (``qos map dscp 8 9``) are one key per entry here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

Section: TypeAlias = dict[str, Any]


def empty() -> Section:
    """A section without content."""
    return {"lines": {}, "sections": {}}


def enter(root: Section, path: Sequence[str]) -> Section:
    """The section at ``path`` below ``root``, made where it is missing."""
    section = root
    for header in path:
        section = section["sections"].setdefault(header, empty())
    return section


def find(root: Section, path: Sequence[str]) -> Section:
    """The section at ``path``, or an empty one that isn't part of the configuration."""
    section = root
    for header in path:
        section = section["sections"].get(header, empty())
    return section


def is_bare(section: Section) -> bool:
    """Whether nothing is set in it or below."""
    return not section["lines"] and all(is_bare(child) for child in section["sections"].values())


def mode_of(header: str) -> str:
    """The mode that the section with this header is edited in."""
    first = header.split(" ", 1)[0]
    if first in {"tx-queue", "uc-tx-queue", "mc-tx-queue"}:
        return "queue"
    if header.startswith("qos profile "):
        return "profile"
    if header.startswith("platform trident mmu queue profile "):
        return "mmu"
    if first in {"class", "address-family"}:
        return "leaf"
    return "interface" if first == "interface" else "opaque"
