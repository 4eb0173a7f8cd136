"""The account that may only read: which commands it may run, and how each kind of device refuses the others.

The list comes from ``fabric-drift commands --platform X`` (JSON: ``{"exact": [...], "patterns": [...]}``), put
into the lab's ``allow`` folder. Until then the verbs below that can't change anything are allowed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from fabric_drift.lab.emulator import Answer

USER = "drift"
USERS = ("admin", USER)
_PLAIN_WORDS = r"[\w@%+=:,./*|\"' -]*"
READ_ONLY: dict[str, tuple[str, ...]] = {
    "sonic": (
        rf"cat {_PLAIN_WORDS}",
        r"show .*",
        r"sonic-cfggen -d (--print-data|--var-json \w+)",
        r"sonic-db-cli \w+ (?i:keys|hgetall|hget|exists|ping)\b.*",
        r"(sonic-db-dump|redis-dump) .*",
        r"pfcwd show .*",
        r"ecnconfig -l",
        r"hostname|uname .*",
    ),
    "eos": (r"show .*", r"enable"),
    "opensm": (r"cat .*|ls .*|hostname|uname .*", r"python3 /usr/local/libexec/fabric_drift/ib_(reader|status)\.py"),
    "linux_host": (
        r"cat .*|grep .*|ls .*|readlink .*|hostname|uname .*",
        r"dcb -j \w+ show .*|ip -j .*show.*|rdma -j \w+ show.*|ethtool (-[iaSgklcTx]|--statistics|--show-\w+) .*",
        r"mlnx_qos -i [\w.-]+|show_gids|cma_roce_\w+ -d [\w.-]+",
        r"mlxconfig .*\bq(uery)?\b.*|mlxreg .*--get.*|lldpctl.*|networkctl .*|systemctl is-active .*",
    ),
}
_SHELL_SYNTAX = re.compile(r"[\n;&`<>]|\$\(")


@dataclass(frozen=True, slots=True)
class AllowList:
    """What the restricted account may run: exact commands, and patterns that match a whole command."""

    exact: frozenset[str] = frozenset()
    patterns: tuple[re.Pattern[str], ...] = ()

    def allows(self, command: str) -> bool:
        """Whether ``command`` is on the list exactly as it came over the wire, ``sudo -n`` included."""
        return command in self.exact or any(pattern.fullmatch(command) for pattern in self.patterns)


def without_sudo(command: str) -> str:
    """``command`` without a leading ``sudo -n``."""
    return command.removeprefix("sudo ").removeprefix("-n ").strip() if command.startswith("sudo ") else command


DEFAULT_LISTS = {
    name: AllowList(patterns=tuple(re.compile(pattern) for pattern in patterns)) for name, patterns in READ_ONLY.items()
}


def read_allow_list(file: Path) -> AllowList:
    """The list in ``file``. Raises ValueError with the file's name when it isn't one."""
    try:
        plain = json.loads(file.read_text(encoding="utf-8"))
        return AllowList(
            frozenset(plain.get("exact", ())), tuple(re.compile(text) for text in plain.get("patterns", ()))
        )
    except (ValueError, TypeError, AttributeError, re.error) as error:
        raise ValueError(f"{file}: not a list of allowed commands: {error}") from error


def only_reads(emulator: str, command: str) -> bool:
    """Whether ``command`` is known to change nothing: allowed while there is no list, and nothing to save after."""
    default = DEFAULT_LISTS.get(emulator)
    return default is not None and not _SHELL_SYNTAX.search(command) and default.allows(without_sudo(command))


def refusal(emulator: str, command: str) -> Answer:
    """How a device of this kind tells the restricted account no."""
    if emulator == "eos":
        return Answer(stdout=f"% Authorization denied for command '{command}'\n", exit_status=1)
    if command.startswith("sudo "):
        return Answer(stderr="sudo: a password is required\n", exit_status=1)
    return Answer(stderr=f"-rbash: {command.partition(' ')[0]}: restricted\n", exit_status=126)
