"""The contract that a platform fulfils. A Protocol: a platform inherits nothing and all of it is pure.

A platform is a folder in ``fabric_drift/platforms`` whose ``__init__`` holds ``PLATFORM``. It knows
``state``, ``finding``, ``errors`` and this file; it knows no intent, no socket, no Ansible, no other platform.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Protocol

from fabric_drift.finding import Evidence, Layer
from fabric_drift.state.device import DeviceState
from fabric_drift.state.values import Path


@dataclass(frozen=True, slots=True)
class Command:
    """One read-only command, as typed on the device's exec channel (no shell features in ``text``).

    A platform all of whose commands begin with ``GET /`` is read over HTTPS: the rest is path and query.
    """

    text: str
    privileged: bool = False
    """Run through ``sudo -n``; ``fabric-drift commands`` prints these for the sudoers file."""
    layer: Layer | None = None
    optional: bool = False
    """May be refused or unknown on some devices; then its facts are Unobserved, not an error."""
    pattern: str = ""
    """Regular expression (full match) of this command's family for the restricted account, where
    ``text`` holds a name read from the device, e.g. ``dcb -j pfc show dev [a-z0-9]+``; empty: exactly ``text``."""

    @property
    def wire(self) -> str:
        """The text that goes over the wire."""
        return f"sudo -n {self.text}" if self.privileged else self.text


@dataclass(frozen=True, slots=True)
class Output:
    """The answer to one command. ``error`` says why there is no whole answer (timeout, truncated, ...).

    Over HTTPS: ``stdout`` is the body, ``stderr`` what the connection and the head say (``transport.rest``), and
    ``exit_status`` is 0 for JSON with status 200, else the status of HTTP.
    """

    stdout: str = ""
    stderr: str = ""
    exit_status: int | None = 0
    error: str = ""

    @property
    def whole(self) -> bool:
        """Whether the device ended the command itself, with success, and all of the answer is here."""
        return not self.error and self.exit_status == 0


@dataclass(frozen=True, slots=True)
class UnparsedLine:
    """A line of an owned section that nobody understood, or a second value of a single-valued fact."""

    layer: Layer
    command: str
    line_number: int
    line: str
    reason: str
    path: Path = ()
    """The subtree that the line may belong to, where known; () = the whole layer."""


def no_evidence(_layer: Layer, _path: Path) -> tuple[Evidence, ...]:
    """The default of ``Reading.evidence``: nothing to show."""
    return ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What one device said, layer by layer.

    A layer that could not be read is present with Unobserved subtrees, never left out silently: a layer
    is missing only where the platform has no such layer. ``aliases``: other names of ports
    ("guid:0x...", "Et1") -> key in ``ports``. ``notes``: facts for people (who owns DCB, ...). ``evidence``: of a
    set of priorities, the path may also name one of them.
    """

    states: Mapping[Layer, DeviceState]
    unparsed: tuple[UnparsedLine, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    evidence: Callable[[Layer, Path], tuple[Evidence, ...]] = no_evidence
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of objects that exist on the device and are adopted: "DSCP_TO_TC_MAP" -> "AZURE"."""


@dataclass(frozen=True, slots=True)
class Target:
    """The concrete device that expected state is localised and rendered for.

    ``release`` and ``hardware`` are the observed ones where there is a reading, else the intent's.
    ``names``: adopted names of objects that exist on the device ("DSCP_TO_TC_MAP" -> "AZURE").
    ``ports``: every port the device has, managed or not, where known.
    """

    device: str
    release: str
    hardware: str = ""
    asic: str = ""
    ports: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rendered:
    """One native artefact: ``name`` such as config_db.json, eos.cfg, roce-qos.conf."""

    name: str
    text: str


class Operation(str, Enum):
    """What a capability speaks of."""

    READ = "read"
    WRITE = "write"


class Disruption(IntEnum):
    """How much a write disturbs. Compared as "at most"; UNKNOWN is above everything."""

    NONE = 0
    REORDER = 1
    LOSSLESS_GAP = 2
    TRAFFIC_LOSS = 3
    PORT_FLAP = 4
    RESTART = 5
    RELOAD = 6
    UNKNOWN = 99

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Capability:
    """One row of a platform's table. No row for a question means unknown, not yes.

    ``fact`` is a path pattern with ``*`` for one part: ``ports/*/qos/queues/*/ecn/kmin_bytes``; the row
    with the longest pattern that matches wins, and a pattern also covers what lies below it.
    ``releases``/``hardware`` are names or ``*``. ``proof``: documentation | source | schema | kernel |
    emulator | device: by what the row was proven. ``source``: where to look it up.
    """

    fact: str
    operation: Operation
    releases: tuple[str, ...] = ("*",)
    hardware: tuple[str, ...] = ("*",)
    layers: tuple[Layer, ...] = ()
    supported: bool = True
    disruption: Disruption = Disruption.UNKNOWN
    how: str = ""
    proof: str = "documentation"
    source: str = ""


class Platform(Protocol):
    """One network OS or NIC stack. Every method is pure: text in, values out."""

    name: str
    title: str
    releases: tuple[str, ...]
    """Releases it claims to support; anything else is Unsupported at validate and told at check."""
    layers: tuple[Layer, ...]
    capabilities: tuple[Capability, ...]
    object_fields: tuple[Path, ...]
    """Facts it owns, as path patterns with ``*``: every fact it parses or renders."""
    command_families: tuple[Command, ...]
    """Every command that ``commands`` can ever ask for: fixed ones by ``text``, those that hold a name from the
    device by ``pattern``. The collector sends nothing else; the account files are made of it."""

    def commands(self, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
        """The commands to run next, given the outputs so far (by ``Command.text``); () when done.

        The first call has no outputs. At most four rounds.
        """
        ...

    def parse(self, outputs: Mapping[str, Output]) -> Reading:
        """What the device said. Never raises on hostile or partial output: it says Unobserved instead."""
        ...

    def localise(self, expected: DeviceState, target: Target) -> DeviceState:
        """``expected`` as this platform would show it.

        Rows that it derives itself are derived; facts are dropped only where they have no meaning there.
        Raises Unsupported (with path and remedy) for what the platform can't express.
        """
        ...

    def render(self, expected: DeviceState, target: Target) -> tuple[Rendered, ...]:
        """Native configuration of a localised state: whole owned sections, deterministic bytes."""
        ...
