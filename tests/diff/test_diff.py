"""The laws of the diff: what matches, what drifts, what was not seen."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from fabric_drift.diff import DiffMemo, count, diff, unexpected
from fabric_drift.finding import Layer, Verdict
from fabric_drift.state import (
    ABSENT,
    DeviceState,
    DeviceWatchdog,
    Ecn,
    NotApplicable,
    Pfc,
    Port,
    PortQos,
    QosMaps,
    Queue,
    Unobserved,
    Watchdog,
)
from fabric_drift.state.infiniband import KnownManager, SeenManagers, Subnet
from fabric_drift.state.values import AtMost

QOS = PortQos(
    trust="dscp",
    maps=QosMaps(dscp_to_tc={dscp: 3 if dscp == 26 else 0 for dscp in range(64)}),
    pfc=Pfc(priorities=(3,), watchdog=Watchdog(priorities=(3,), detect_ms=200)),
    queues={3: Queue(ecn=Ecn(kmin_bytes=1_000_000, kmax_bytes=2_000_000))},
)
EXPECTED = DeviceState(ports={"Ethernet0": Port(mtu_bytes=9100, qos=QOS), "Ethernet8": Port(mtu_bytes=9100, qos=QOS)})


def verdicts(expected: DeviceState, **layers: DeviceState) -> list[tuple[str, str, str]]:
    """(layer, path, verdict) of every difference."""
    result = diff(expected, {Layer(name): state for name, state in layers.items()})
    return [(layer.value, "/".join(item.path), item.verdict.value) for layer, item in result.differences]


def with_qos(qos: PortQos) -> DeviceState:
    return DeviceState(ports={"Ethernet0": Port(mtu_bytes=9100, qos=qos), "Ethernet8": Port(mtu_bytes=9100, qos=QOS)})


def test_a_state_matches_itself_in_every_fact() -> None:
    result = diff(EXPECTED, {Layer.RUNNING: EXPECTED})
    assert (result.differences, result.matches, result.unread) == ([], count(EXPECTED), ())


def test_one_changed_fact_is_one_drift() -> None:
    actual = with_qos(replace(QOS, pfc=Pfc(priorities=(3, 4), watchdog=Watchdog(priorities=(3,), detect_ms=200))))
    assert verdicts(EXPECTED, running=actual) == [("running", "ports/Ethernet0/qos/pfc/priorities", "drift")]


def test_an_absent_subtree_is_one_drift() -> None:
    actual = with_qos(replace(QOS, queues={3: Queue(ecn=ABSENT)}))
    assert verdicts(EXPECTED, running=actual) == [("running", "ports/Ethernet0/qos/queues/3/ecn", "drift")]


def test_an_extra_queue_is_drift_but_an_extra_port_is_information() -> None:
    more = replace(QOS, queues={3: Queue(ecn=Ecn(kmin_bytes=1_000_000, kmax_bytes=2_000_000)), 4: Queue(ecn=ABSENT)})
    assert verdicts(EXPECTED, running=with_qos(more)) == [("running", "ports/Ethernet0/qos/queues/4", "drift")]
    foreign = DeviceState(ports={**EXPECTED.ports, "Ethernet16": Port(mtu_bytes=1500)})  # type: ignore[dict-item]
    assert verdicts(EXPECTED, running=foreign) == []
    assert list(unexpected(EXPECTED, foreign)) == [("ports", "Ethernet16")]


def test_a_missing_port_is_drift() -> None:
    actual = DeviceState(ports={"Ethernet0": Port(mtu_bytes=9100, qos=QOS)})
    assert verdicts(EXPECTED, running=actual) == [("running", "ports/Ethernet8", "drift")]


def test_what_was_not_seen_is_unobserved_and_matches_nothing() -> None:
    result = diff(EXPECTED, {Layer.RUNNING: DeviceState(ports=Unobserved("connection lost"))})
    assert [item.verdict for _, item in result.differences] == [Verdict.UNOBSERVED]
    assert result.matches == 0


def test_a_fact_that_no_layer_carries_is_unread() -> None:
    state = DeviceState(ports={name: replace(port, mtu_bytes=9100) for name, port in EXPECTED.ports.items()})  # type: ignore[union-attr]
    wanted = replace(state, watchdog=DeviceWatchdog(poll_ms=100))
    result = diff(wanted, {Layer.RUNNING: state, Layer.SAVED: state})
    assert result.unread == (("watchdog",),)


def test_a_fact_that_one_layer_carries_is_not_unread() -> None:
    wanted = DeviceState(watchdog=DeviceWatchdog(poll_ms=100, detect_ms=200))
    result = diff(
        wanted,
        {
            Layer.RUNNING: DeviceState(watchdog=DeviceWatchdog(poll_ms=100)),
            Layer.NOS: DeviceState(watchdog=DeviceWatchdog(detect_ms=200)),
        },
    )
    assert (result.differences, result.unread) == ([], ())


def test_a_layer_without_the_subtree_does_not_hide_what_another_layer_lacks() -> None:
    wanted = DeviceState(watchdog=DeviceWatchdog(poll_ms=100, detect_ms=200))
    result = diff(wanted, {Layer.RUNNING: DeviceState(watchdog=DeviceWatchdog(poll_ms=100)), Layer.NOS: DeviceState()})
    assert result.unread == (("watchdog", "detect_ms"),)


def test_an_inert_fact_is_not_applicable_whatever_the_device_says() -> None:
    wanted = DeviceState(buffer_model=NotApplicable("host"))
    result = diff(wanted, {Layer.RUNNING: DeviceState(buffer_model="dynamic")})
    assert (result.differences, result.matches, result.not_applicable) == ([], 0, 1)


def test_true_is_not_one() -> None:
    wanted = DeviceState(ports={"Ethernet0": Port(mtu_bytes=1)})
    actual = DeviceState(ports={"Ethernet0": Port(mtu_bytes=True)})
    assert verdicts(wanted, running=actual) == [("running", "ports/Ethernet0/mtu_bytes", "drift")]


def test_no_layer_at_all_leaves_everything_unread() -> None:
    assert diff(EXPECTED, {}).unread == ((),)


@given(st.dictionaries(st.integers(0, 63), st.integers(0, 7)), st.dictionaries(st.integers(0, 63), st.integers(0, 7)))
def test_differences_are_exactly_the_keys_whose_values_differ(wanted: dict[int, int], found: dict[int, int]) -> None:
    result = DiffMemo().compare(QosMaps(dscp_to_tc=wanted), QosMaps(dscp_to_tc=found))
    keys = {key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)}
    assert {item.path for item in result.differences} == {("dscp_to_tc", str(key)) for key in keys}
    assert result.matches == len(wanted.keys() | found.keys()) - len(keys)


def test_a_ceiling_is_met_by_every_number_up_to_it_and_by_nothing_else() -> None:
    wanted = DeviceState(watchdog=DeviceWatchdog(poll_ms=AtMost(100)))

    def verdict(found: object) -> list[str]:
        actual = DeviceState(watchdog=DeviceWatchdog(poll_ms=found))  # type: ignore[arg-type]
        return [word for _, _, word in verdicts(wanted, running=actual)]

    assert verdict(0) == verdict(100) == []
    assert verdict(101) == verdict(True) == verdict("1") == verdict(ABSENT) == ["drift"]
    assert verdict(Unobserved("no answer")) == ["unobserved"]


def test_what_a_mapping_says_it_did_not_see_is_unobserved_and_not_missing() -> None:
    wanted = {"here": KnownManager("master", 15), "there": KnownManager("standby", 14)}
    seen = SeenManagers({"here": KnownManager("master", 15)}, "one node did not answer")
    result = DiffMemo().compare(Subnet(managers=wanted), Subnet(managers=seen))  # type: ignore[arg-type]
    assert [(item.path, item.verdict) for item in result.differences] == [(("managers", "there"), Verdict.UNOBSERVED)]
