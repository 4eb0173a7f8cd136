"""Which lines of an answer decided a fact. Looked up on demand, so that a clean switch costs nothing."""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabric_drift.finding import Evidence, Layer
from fabric_drift.platform import Output
from fabric_drift.platforms.eos.body import INDENT, walk
from fabric_drift.platforms.eos.commands import INTERFACES_STATUS, LLDP_NEIGHBORS, RUNNING_CONFIG, STARTUP_CONFIG
from fabric_drift.platforms.eos.config import Section
from fabric_drift.platforms.eos.lines import Remark
from fabric_drift.platforms.eos.show import read_object
from fabric_drift.platforms.eos.state import Effective
from fabric_drift.state.values import Path

COMMANDS = {Layer.RUNNING: RUNNING_CONFIG, Layer.SAVED: STARTUP_CONFIG}

SLOTS: tuple[tuple[Path, frozenset[str]], ...] = tuple(
    (tuple(path.split("/")), frozenset(names.split()))
    for path, names in (
        ("admin_up", "shutdown"),
        ("speed_mbps", "speed"),
        ("mtu_bytes", "mtu"),
        ("fec", "fec"),
        ("qos/trust", "trust switched"),
        ("qos/maps/dscp_to_tc", "dscp_to_tc"),
        ("qos/maps/pcp_to_tc", "pcp_to_tc"),
        ("qos/maps/tc_to_queue", "tc_to_queue"),
        ("qos/maps/tc_to_dscp", "tc_to_dscp rewrite_dscp"),
        ("qos/pfc/priorities", "pfc_on no_drop all_off"),
        ("qos/pfc/watchdog/detect_ms", "wd_detect_ms"),
        ("qos/pfc/watchdog/restore_ms", "wd_restore_ms"),
        ("qos/pfc/watchdog/poll_ms", "wd_poll_ms"),
        ("qos/pfc/watchdog/action", "wd_action wd_override"),
        ("qos/pfc/watchdog", "wd_on wd_detect_ms"),
        ("qos/global_pause", "pause"),
        ("qos/scheduling", "priority percent"),
        ("qos/queues", "ecn"),
        ("qos/dcbx", "dcbx"),
        ("watchdog/poll_ms", "wd_poll_ms"),
        ("watchdog/detect_ms", "wd_detect_ms"),
        ("watchdog/restore_ms", "wd_restore_ms"),
        ("watchdog/action", "wd_action wd_override"),
        ("watchdog", "wd_poll_ms wd_detect_ms wd_restore_ms wd_action wd_override"),
    )
)
"""Path below a port (or the device) -> the slots that decide; the first row that matches counts."""

INDEXED = {"dscp_to_tc", "pcp_to_tc", "tc_to_queue", "tc_to_dscp", "ecn", "no_drop"}
"""Slots whose number is in the path; of these only that number's lines are shown."""


@dataclass(frozen=True, slots=True)
class Finder:
    """Evidence of one reading."""

    configs: Mapping[Layer, tuple[Effective, int]]
    """With the lines of the answer above the configuration."""
    outputs: Mapping[str, Output]

    def evidence(self, layer: Layer, path: Path) -> tuple[Evidence, ...]:
        """The lines of ``layer``'s answer that decided ``path``; the section's first line where a default did."""
        if layer is Layer.NOS:
            return tuple(self._json(path))
        if layer not in self.configs:
            return ()
        command = COMMANDS[layer]
        eff, offset = self.configs[layer]
        rows = sorted(set(_rows(eff, path)))
        return tuple(Evidence(command, (line.rstrip(),), number + offset) for number, line in rows)

    def _json(self, path: Path) -> Iterator[Evidence]:
        if len(path) < 3 or path[0] != "ports":  # noqa: PLR2004  ports/<name>/<fact>
            return
        command = LLDP_NEIGHBORS if path[2] == "neighbour" else INTERFACES_STATUS
        answer = read_object(self.outputs, command)
        if not isinstance(answer, Mapping):
            return
        if command == INTERFACES_STATUS:
            rows = answer.get("interfaceStatuses")
            found = [rows.get(path[1])] if isinstance(rows, Mapping) else []
        else:
            listed = answer.get("lldpNeighbors")
            found = [row for row in listed if _is_of(row, path[1])] if isinstance(listed, list) else []
        yield Evidence(command, tuple(json.dumps(row, sort_keys=True) for row in found if row is not None))


