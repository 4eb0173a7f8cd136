"""The table says of every fact what can be done with it, and where that is known from."""

from __future__ import annotations

from fabric_drift.platform import Disruption, Operation, Platform
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.state.tree import facts
from fabric_drift.state.values import Path
from tests.platforms.sonic.devices import merged, own_rows, read, rendered
from tests.platforms.sonic.roce import LEAF, roce_state


def _covers(pattern: str, path: Path) -> bool:
    parts = pattern.split("/")
    return len(parts) <= len(path) and all(part in ("*", name) for part, name in zip(parts, path, strict=False))


def test_sonic_fulfils_the_contract_of_a_platform() -> None:
    platform: Platform = PLATFORM
    assert platform.name == "sonic"
    assert platform.releases == ("202411", "202505", "202511")


def test_every_fact_that_is_read_has_a_capability_in_its_layer() -> None:
    config = merged(own_rows(LEAF), rendered(PLATFORM.localise(roce_state(LEAF), LEAF), LEAF))
    reads = [item for item in PLATFORM.capabilities if item.operation is Operation.READ]
    for layer, state in read(config).states.items():
        for path, _ in facts(state):
            if len(path) > 1:
                assert any(layer in item.layers and _covers(item.fact, path) for item in reads), (layer, path)


def test_every_row_says_how_and_where_that_is_known_from() -> None:
    for item in PLATFORM.capabilities:
        assert item.how
        assert item.source
        assert item.proof in ("documentation", "source", "schema")


def test_only_what_the_updater_was_seen_to_leave_alone_is_called_harmless() -> None:
    """Run offline it flaps no port for WRED_PROFILE, PFC_WD and PORT mtu. Headroom in use is another matter."""
    writes = [item for item in PLATFORM.capabilities if item.operation is Operation.WRITE and item.supported]
    qos = "ports/*/qos"
    assert {item.fact for item in writes if item.disruption is Disruption.NONE} == {
        "ports/*/mtu_bytes",
        "watchdog/poll_ms",
        f"{qos}/pfc/watchdog",
        f"{qos}/queues/*/ecn",
    }
    assert {item.fact for item in writes if item.disruption is Disruption.UNKNOWN} == {
        f"{qos}/pfc/asymmetric",
        f"{qos}/priority_groups/*/alpha_exponent",
        f"{qos}/priority_groups/*/xoff_bytes",
    }


def test_rows_that_gcu_flaps_the_port_for_say_so() -> None:
    flaps = {item.fact for item in PLATFORM.capabilities if item.disruption is Disruption.PORT_FLAP}
    assert {"ports/*/qos/scheduling", "ports/*/qos/pfc/priorities", "ports/*/qos/queues/*/buffer"} <= flaps


def test_no_question_has_two_answers() -> None:
    asked = [(item.fact, item.operation, release) for item in PLATFORM.capabilities for release in item.releases]
    assert len(asked) == len(set(asked))
