"""What is rendered for people to send is read back as meant, and a plan's requests lead to what was expected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fabric_drift.diff import DiffMemo, diff
from fabric_drift.finding import Layer
from fabric_drift.lab.ufm.server import Ufm
from fabric_drift.platforms.ufm import PLATFORM
from fabric_drift.platforms.ufm.pkeys import MTU_BYTES, RATE_CODES
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import Infiniband, Partition
from fabric_drift.state.values import UNSAID
from tests.platforms.ufm.emulation import TARGET, as_intended, expected, outputs_of, send_all

PARTITIONS = st.dictionaries(
    st.integers(1, 0x7FFE).map(lambda pkey: f"0x{pkey:04x}"),
    st.builds(
        Partition,
        members=st.dictionaries(
            st.integers(1, 2**64 - 1).map(lambda number: f"0x{number:016x}"),
            st.sampled_from(("full", "limited")),
            min_size=1,
            max_size=5,
        ),
        index0=st.booleans(),
        ipoib=st.booleans(),
        mtu_bytes=st.sampled_from(sorted(MTU_BYTES.values())),
        rate_code=st.sampled_from(sorted(RATE_CODES.values())),
        service_level=st.integers(0, 15),
    ),
    max_size=5,
)
MANAGEMENT = Partition(
    name="management",
    members={"ALL": "limited"},
    index0=False,
    ipoib=True,
    mtu_bytes=2048,
    rate_code=2,
    service_level=0,
)


def partitions_of(ufm: Ufm) -> dict[str, Any]:
    state = PLATFORM.parse(outputs_of(ufm)).states[Layer.NOS].infiniband
    assert isinstance(state, Infiniband)
    assert isinstance(state.partitions, dict)
    return {key: replace(item, name=UNSAID) for key, item in state.partitions.items() if key != "0x7fff"}


def wanted(partitions: dict[str, Partition]) -> DeviceState:
    return DeviceState(infiniband=Infiniband(partitions={"0x7fff": MANAGEMENT, **partitions}))


@settings(max_examples=50, deadline=None)
@given(PARTITIONS)
def test_rendered_partitions_are_read_back_as_meant(partitions: dict[str, Partition]) -> None:
    ufm = Ufm()
    (file,) = PLATFORM.render(wanted(partitions), TARGET)
    send_all(ufm, file.text)
    assert partitions_of(ufm) == partitions


@settings(max_examples=50, deadline=None)
@given(PARTITIONS, PARTITIONS)
def test_the_requests_of_a_plan_lead_from_one_to_the_other_and_their_undo_leads_back(
    before: dict[str, Partition], after: dict[str, Partition]
) -> None:
    ufm = Ufm()
    send_all(ufm, PLATFORM.render(wanted(before), TARGET)[0].text)
    plan = PLATFORM.plan(PLATFORM.parse(outputs_of(ufm)), wanted(after), TARGET)
    for step in plan.steps:
        send_all(ufm, "".join(step.forward))
    assert partitions_of(ufm) == after
    assert not PLATFORM.plan(PLATFORM.parse(outputs_of(ufm)), wanted(after), TARGET).steps
    for step in reversed(plan.steps):
        send_all(ufm, "".join(step.undo))
    assert partitions_of(ufm) == before


def test_a_ufm_as_intended_matches_in_every_fact_and_has_an_empty_plan() -> None:
    reading = PLATFORM.parse(outputs_of(as_intended()))
    result = diff(replace(expected(), identity=UNSAID), reading.states)
    assert result.differences == []
    assert result.unread == ()
    assert result.matches > 30
    plan = PLATFORM.plan(reading, expected(), TARGET)
    assert (plan.steps, plan.refusals, plan.route) == ((), (), "")


def test_the_same_state_renders_the_same_bytes() -> None:
    assert PLATFORM.render(expected(), TARGET) == PLATFORM.render(expected(), TARGET)


def test_names_that_exist_on_the_ufm_are_adopted() -> None:
    reading = PLATFORM.parse(outputs_of(as_intended()))
    assert reading.names["0x0010"] == "api_pkey_0x10"
    local = expected(replace(TARGET, names=reading.names)).infiniband
    assert isinstance(local, Infiniband)
    assert DiffMemo().compare(local, reading.states[Layer.NOS].infiniband).differences == []
    assert local.partitions["0x0010"].name == "api_pkey_0x10"  # type: ignore[index]
