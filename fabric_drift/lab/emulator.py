"""The contract of an emulated device: a pure core over a JSON-able store. SSH, timers and files live elsewhere.

``store`` is a plain dict (JSON types only) that the core may change; the daemon keeps it on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class KernelFiles(Protocol):
    """The small files of an emulated kernel. Paths are absolute, without links on the way; OSError is its refusal."""

    def kind(self, path: str) -> int:
        """``stat.S_IFREG``, ``S_IFDIR`` or ``S_IFLNK``."""
        ...

    def names(self, path: str) -> list[str]:
        """Names in a folder."""
        ...

    def target(self, path: str) -> str:
        """Where a link leads to."""
        ...

    def read(self, path: str) -> str:
        """Text of a file."""
        ...

    def write(self, path: str, text: str) -> None:
        """One write to a file."""
        ...

    def make(self, path: str) -> None:
        """Makes a folder."""
        ...

    def unmake(self, path: str) -> None:
        """Removes a folder."""
        ...

    def changed(self) -> None:
        """What was read before may no longer be so."""
        ...


@runtime_checkable
class RunsPrograms(Protocol):
    """An emulator of a whole machine: what its own shell can't run, runs in a sandbox around its kernel and tools."""

    programs: frozenset[str]
    """What answers for itself inside of a sandbox too."""

    def knows(self, command: str) -> bool:
        """Whether its own shell can run the whole of ``command``."""
        ...

    def asks_first(self, store: Store, command: str) -> str:
        """A program of the host that has to run before ``command``, in a sandbox, and whose answer it uses; or none."""
        ...

    def tell(self, store: Store, answer: Answer | None) -> None:
        """That answer; None: the command is over."""
        ...

    def call(self, store: Store, argv: Sequence[str], *, user: str) -> Answer:
        """One of its programs, without a shell."""
        ...

    def kernel_files(self, store: Store, *, user: str) -> KernelFiles:
        """Its /sys."""
        ...
