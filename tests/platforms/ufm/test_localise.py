"""What UFM's REST can't express is an error with a remedy; what only OpenSM's files say isn't asked of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.errors import Unsupported
from fabric_drift.expect.infiniband import expect as derive
from fabric_drift.intent.infiniband import load
from fabric_drift.platforms.ufm import PLATFORM
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import Infiniband, Manager, Partition, Partitions, Subnet
from fabric_drift.state.values import UNSAID
from tests.platforms.ufm.emulation import INTENT, TARGET, expected

GUID = "0x0c42a10300000001"


def intent(folder: Path, *changes: tuple[str, str]) -> Any:
    text = (INTENT / "subnet.yml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "subnet.yml").write_text(text)
    (folder / "fabric.topo").write_text((INTENT / "fabric.topo").read_text())
    return load(folder)


def localised(partition: Partition, pkey: str = "0x0010") -> DeviceState:
    return PLATFORM.localise(DeviceState(infiniband=Infiniband(partitions={pkey: partition})), TARGET)


@pytest.mark.parametrize(
    ("partition", "pkey"),
    [
        (Partition(members={GUID: "both"}), "0x0010"),
        (Partition(members={GUID: "full"}, mtu_bytes=1024), "0x0010"),
        (Partition(members={GUID: "full"}, rate_code=21), "0x0010"),  # 400 Gb/s isn't in UFM's guide
        (Partition(members={"ALL": "limited", GUID: "full"}), "0x7fff"),
    ],
    ids=["both", "MTU 1024", "400 Gb/s", "a member of the management partition"],
)
def test_what_rest_cannot_express_is_refused_with_a_remedy(partition: Partition, pkey: str) -> None:
    with pytest.raises(Unsupported) as caught:
        localised(partition, pkey)
    assert caught.value.code == "FD-UFM-001"
    assert caught.value.remedy
    assert pkey in caught.value.what


def test_a_storage_host_in_the_default_partition_is_refused_not_dropped(tmp_path: Path) -> None:
    fabric = intent(tmp_path, ("  membership: limited  ", "  full: [{hosts: [gpu001]}]\n  membership: limited  "))
    with pytest.raises(Unsupported, match="management partition"):
        PLATFORM.localise(derive(fabric, "ufm1"), TARGET)


def test_the_managers_own_port_is_not_listed_by_ufm() -> None:
    state: Any = expected().infiniband
    assert state.partitions["0x7fff"].members == {"ALL": "limited"}


def test_only_what_rest_carries_is_asked() -> None:
    state: Any = expected().infiniband
    assert set(state.options) == {"subnet_prefix", "sm_priority", "m_key", "sm_key", "sa_key"}
    assert state.manager == Manager(routing_engine="ar_updn")
    assert state.subnet is UNSAID
    assert state.qos_policy is UNSAID
    assert state.guid_files is UNSAID


def test_a_manager_whose_hardware_counts_is_asked_for_it(tmp_path: Path) -> None:
    state: Any = PLATFORM.localise(derive(intent(tmp_path, (", hardware: off", "")), "ufm1"), TARGET).infiniband
    assert state.manager.state == "master"
    assert isinstance(state.subnet, Subnet)


def test_files_that_the_intent_asks_for_are_not_silently_dropped(tmp_path: Path) -> None:
    """They are unread, which a check tells: roots of the routing are a file on the UFM server."""
    state: Any = PLATFORM.localise(
        derive(intent(tmp_path, ("  engine: ar_updn", "  engine: updn\n  roots: spine")), "ufm1"), TARGET
    ).infiniband
    assert set(state.guid_files) == {"root"}


def test_spans_of_other_owners_stay_with_the_partitions() -> None:
    state: Any = expected().infiniband
    assert isinstance(state.partitions, Partitions)
    assert state.partitions.tolerates("0x1001")
    assert not state.partitions.tolerates("0x2000")


def test_options_of_nvidias_own_opensm_can_be_asked_for() -> None:
    state = DeviceState(infiniband=Infiniband(options={"ar_mode": 2, "guid": "0x1", "qos": False}))
    local: Any = PLATFORM.localise(state, TARGET).infiniband
    assert local.options == {"ar_mode": 2}


def test_ndr_switches_are_no_fault_under_ufm(tmp_path: Path) -> None:
    assert intent(tmp_path, ("speed: HDR", "speed: NDR")).is_ufm


def test_a_release_of_ufm_is_not_held_against_the_default_of_opensm(tmp_path: Path) -> None:
    assert intent(tmp_path).devices["ufm1"].releases == ()
    fabric = intent(tmp_path, ("flavour: ufm\n", 'flavour: ufm\nreleases: ["6.19"]\n'))
    assert fabric.devices["ufm1"].releases == ("6.19",)


def test_without_infiniband_nothing_is_changed() -> None:
    state = DeviceState()
    assert PLATFORM.localise(state, TARGET) is state
    assert PLATFORM.render(state, TARGET) == ()
    assert PLATFORM.render(DeviceState(infiniband=Infiniband()), replace(TARGET, release="")) == ()
