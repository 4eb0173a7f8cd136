"""A leaf with two ports to hosts and one port that goes nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.lab.emulator import LabDevice, LabPort, Store
from fabric_drift.lab.eos import EMULATOR

LEAF_CFG = (Path(__file__).parent / "data" / "leaf.cfg").read_text()

PORTS = (
    LabPort("Ethernet1/1", 400_000, peer_device="gpu1", peer_port="0000:18:00.0"),
    LabPort("Ethernet2/1", 400_000, peer_device="gpu1", peer_port="0000:2a:00.0"),
    LabPort("Ethernet3/1", 400_000),
)


def leaf(release: str = "4.34.1F", ports: tuple[LabPort, ...] = PORTS) -> LabDevice:
    return LabDevice("leaf3", "eos", release, "DCS-7060DX5-64S", ports)


@pytest.fixture
def fresh() -> Store:
    return EMULATOR.start(leaf())


@pytest.fixture
def configured(fresh: Store) -> Store:
    EMULATOR.load(fresh, {"eos.cfg": LEAF_CFG})
    return fresh


@pytest.fixture
def show() -> Callable[[Store, str], str]:
    def run(store: Store, command: str) -> str:
        answer = EMULATOR.run(store, command)
        assert answer.exit_status == 0, answer.stdout
        return answer.stdout

    return run


@pytest.fixture
def show_json(show: Callable[[Store, str], str]) -> Callable[[Store, str], Any]:
    return lambda store, command: json.loads(show(store, f"{command} | json"))


@pytest.fixture
def running(show: Callable[[Store, str], str]) -> Callable[[Store], list[str]]:
    return lambda store: show(store, "show running-config").splitlines()
