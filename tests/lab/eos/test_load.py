"""Booting with a rendered configuration, and with configurations that this project didn't write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from copy import deepcopy
from pathlib import Path

import pytest

from fabric_drift.lab.emulator import LabPort, Store
from fabric_drift.lab.eos import EMULATOR
from tests.lab.eos.conftest import LEAF_CFG, leaf

Running = Callable[[Store], list[str]]
OWNED = re.compile(
    r"(no )?(qos|priority-flow-control|random-detect|bandwidth|priority|shape|service-p|mtu|platform"
    r"|(uc-|mc-)?tx-queue)\b"
)
LIST = re.compile(r"(qos map [a-z-]+) ([\d ]+) (to .*)")
# Shown differently on purpose: the sheet's defaults vanish (EOS), the second value of a CoS replaces the first.
NOT_SHOWN = {
    ("", "qos map cos 2 to traffic-class 2"),
    ("", "qos map cos 3 to traffic-class 2"),
    ("", "qos map cos 3 to traffic-class 3"),
    ("", "qos map dscp 46 to traffic-class 5"),
    ("interface Ethernet1", "mtu 1500"),
}


def facts(lines: Iterable[str]) -> set[tuple[str, str]]:
    """(headers joined, line) of every owned line, lists taken apart."""
    found: set[tuple[str, str]] = set()
    path: list[tuple[int, str]] = []
    for raw in lines:
        line = raw.strip()
        if not line or line.startswith("!"):
            continue
        indent = len(raw) - len(raw.lstrip())
        path = [entry for entry in path if entry[0] < indent]
        if OWNED.match(line):
            where = " / ".join(header for _, header in path)
            listed = LIST.fullmatch(line)
            each = [f"{listed[1]} {n} {listed[3]}" for n in listed[2].split()] if listed else [line]
            found |= {(where, one) for one in each}
        path.append((indent, line))
    return found


def test_every_owned_line_of_a_foreign_configuration_is_taken_and_shown_back(shared: Callable[[str], Path]) -> None:
    text = (shared("captures/eos") / "avd_molecule_qos.cfg").read_text()
    ports = tuple(LabPort(f"Ethernet{number}", 100_000) for number in (1, 3, 4, 6, 7))
    store = EMULATOR.start(leaf(ports=ports))
    EMULATOR.load(store, {"eos.cfg": text})
    shown = facts(EMULATOR.run(store, "show running-config").stdout.splitlines())
    wanted = facts(text.splitlines())
    assert len(wanted) > 150
    assert wanted - shown == NOT_SHOWN
    assert shown - wanted == set()


def test_what_was_loaded_is_running_and_saved(configured: Store, running: Running) -> None:
    wanted = facts(LEAF_CFG.splitlines())
    hidden = {
        fact
        for fact in wanted
        if fact[1]
        in {
            "qos map dscp 26 to traffic-class 3",
            "qos map dscp 48 to traffic-class 6",
            "qos map traffic-class 3 to tx-queue 3",
        }
    }
    assert facts(running(configured)) == wanted - hidden
    assert facts(EMULATOR.run(configured, "show startup-config").stdout.splitlines()) == wanted - hidden


def test_what_is_shown_loads_to_the_same(configured: Store, running: Running) -> None:
    shown = running(configured)
    again = EMULATOR.start(leaf())
    EMULATOR.load(again, {"eos.cfg": "\n".join(shown)})
    assert running(again) == shown


def test_loading_replaces_owned_sections_and_keeps_foreign_lines(configured: Store, running: Running) -> None:
    EMULATOR.load(
        configured, {"eos.cfg": "qos profile NEW\n   qos trust dscp\n!\ninterface Ethernet1/1\n   mtu 9000\n"}
    )
    lines = running(configured)
    assert "qos profile GPU-RAIL " not in lines
    assert not [line for line in lines if line.startswith("qos map")]
    assert lines.count("   service-profile GPU-RAIL") == 1  # Ethernet2/1 isn't in the file
    assert "   description gpu1 0000:18:00.0" in lines


def test_a_refused_line_is_an_error_in_the_device_s_words_and_changes_nothing(configured: Store) -> None:
    before = deepcopy(configured)
    with pytest.raises(ValueError, match=re.escape("eos.cfg:2: mtu 99999: % Invalid input (at token 1: '99999')")):
        EMULATOR.load(configured, {"eos.cfg": "interface Ethernet1/1\n   mtu 99999\n"})
    assert configured == before


def test_a_file_that_eos_does_not_have_is_refused(fresh: Store) -> None:
    with pytest.raises(ValueError, match=r"config_db\.json"):
        EMULATOR.load(fresh, {"config_db.json": "{}"})
