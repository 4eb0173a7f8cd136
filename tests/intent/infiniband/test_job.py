"""Jobs ask no subnet manager: their service level, P_Key and HCAs are derived from partition, QoS and plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric_drift.errors import IntentErrors
from fabric_drift.expect.infiniband import expect
from fabric_drift.expect.infiniband_sources import sources
from fabric_drift.intent.infiniband import load
from fabric_drift.state.infiniband import Infiniband, Subnet
from fabric_drift.state.values import UNSAID
from tests.intent.infiniband.editing import INDEX, JOB, edited


def test_a_host_gets_the_service_level_the_key_and_the_hcas_of_its_partition(tmp_path: Path) -> None:
    job = expect(load(edited(tmp_path, INDEX, more=JOB)), "gpu001").job
    assert job == {
        "NCCL_IB_HCA": "=mlx5_0,mlx5_1,mlx5_2,mlx5_3",
        "NCCL_IB_PKEY": "1",  # an index; the key itself is 0x0010
        "NCCL_IB_SL": "1",  # of the rule any for tenant_a
        "NCCL_IB_TIMEOUT": "22",
        "UCX_IB_PKEY": "0x0010",
        "UCX_IB_SL": "1",
        "UCX_NET_DEVICES": "mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1",
    }


def test_index0_is_index_0_and_a_partition_without_a_rule_has_the_default_service_level(tmp_path: Path) -> None:
    job = expect(load(edited(tmp_path, INDEX, more=JOB)), "gpu003").job
    assert isinstance(job, dict)
    assert (job["NCCL_IB_PKEY"], job["NCCL_IB_SL"], job["UCX_IB_PKEY"]) == ("0", "0", "0x0020")


def test_only_hcas_that_are_members_are_listed(tmp_path: Path) -> None:
    more = 'job: {hosts: ["gpu[005-006]"], derived: [NCCL_IB_HCA]}\n'
    fabric = load(edited(tmp_path, more=more))
    assert fabric.hosts["gpu005"].environment == {"NCCL_IB_HCA": "=mlx5_0,mlx5_1,mlx5_2,mlx5_3"}
    assert fabric.hosts["gpu006"].environment == {"NCCL_IB_HCA": "=mlx5_0,mlx5_1"}  # rails 1 and 2


def test_a_named_index_is_expected_of_the_hardware_and_nothing_else_is(tmp_path: Path) -> None:
    infiniband = expect(load(edited(tmp_path, INDEX, more=JOB)), "sm1").infiniband
    assert isinstance(infiniband, Infiniband)
    assert isinstance(infiniband.subnet, Subnet)
    ports = infiniband.subnet.ports
    assert ports["0x0c42a10300000000/1"].pkey_indexes == {"0x0010": 1}  # type: ignore[index]
    assert ports["0x0c42a10300000080/1"].pkey_indexes is UNSAID  # type: ignore[index]  # tenant_b: index0 is a fact of its own


def test_a_host_that_is_away_is_in_maintenance(tmp_path: Path) -> None:
    fabric = load(edited(tmp_path, INDEX, more=JOB + "away: [gpu002]\n"))
    assert {name: host.lifecycle for name, host in fabric.hosts.items()} == {
        "gpu001": "active", "gpu002": "maintenance", "gpu003": "active", "gpu004": "active",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("variable", "line"),
    [
        ("NCCL_IB_TIMEOUT", "environment: {NCCL_IB_TIMEOUT"),
        ("NCCL_IB_PKEY", "job: {pkey_index: 1}"),
        ("UCX_IB_PKEY", "pkey: 0x0010"),
        ("NCCL_IB_HCA", "rails: {mlx5_0"),
    ],
)
def test_every_variable_names_the_line_that_decides_it(tmp_path: Path, variable: str, line: str) -> None:
    fabric = load(edited(tmp_path, INDEX, more=JOB))
    found = sources(fabric, "gpu001", ("job", variable))[0]
    assert line in (tmp_path / "subnet.yml").read_text().splitlines()[found.line - 1]


FAULTS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("job_faults.yml").read_text())


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["says"][:40])
def test_jobs_that_could_not_use_their_partition_are_refused(tmp_path: Path, fault: dict[str, Any]) -> None:
    edits = [(edit["replace"], edit["by"]) for edit in fault.get("edits", ())]
    job = JOB.replace(*fault["job"]) if "job" in fault else JOB
    with pytest.raises(IntentErrors) as raised:
        load(edited(tmp_path, *edits, more=job))
    (error,) = raised.value.errors
    assert error.code == fault["code"]
    assert fault["says"] in error.text()
    assert "subnet.yml:" in error.text()
