"""A configuration sorted into what is ours: global lines, qos profiles, interfaces, buffer profiles; and the rest.

Sections that appear twice are merged. Nothing is interpreted here beyond the first words of a line.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from fabric_drift.platforms.eos.body import Body, owned, read_body
from fabric_drift.platforms.eos.lines import NOT_UNDERSTOOD, family
from fabric_drift.platforms.eos.sections import Block, blocks
from fabric_drift.platforms.eos.words import KEYWORDS, OWNED_TOP, QOS_KEYWORDS, QOS_WORDS, TOP

MAX_NAME = 64

OTHER_INTERFACE = re.compile(
    r"(?:Ethernet|Port-Channel|Management|Loopback|Vlan|Vxlan|Tunnel|Recirc-Channel|Dps|Fabric|Cpu|UnconnectedEthernet)"
    r"[0-9/.]+"
)
"""Interfaces and sub-interfaces that carry no policy of ours (kinds of AVD 6.4's schema)."""


@dataclass(slots=True)
class Section:
    """The owned lines of one section with their line numbers; ``headers``: where it starts, once per repetition."""

    header: str
    headers: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    def body(self, context: str) -> Body:
        """The settings of the section."""
        return read_body(context, tuple(self.lines))

    def add(self, block: Block, rows: list[tuple[int, str]]) -> None:
        """Takes over ``rows`` (index in the block, line)."""
        self.headers.append(block.number)
        self.lines += [raw for _, raw in rows]
        self.numbers += [block.number + 1 + index for index, _ in rows]


@dataclass(slots=True)
class Config:
    """``interfaces`` holds physical Ethernet ports and port-channels by name; ``strange``: (line number, line, why)."""

    global_: Section = field(default_factory=lambda: Section(""))
    interface_defaults: Section = field(default_factory=lambda: Section("interface defaults"))
    profiles: dict[str, Section] = field(default_factory=dict)
    interfaces: dict[str, Section] = field(default_factory=dict)
    buffer_profiles: dict[str, Section] = field(default_factory=dict)
    applied_buffer_profiles: dict[str, int] = field(default_factory=dict)
    strange: list[tuple[int, str, str]] = field(default_factory=list)


def read_config(text: str) -> Config:
    """The configuration in ``text``. Raises sections.Broken where it isn't one whole configuration."""
    config = Config()
    for block in blocks(text):
        word = block.header.partition(" ")[0]
        if word == "interface":
            _interface(config, block)
        elif block.header.startswith("qos profile "):
            _named(config.profiles, block, block.header[len("qos profile ") :].strip(" "))
        elif block.header.startswith("platform trident mmu queue profile "):
            _buffer_profile(config, block)
        elif _is_global(block.header):
            _global(config, block)
        elif word not in TOP:
            _strange(config, block)
    return config


def _is_global(header: str) -> bool:
    line = header.removeprefix("no ")
    return line.startswith(
        ("qos ", "priority-flow-control ", "switchport default mode ", "platform trident mmu", "dcbx ")
    )


def _global(config: Config, block: Block) -> None:
    config.global_.add(block, [(-1, "   " + block.header)])
    _no_children(config, block)


def _no_children(config: Config, block: Block) -> None:
    for index, raw in enumerate(block.lines):
        if raw.strip(" ") not in ("", "!"):
            config.strange.append((block.number + 1 + index, raw, f"{NOT_UNDERSTOOD} below {block.header!r}"))


def _named(sections: dict[str, Section], block: Block, name: str) -> None:
    sections.setdefault(name, Section(block.header)).add(block, list(enumerate(block.lines)))


def _buffer_profile(config: Config, block: Block) -> None:
    name = block.header[len("platform trident mmu queue profile ") :].strip(" ")
    if name.endswith(" apply"):
        config.applied_buffer_profiles[name.removesuffix(" apply")] = block.number
    else:
        _named(config.buffer_profiles, block, name)


def _interface(config: Config, block: Block) -> None:
    name = block.header[len("interface ") :].strip(" ")
    if len(name) > MAX_NAME:
        config.strange.append((block.number, block.header, "longer than any name of an interface"))
    elif name == "defaults":
        config.interface_defaults.add(block, list(enumerate(block.lines)))
    elif is_port(name) or is_channel(name):
        config.interfaces.setdefault(name, Section(block.header)).add(block, owned(block.lines))
    elif OTHER_INTERFACE.fullmatch(name):
        config.strange += _policy_elsewhere(block)
    else:
        config.strange.append((block.number, block.header, "not the name of an interface"))


def _policy_elsewhere(block: Block) -> Iterator[tuple[int, str, str]]:
    """QoS lines of sub-interfaces, SVIs and the like: we don't translate them, so they are told."""
    for index, raw in enumerate(block.lines):
        line = raw.strip(" ").removeprefix("no ")
        if line.partition(" ")[0] in QOS_WORDS:
            yield block.number + 1 + index, raw, f"policy under {block.header!r} isn't translated"


@lru_cache(maxsize=4096)
def is_port(name: str) -> bool:
    """Whether ``name`` is a physical Ethernet port: Ethernet1, Ethernet9/1, Ethernet3/1/1."""
    rest = name.removeprefix("Ethernet")
    return rest != name and all(part.isdecimal() and part.isascii() for part in rest.split("/"))


@lru_cache(maxsize=4096)
def is_channel(name: str) -> bool:
    """Whether ``name`` is a port-channel: Port-Channel7."""
    rest = name.lower().removeprefix("port-channel")
    return rest != name.lower() and rest.isdecimal() and rest.isascii()


def _strange(config: Config, block: Block) -> None:
    """A section that we don't know: harmless unless it looks like a damaged line of ours."""
    word = block.header.partition(" ")[0]
    text = block.header
    damaged = (
        not text.isprintable()
        or not text.isascii()
        or any(keyword in text for keyword in KEYWORDS)
        or word.startswith(OWNED_TOP)
        or difflib.get_close_matches(word[:40], OWNED_TOP, n=1, cutoff=0.6)
        or any(_is_ours(raw) for raw in block.lines)
    )
    if damaged:
        config.strange.append((block.number, block.header, f"{NOT_UNDERSTOOD}: no section of EOS that we know"))


def _is_ours(raw: str) -> bool:
    """A line of ours, or the rest of one that noise broke in two."""
    return bool(family(raw.strip(" "))) or any(keyword in raw for keyword in QOS_KEYWORDS)