def _is_of(row: object, port: str) -> bool:
    return isinstance(row, Mapping) and row.get("port") == port


def _wanted(path: Path) -> tuple[frozenset[str], int | None]:
    for prefix, names in SLOTS:
        if path[: len(prefix)] == prefix:
            rest = path[len(prefix) :]
            number = int(rest[0]) if rest and rest[0].isdecimal() else None
            return names, number
    return frozenset(), None


def _rows(eff: Effective, path: Path) -> Iterator[tuple[int, str]]:
    if path[:1] == ("unreferenced",) and len(path) > 1:
        yield from _headers(eff.config.profiles.get(path[1].removeprefix("qos profile/")))
        yield from _headers(eff.config.buffer_profiles.get(path[1].removeprefix("mmu queue profile/")))
    elif path[:1] == ("ports",) and len(path) > 1 and path[1] in eff.interfaces:
        yield from _port_rows(eff, path[1], path[2:])
    elif path[:1] == ("watchdog",):
        yield from _global_rows(eff, *_wanted(path))


def _port_rows(eff: Effective, port: str, path: Path) -> Iterator[tuple[int, str]]:
    names, number = _wanted(path)
    yield from _headers(eff.config.interfaces[port])
    yield from _section_rows(eff.config.interfaces[port], "interface", names | {"channel"}, number)
    policy = eff.policy_interface(port)
    if policy != port:
        yield from _headers(eff.config.interfaces[policy])
        yield from _section_rows(eff.config.interfaces[policy], "interface", names, number)
    profile = eff.config.profiles.get(eff.profile(port) or "")
    if path[:1] == ("qos",):
        yield from _section_rows(eff.config.interfaces[policy], "interface", frozenset({"service_profile"}), None)
    if path[:1] == ("qos",) and profile:
        yield from _headers(profile)
        yield from _section_rows(profile, "profile", names, number)
    if path[:1] in (("mtu_bytes",), ("admin_up",)):
        defaults = eff.config.interface_defaults
        yield from ((n, line) for n, line in zip(defaults.numbers, defaults.lines, strict=True) if line != "!")
    if path[:1] == ("qos",):
        yield from _global_rows(eff, names, number)


def _global_rows(eff: Effective, names: frozenset[str], number: int | None) -> Iterator[tuple[int, str]]:
    for line_number, line in _section_rows(eff.config.global_, "global", names, number):
        yield line_number, line.strip()


def _headers(section: Section | None) -> Iterator[tuple[int, str]]:
    if section:
        yield from ((number, section.header) for number in section.headers)


def _section_rows(
    section: Section, context: str, names: frozenset[str], number: int | None
) -> Iterator[tuple[int, str]]:
    """The lines that decide, with the queue they stand under; of a queue that was asked for at least its own line."""
    queues = [index for index, line in enumerate(section.lines) if line.startswith("   tx-queue ")]
    shown = {index for index in queues if "ecn" in names and section.lines[index].split()[-1] == str(number)}
    for index, found in walk(context, section.lines):
        if not isinstance(found, Remark) and any(_decides(slot, names, number) for slot in found):
            shown.add(index)
            if section.lines[index].startswith(" " * 2 * INDENT):
                shown.update(queue for queue in queues[bisect(queues, index) - 1 :][:1])
    yield from ((section.numbers[index], section.lines[index]) for index in sorted(shown))


def _decides(slot: tuple[str | int, ...], names: frozenset[str], number: int | None) -> bool:
    if slot[0] not in names:
        return False
    return number is None or slot[0] not in INDEXED or len(slot) == 1 or slot[1] == number
