"""The whole way over a real SSH server: bad days end as what they are, and captures say what live devices said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.errors import IntentError
from fabric_drift.finding import Verdict
from fabric_drift.platform import Platform
from fabric_drift.report.json import json
from fabric_drift.result import CheckResult, DeviceStatus
from fabric_drift.transport import Limits, Recording
from fabric_drift.workflow import capture, check
from fabric_drift.workflow.expectations import Device
from fabric_drift.workflow.sources import Captured, Live
from tests.transport.server import FakeDevice, Login, Password, endless, half_then_drop, hang, no_sudo, serve
from tests.workflow.toy import IDENTITY, RUNNING, SAVED, Toy, ToyDevice, answers, changed, expectations

LIMITS = Limits(connect_seconds=5, command_seconds=0.5, device_seconds=3, answer_bytes=1_000_000)
TODAY = date(2026, 11, 29)


def toy(_name: str) -> Platform:
    return Toy()


def device(name: str = "leaf1", changes: Mapping[str, Any] | None = None) -> FakeDevice:
    """A device as intended; ``changes`` by name of a command."""
    said: dict[str, Any] = {text: output.stdout for text, output in answers(name).items()}
    said = {("sudo -n " if text == SAVED.text else "") + text: answer for text, answer in said.items()}
    return FakeDevice({**said, **(changes or {})})


@dataclass
class Servers:
    """A live source that runs the devices' SSH servers while it is read."""

    directory: Path
    devices: dict[str, FakeDevice]
    spoil: Callable[[Login], Login] = field(default=lambda login: login)

    async def recordings(
        self, devices: Sequence[Device], platform: Callable[[str], Platform]
    ) -> AsyncIterator[Recording]:
        async with AsyncExitStack() as stack:
            logins = {}
            for name, fake in self.devices.items():
                login = await stack.enter_async_context(serve(self.directory, fake, name))
                logins[name] = self.spoil(login)
            async for recording in Live(logins, LIMITS).recordings(devices, platform):
                yield recording


def checked(source: Any, *devices: ToyDevice, **options: Any) -> CheckResult:
    return check(expectations(*devices), source, platform=toy, today=TODAY, **options)


def statuses(result: CheckResult) -> dict[str, str]:
    return {device.name: device.status.value for device in result.devices}


def test_devices_as_intended_are_in_sync(tmp_path: Path) -> None:
    fabric = [ToyDevice(f"leaf{number}") for number in range(1, 6)]
    result = checked(Servers(tmp_path, {item.name: device(item.name) for item in fabric}), *fabric)
    assert (result.statuses[DeviceStatus.CHECKED], list(result.findings)) == (5, [])


BAD_DAYS: dict[str, tuple[dict[str, Any], DeviceStatus]] = {
    "wrong hostname": ({IDENTITY.text: answers("leaf9")[IDENTITY.text].stdout}, DeviceStatus.WRONG_DEVICE),
    "one command hangs": ({RUNNING.text: hang}, DeviceStatus.INCOMPLETE),
    "every command hangs": (
        {IDENTITY.text: hang, RUNNING.text: hang, f"sudo -n {SAVED.text}": hang},
        DeviceStatus.UNREACHABLE,
    ),
    "an answer of 200 MB": ({RUNNING.text: endless}, DeviceStatus.INCOMPLETE),
    "the identity isn't UTF-8": ({IDENTITY.text: b'{"hostname": "\xff"}'}, DeviceStatus.UNPARSED),
    "a layer isn't UTF-8": ({RUNNING.text: b'{"ports": {}, "\xff": 1}'}, DeviceStatus.INCOMPLETE),
    "truncated but called a success": ({RUNNING.text: '{"ports": {"Ethernet0": {"mtu": 91'}, DeviceStatus.INCOMPLETE),
    "the connection drops at the first command": ({IDENTITY.text: half_then_drop}, DeviceStatus.UNREACHABLE),
    "the connection drops at the second command": ({RUNNING.text: half_then_drop}, DeviceStatus.INCOMPLETE),
    "sudo refuses one command": ({f"sudo -n {SAVED.text}": no_sudo}, DeviceStatus.INCOMPLETE),
    "garbled": ({IDENTITY.text: "\x00\x07{{{"}, DeviceStatus.UNPARSED),
}


