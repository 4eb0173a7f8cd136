"""What needs a name, and what a drained device makes needless."""

from __future__ import annotations

import pytest

from fabric_drift.change import Kind, Phase, Plan, Step
from fabric_drift.errors import IntentError
from fabric_drift.platform import Disruption
from fabric_drift.state import Path
from fabric_drift.workflow.consent import known, missing
from fabric_drift.workflow.outcome import Consent
from tests.faults.paper import PaperDevice

ACTIVE, DRAINED = PaperDevice("leaf1"), PaperDevice("leaf1", lifecycle="drained")
PFC: Path = ("ports", "Ethernet0", "qos", "pfc", "priorities")
WATCHDOG: Path = ("ports", "Ethernet0", "qos", "pfc", "watchdog", "detect_ms")


def plan(
    disruption: Disruption = Disruption.NONE,
    *,
    kind: Kind = Kind.ADD,
    path: Path = PFC,
    undo: Disruption = Disruption.NONE,
) -> Plan:
    step = Step("a step", (path,), Phase.PFC, kind, ("on",), ("off",), disruption, "test", undo_disruption=undo)
    return Plan("leaf1", "paper", "patch", (step,))


def refused(what: Plan, device: PaperDevice = ACTIVE, *allow: str, drained: tuple[str, ...] = ()) -> bool:
    return bool(missing(what, device, Consent(frozenset(allow), frozenset(drained))))


@pytest.mark.parametrize("level", [Disruption.NONE, Disruption.REORDER])
def test_up_to_reordering_nobody_is_asked(level: Disruption) -> None:
    assert not refused(plan(level))


@pytest.mark.parametrize("level", [level for level in Disruption if level > Disruption.REORDER])
def test_anything_above_is_refused_unless_it_is_allowed_by_name(level: Disruption) -> None:
    assert refused(plan(level))
    assert not refused(plan(level), ACTIVE, str(level))


def test_a_level_covers_everything_below_it_and_nothing_above() -> None:
    assert not refused(plan(Disruption.LOSSLESS_GAP), ACTIVE, "port_flap")
    assert refused(plan(Disruption.RESTART), ACTIVE, "port_flap")


def test_unknown_is_covered_by_its_own_name_only() -> None:
    assert refused(plan(Disruption.UNKNOWN), ACTIVE, "reload")
    assert refused(plan(Disruption.UNKNOWN), DRAINED)
    assert not refused(plan(Disruption.UNKNOWN), ACTIVE, "unknown")
    assert refused(plan(Disruption.PORT_FLAP), ACTIVE, "unknown")


def test_a_drained_device_may_flap_and_reload() -> None:
    assert not refused(plan(Disruption.RELOAD), DRAINED)
    assert not refused(plan(Disruption.RELOAD), PaperDevice("leaf1", lifecycle="maintenance"))
    assert not refused(plan(Disruption.RELOAD), ACTIVE, drained=("leaf1",))
    assert refused(plan(Disruption.RELOAD), ACTIVE, drained=("leaf2",))


def test_an_undo_that_costs_more_than_the_step_needs_consent_too() -> None:
    expensive = plan(undo=Disruption.RELOAD)
    assert refused(expensive)
    assert "when it has to be undone" in missing(expensive, ACTIVE, Consent())[0].problem


@pytest.mark.parametrize(
    "path",
    [PFC, ("ports", "Ethernet0", "mtu_bytes"), ("ports", "Ethernet0", "qos", "maps", "dscp_to_tc", "26"),
     ("ports", "Ethernet0", "qos", "trust")],
)  # fmt: skip
def test_class_dscp_pfc_and_mtu_arent_changed_in_place_under_traffic(path: Path) -> None:
    change = plan(kind=Kind.CHANGE, path=path)
    assert refused(change)
    assert not refused(change, ACTIVE, "in_place")
    assert not refused(change, DRAINED)
    assert not refused(plan(kind=Kind.ADD, path=path))


def test_a_watchdog_time_may_change_in_place() -> None:
    assert not refused(plan(kind=Kind.CHANGE, path=WATCHDOG))


def test_a_refusal_says_what_to_do_instead() -> None:
    (refusal,) = missing(plan(Disruption.PORT_FLAP), ACTIVE, Consent())
    assert refusal.path == PFC
    assert refusal.problem == "a step: costs port_flap, which wasn't allowed"
    assert refusal.remedy == "Drain the device (lifecycle: drained), or allow it by name: allow=port_flap"


def test_a_misspelt_name_isnt_consent() -> None:
    with pytest.raises(IntentError, match=r"port_flaps can't be allowed\. Use none, reorder"):
        known(frozenset({"port_flap", "port_flaps"}))
