"""Rounds of commands within a device's time, and never a command that wasn't published."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from fabric_drift.errors import Unparsed
from fabric_drift.platform import Command, Output
from fabric_drift.transport.collect import collect
from fabric_drift.transport.limits import Limits
from tests.workflow.toy import IDENTITY, RUNNING, SAVED, Toy


@dataclass
class Talker:
    """Answers everything, each answer after ``seconds``, or not at all within its limit."""

    seconds: float = 0
    asked: list[str] = field(default_factory=list)

    async def run(self, command: Command, seconds: float, limit_name: str) -> Output:
        self.asked.append(command.wire)
        await asyncio.sleep(min(self.seconds, seconds))
        if self.seconds > seconds:
            return Output(exit_status=None, error=f"no whole answer within {limit_name}")
        return Output("enable password 7 0822455D0A16\n")


def test_rounds_follow_each_other_until_the_platform_has_enough() -> None:
    talker = Talker()
    outputs = asyncio.run(collect(talker, Toy(), Limits()))
    assert talker.asked == ["show identity", "show running", "sudo -n show saved"]
    assert list(outputs) == [IDENTITY.text, RUNNING.text, SAVED.text]


def test_secrets_are_gone_before_anybody_sees_an_answer() -> None:
    outputs = asyncio.run(collect(Talker(), Toy(), Limits()))
    assert {output.stdout for output in outputs.values()} == {"enable password 7 <scrubbed>\n"}


def test_a_device_that_needs_half_its_limit_per_command_is_read() -> None:
    limits = Limits(command_seconds=0.2, device_seconds=5)
    outputs = asyncio.run(collect(Talker(0.1), Toy(), limits))
    assert all(output.whole for output in outputs.values())


def test_commands_after_the_devices_time_are_told_as_not_asked() -> None:
    limits = Limits(command_seconds=1, device_seconds=0.15)
    talker = Talker(0.1)
    outputs = asyncio.run(collect(talker, Toy(), limits))
    assert outputs[IDENTITY.text].whole
    assert outputs[RUNNING.text].error == "no whole answer within the device's 0.15 s"
    assert outputs[SAVED.text].error == "not asked: the device's 0.15 s were over"
    assert len(talker.asked) == 2


def test_a_command_outside_the_published_list_is_never_sent() -> None:
    talker = Talker()
    with pytest.raises(Unparsed, match="isn't in its published list: 'reload'"):
        asyncio.run(collect(talker, Toy(extra=(Command("reload"),)), Limits()))
    assert "reload" not in talker.asked


def test_a_name_from_the_device_is_sent_only_where_a_pattern_covers_it() -> None:
    family = Command("show port X", pattern="show port [a-z0-9]{1,15}")
    good = Toy(command_families=(*Toy.command_families, family), extra=(Command("show port eth0"),))
    assert "show port eth0" in asyncio.run(collect(Talker(), good, Limits()))
    bad = Toy(command_families=(*Toy.command_families, family), extra=(Command("show port eth0; reboot"),))
    with pytest.raises(Unparsed, match="published list"):
        asyncio.run(collect(Talker(), bad, Limits()))


def test_a_platform_that_asks_without_end_is_stopped() -> None:
    class Endless(Toy):
        def commands(self, outputs: Mapping[str, Output]) -> tuple[Command, ...]:
            return (Command(f"show {len(outputs)}"),)

    talker = Talker()
    endless = Endless(command_families=(Command("show N", pattern="show [0-9]+"),))
    with pytest.raises(Unparsed, match="still asks for commands after 4 rounds"):
        asyncio.run(collect(talker, endless, Limits()))
    assert len(talker.asked) == 4