@pytest.mark.parametrize("day", BAD_DAYS, ids=lambda day: day)
def test_a_bad_day_ends_as_what_it_is_and_never_as_a_match(tmp_path: Path, day: str) -> None:
    changes, status = BAD_DAYS[day]
    result = checked(Servers(tmp_path, {"leaf1": device("leaf1", changes)}))
    assert statuses(result) == {"leaf1": status.value}
    assert result.incomplete
    layers = {RUNNING.text: 1, f"sudo -n {SAVED.text}": 1}
    seen = sum(1 for command in layers if command not in changes) if status is DeviceStatus.INCOMPLETE else 0
    assert result.facts[Verdict.MATCH] <= seen * 10 + 1
    assert result.facts[Verdict.UNOBSERVED] + result.facts[Verdict.ERROR] >= 10


def test_a_wrong_password_is_unauthorised(tmp_path: Path) -> None:
    source = Servers(tmp_path, {"leaf1": device()}, lambda login: replace(login, password=Password("wrong")))
    assert statuses(checked(source)) == {"leaf1": "unauthorised"}


def test_one_bad_device_does_not_stop_the_others(tmp_path: Path) -> None:
    fabric = [ToyDevice("leaf1"), ToyDevice("leaf2"), ToyDevice("leaf3")]
    source = Servers(tmp_path, {"leaf1": device("leaf1", {IDENTITY.text: hang}), "leaf3": device("leaf3")})
    assert statuses(checked(source, *fabric)) == {"leaf1": "unparsed", "leaf2": "unreachable", "leaf3": "checked"}


def test_planned_and_spare_devices_are_not_contacted(tmp_path: Path) -> None:
    fabric = [ToyDevice("leaf1"), ToyDevice("leaf2", lifecycle="planned"), ToyDevice("leaf3", lifecycle="spare")]
    planned = device("leaf2")
    result = checked(Servers(tmp_path, {"leaf1": device(), "leaf2": planned}), *fabric)
    assert statuses(result) == {"leaf1": "checked", "leaf2": "expected_down", "leaf3": "expected_down"}
    assert planned.asked == []
    assert not result.incomplete


def test_only_the_devices_asked_for_are_contacted(tmp_path: Path) -> None:
    fabric = [ToyDevice("leaf1"), ToyDevice("leaf2"), ToyDevice("spine1")]
    other = device("spine1")
    source = Servers(tmp_path, {"leaf1": device("leaf1"), "leaf2": device("leaf2"), "spine1": other})
    assert list(statuses(checked(source, *fabric, only=["leaf*"]))) == ["leaf1", "leaf2"]
    assert other.asked == []


def test_an_unknown_device_is_an_error_with_a_guess(tmp_path: Path) -> None:
    with pytest.raises(IntentError, match=r"knows no device lief1\. Did you mean leaf1"):
        checked(Captured(tmp_path), only=["lief1"])


def test_the_collector_sends_the_platforms_commands_and_no_others(tmp_path: Path) -> None:
    fake = device()
    checked(Servers(tmp_path, {"leaf1": fake}))
    assert fake.asked == [IDENTITY.text, RUNNING.text, f"sudo -n {SAVED.text}"]


def test_a_check_of_captures_equals_the_live_check_byte_for_byte(tmp_path: Path) -> None:
    names = ["leaf1", "leaf2", "leaf3", "leaf4", "leaf5"]
    fabric = [ToyDevice(name) for name in names]
    drifted = answers("leaf2", running=changed(pfc=[], mtu=1500), junk={"ports/Ethernet8": "enable password 7 0822"})
    devices = {
        "leaf1": device("leaf1"),
        "leaf2": device("leaf2", {RUNNING.text: drifted[RUNNING.text].stdout}),
        "leaf3": device("leaf3", {RUNNING.text: hang}),
        "leaf4": device("leaf4", {IDENTITY.text: answers("other")[IDENTITY.text].stdout}),
    }  # and leaf5 is unreachable
    live = checked(Servers(tmp_path, devices), *fabric)
    done = capture(expectations(*fabric), Servers(tmp_path, devices), tmp_path / "captures", platform=toy)
    offline = checked(Captured(tmp_path / "captures"), *fabric)
    assert json(offline) == json(live)
    assert done.captured == ("leaf1", "leaf2", "leaf3", "leaf4")
    assert [name for name, _ in done.failed] == ["leaf5"]
    assert len({device.status for device in live.devices}) == 4


def test_hundreds_of_devices_are_read_a_few_at_a_time(tmp_path: Path) -> None:
    running = most = 0

    class Counting(Live):
        async def _read(self, device: Device, platform: Platform) -> Recording:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            return Recording(device.name, platform.name, answers(device.name))

    fabric = [ToyDevice(f"leaf{number}") for number in range(300)]
    result = checked(Counting({}, Limits(concurrency=7)), *fabric)
    assert result.statuses[DeviceStatus.CHECKED] == 300
    assert most == 7
