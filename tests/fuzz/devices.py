"""A small fabric: a SONiC leaf, an EOS leaf and a host with four rails, each with one port that nobody manages."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from fabric_drift.lab.emulator import LabDevice, LabPort
from fabric_drift.lab.fabrics import pod1
from fabric_drift.state.tree import children
from fabric_drift.workflow.expectations import Expectations
from tests.mutations.fabric import Subject, configured, expected_by, managed_files

DEVICES = {"sonic": "leaf1", "eos": "leaf3", "linux_host": "gpu1"}
TOPOLOGY = Path(__file__).with_name("topology.yml")


@cache
def expectations() -> Expectations:
    files = managed_files()
    cables = [line for line in files["cables.csv"].splitlines() if line.startswith("a_device") or _is_ours(line)]
    return expected_by({**files, "topology.yml": TOPOLOGY.read_text(), "cables.csv": "\n".join(cables) + "\n"})


def _is_ours(cable: str) -> bool:
    return "gpu1," in cable and any(leaf in cable for leaf in ("leaf1,", "leaf3,"))


@cache
def small(platform: str) -> Subject:
    """The device of ``platform``, configured as intended."""
    device = next(device for device in pod1() if device.name == DEVICES[platform])
    return configured(_trimmed(device), expectations())


def _trimmed(device: LabDevice) -> LabDevice:
    """The device with its managed ports and the first other one."""
    managed = {name for name, _ in children(expectations().expect(device.name).ports)}
    others = [port for port in device.ports if port.name not in managed]
    kept = [port for port in device.ports if port.name in managed]
    return replace(device, ports=(*kept, _alone(others[-1] if others[-1].peer_device == "" else others[0])))


def _alone(port: LabPort) -> LabPort:
    return replace(port, peer_device="", peer_port="")
