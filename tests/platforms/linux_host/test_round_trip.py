"""What is rendered is what is read back, layer by layer; ``localise`` says what a host can't express."""

from typing import Any

import pytest
from hypothesis import assume, given, settings

from fabric_drift.diff import diff
from fabric_drift.errors import Unsupported
from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.platforms.linux_host.conf import KEYS
from fabric_drift.platforms.linux_host.render import fact_at
from fabric_drift.platforms.linux_host.saved import PARTS
from fabric_drift.state.device import DeviceState, Port
from fabric_drift.state.values import UNSAID
from tests.platforms.linux_host.emulation import all_outputs, dcb_outputs, saved_outputs
from tests.platforms.linux_host.policies import DESIGNS, HOSTS, RAILS, host
from tests.platforms.linux_host.sessions import HERE

TARGET = Target("gpu1", "22.04")
NETDEVS = dict(zip(RAILS, ("enp24s0np0", "enp42s0np0"), strict=True))


def localised(state: DeviceState) -> DeviceState:
    try:
        return PLATFORM.localise(state, TARGET)
    except Unsupported as error:
        assume("below 1 %" not in error.problem)
        raise


def keyed(port: Any) -> dict[str, Any]:
    """Facts of a port by the names of the file's keys; without those that nobody says anything about."""
    found = {key.name: fact_at(port, (*PARTS[key.part], key.field)) for key in KEYS}
    return {name: value for name, value in found.items() if value is not UNSAID}


@given(HOSTS)
@settings(max_examples=settings().max_examples // 2, deadline=None)
def test_saved_files_say_what_was_rendered(state: DeviceState) -> None:
    wanted = localised(state)
    reading = PLATFORM.parse(all_outputs(saved_outputs(PLATFORM.render(wanted, TARGET))))
    saved: Any = reading.states[Layer.SAVED]
    expected: Any = wanted
    assert reading.unparsed == ()
    assert saved.job == expected.job
    for pci in RAILS:
        said = keyed(expected.ports[pci])
        read = {name: value for name, value in keyed(saved.ports[pci]).items() if name in said}
        assert read == said


@given(HOSTS)
@settings(max_examples=settings().max_examples // 2, deadline=None)
def test_dcb_shows_what_was_localised(state: DeviceState) -> None:
    wanted: Any = localised(state)
    outputs: dict[str, Output] = {}
    for pci, netdev in NETDEVS.items():
        outputs |= dcb_outputs(wanted.ports[pci].qos, netdev)
    reading = PLATFORM.parse(all_outputs(outputs))
    only_qos = DeviceState(ports={pci: Port(qos=port.qos) for pci, port in wanted.ports.items()})
    found = diff(only_qos, {Layer.RUNNING: reading.states[Layer.RUNNING]})
    assert reading.unparsed == ()
    assert found.differences == []
    assert found.unread == ()


@given(HOSTS)
@settings(max_examples=settings().max_examples // 4, deadline=None)
def test_a_localised_state_is_localised_already(state: DeviceState) -> None:
    wanted = localised(state)
    assert PLATFORM.localise(wanted, TARGET) == wanted


@given(HOSTS)
@settings(max_examples=settings().max_examples // 4, deadline=None)
def test_rendering_twice_gives_the_same_bytes(state: DeviceState) -> None:
    wanted = localised(state)
    assert PLATFORM.render(wanted, TARGET) == PLATFORM.render(wanted, TARGET)


def test_rails_of_one_policy_keep_sharing_it() -> None:
    wanted: Any = PLATFORM.localise(host(DESIGNS["nvidia"]), TARGET)
    assert wanted.ports[RAILS[0]].qos is wanted.ports[RAILS[1]].qos


@pytest.mark.parametrize("name", ["roce-qos/0000:18:00.0.conf", "mlxconfig/0000:18:00.0.conf", "nccl.conf", "ucx.conf"])
def test_the_files_of_pod1_are_as_the_readme_says(name: str, update_golden: bool) -> None:
    job = {"NCCL_IB_TC": "106", "NCCL_GIN_IB_TC": "106", "UCX_IB_TRAFFIC_CLASS": "106"}
    files = {file.name: file.text for file in PLATFORM.render(localised(host(DESIGNS["nvidia"], job=job)), TARGET)}
    golden = HERE / "golden" / name.replace("/", "_").replace(":", "-")
    if update_golden:
        golden.write_text(files[name])
    assert files[name] == golden.read_text()


def test_what_the_intent_does_not_say_is_not_rendered() -> None:
    assert PLATFORM.render(DeviceState(ports={RAILS[0]: Port()}), TARGET) == ()
