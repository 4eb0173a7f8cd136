"""Health of an emulated switch: what got worse is told, and what can't be read too."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from fabric_drift.change import worse
from fabric_drift.platform import Output
from fabric_drift.platforms.sonic import PLATFORM
from tests.platforms.sonic.changing import APPLYING
from tests.platforms.sonic.test_plan import in_sync, intent


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ("no_link:Ethernet0", r"port Ethernet0 went down"),
        ("drops:Ethernet8/3:17", r"lossless drops grew on Ethernet8/3: 0 -> 17"),
        ("storms:Ethernet16/3:2", r"watchdog storms grew on Ethernet16/3: 0 -> 2"),
    ],
)
def test_health_that_got_worse_is_told(fault: str, complaint: str) -> None:
    switch = in_sync("leaf1")
    switch.run("config interface pfc priority Ethernet0 4 on")
    before = switch.health()
    plan = switch.plan(intent("leaf1"))
    switch.run(f"lab-fault {fault}")
    switch.walk(PLATFORM.procedure(plan, "r2"), *APPLYING)
    told = worse(before, switch.health())
    assert any(re.fullmatch(complaint, line) for line in told), told
    switch.run("lab-fault none")


def test_health_of_a_switch_at_work_can_be_read_and_is_not_worse_than_itself() -> None:
    health = in_sync("leaf1").health()
    assert health.unreadable == ()
    assert (len(health.ports_up), len(health.bgp_established)) == (24, 8)
    assert set(health.lossless_drops) == {f"{port}/3" for port in health.ports_up}
    assert worse(health, health) == ()


def _spoilt(spoil: Callable[[str], str]) -> tuple[str, ...]:
    switch = in_sync("leaf1")
    outputs = {item.text: Output(spoil(switch.answer(item.wire).stdout)) for item in PLATFORM.health_commands()}
    return PLATFORM.health(outputs).unreadable


@pytest.mark.parametrize(
    "spoil",
    [lambda _: "", lambda text: text[: len(text) // 2], lambda _: "[]", lambda _: '{"a": 1}', lambda _: "\x00"],
)
def test_health_that_cannot_be_read_is_said_and_never_raises(spoil: Callable[[str], str]) -> None:
    assert _spoilt(spoil) != ()
