"""Every fact has a rule, and the rule says how bad its drift is."""

from __future__ import annotations

from fabric_drift.finding import Severity
from fabric_drift.rules.facts import RULES, rule_for
from fabric_drift.state.device import DeviceState
from fabric_drift.state.tree import field_names


def test_rule_ids_are_unique() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)


def test_the_longest_pattern_wins() -> None:
    assert rule_for(("ports", "Ethernet0", "qos", "pfc", "watchdog", "detect_ms")).id == "FD-WD-001"
    assert rule_for(("ports", "Ethernet0", "qos", "pfc", "priorities")).id == "FD-PFC-001"


def test_a_port_name_with_a_slash_is_one_part() -> None:
    assert rule_for(("ports", "Ethernet9/1", "mtu_bytes")).id == "FD-MTU-001"


def test_a_missing_pfc_priority_is_critical() -> None:
    assert rule_for(("ports", "Ethernet0", "qos", "pfc", "priorities")).severity is Severity.CRITICAL


def test_every_top_level_part_of_a_state_has_a_rule_of_its_own() -> None:
    without = [name for name in field_names(DeviceState) if name != "ports" and rule_for((name,)) is RULES[0]]
    assert without == []


def test_every_rule_says_what_and_why() -> None:
    assert [rule.id for rule in RULES if not rule.title or not rule.why.endswith(".")] == []
