"""Jobs name an index of the P_Key table: where the hardware holds the key is read, and another index is drift."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric_drift.intent.infiniband import load
from tests.intent.infiniband.editing import edited
from tests.lab.infiniband.subnet import Subnet, hardware

pytestmark = pytest.mark.lab


def promising(subnet: Subnet, folder: Path, index: int) -> Subnet:
    """The same subnet under an intent whose jobs name an index of tenant_a."""
    promise = ("    pkey: 0x0010\n", f"    pkey: 0x0010\n    job: {{pkey_index: {index}}}\n")
    return Subnet(subnet.lab, load(edited(folder, promise)))


def test_beside_the_default_partition_a_tenant_is_at_index_1(calm: Subnet, tmp_path: Path) -> None:
    assert promising(calm, tmp_path, 1).drifted() == set()


def test_a_key_at_another_index_than_jobs_name_is_drift_on_every_port_of_the_tenant(
    calm: Subnet, tmp_path: Path
) -> None:
    ports = [calm.key(f"gpu00{host} mlx5_{rail}") for host in (1, 2) for rail in range(4)]
    wanted = hardware(*(f"ports/{port}/pkey_indexes/0x0010" for port in ports))
    assert promising(calm, tmp_path, 2).drifted() == wanted
