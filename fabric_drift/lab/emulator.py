"""The contract of an emulated device: a pure core over a JSON-able store. SSH, timers and files live elsewhere.

``store`` is a plain dict (JSON types only) that the core may change; the daemon keeps it on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

Store: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LabPort:
    """A port of an emulated device. ``name``: native port name on switches, PCI address on hosts."""

    name: str
    speed_mbps: int
    peer_device: str = ""
    peer_port: str = ""
    alias: str = ""
    """Netdev on hosts, alias on SONiC."""
    role: str = ""
    """Only for the fabric generator: downlink, uplink, rail1, storage, management."""


@dataclass(frozen=True, slots=True)
class LabDevice:
    """What the lab knows of a device before anything is configured."""

    name: str
    emulator: str
    """sonic | eos | linux_host"""
    release: str
    hardware: str
    ports: tuple[LabPort, ...]
    asic: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an exec channel gives back."""

    stdout: str = ""
    stderr: str = ""
    exit_status: int = 0


class Emulator(Protocol):
    """One kind of emulated device. Written from documentation and captures, never from our platforms."""

    name: str

    def start(self, device: LabDevice) -> Store:
        """The store of a device as it comes: stock SONiC AZURE templates, unconfigured EOS, fresh host."""
        ...

    def run(self, store: Store, command: str, *, user: str = "admin") -> Answer:
        """One command on an exec channel, read or write, as the device would answer it.

        Unknown commands fail as on the device. ``sudo -n`` works for every user here; the restricted
        account is the daemon's business.
        """
        ...

    def load(self, store: Store, files: Mapping[str, str]) -> None:
        """Takes rendered configuration files (name -> text) as if the device had booted with them.

        Raises ValueError with the device's own words for a line it refuses.
        """
        ...

    def mutations(self, store: Store) -> Mapping[str, tuple[str, ...]]:
        """Ways to change each owned fact by hand: name -> the native commands that a human would type."""
        ...


@runtime_checkable
class ReadsInput(Protocol):
    """An emulator some of whose commands read standard input (``tee FILE``)."""

    def reads_input(self, command: str) -> bool:
        """Whether ``command`` waits for the end of its standard input."""
        ...

    def run_with_input(self, store: Store, command: str, stdin: str, *, user: str = "admin") -> Answer:
        """Like ``Emulator.run``, for a command that ``reads_input`` knows."""
        ...


class Terminal(Protocol):
    """A shell that keeps its mode between lines."""

    @property
    def prompt(self) -> str:
        """What the next line is typed behind."""
        ...

    def type(self, line: str) -> Answer:
        """One line."""
        ...


@runtime_checkable
class HasTerminal(Protocol):
    """An emulator whose shell has modes (configuration, sessions); others get one command per line."""

    def terminal(self, store: Store, user: str) -> Terminal:
        """A terminal of its own for one login."""
        ...
