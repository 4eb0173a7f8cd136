"""The static inventory in the repository, and the generated one, against the fabric that the lab builds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric_drift.lab import fabrics
from fabric_drift.lab.commands import BASE_PORT
from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.inventory import inventory_text

STATIC = Path(__file__).resolve().parents[2] / "inventories" / "lab" / "hosts.yml"
PORTS = {device.name: BASE_PORT + index for index, device in enumerate(fabrics.pod1())}


def hosts(inventory: dict[str, Any]) -> dict[str, tuple[str, int]]:
    return {
        name: (group["vars"]["fabric_drift_platform"], host["ansible_port"])
        for group in inventory["all"]["children"].values()
        for name, host in group["hosts"].items()
    }


@pytest.fixture
def static() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(STATIC.read_text(encoding="utf-8"))
    return loaded


def test_the_static_inventory_names_pod1_with_its_platforms_and_ports(static: dict[str, Any]) -> None:
    assert hosts(static) == {device.name: (device.emulator, PORTS[device.name]) for device in fabrics.pod1()}


def test_the_generated_inventory_says_the_same(static: dict[str, Any]) -> None:
    generated = yaml.safe_load(inventory_text(LabDirectory(Path("/lab")), fabrics.pod1(), PORTS))

    assert hosts(generated) == hosts(static)
    assert generated["all"]["vars"].keys() <= static["all"]["vars"].keys()
    assert generated["all"]["vars"]["ansible_ssh_private_key_file"] == "/lab/keys/drift"
