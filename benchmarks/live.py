"""A live check of many emulated devices, and a bare loop that asks the same devices the same commands.

Both talk over real SSH on loopback to one process that plays all devices, so its time is in both numbers: the
ratio says what parsing, comparing and bookkeeping add to what the network and the devices take.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from benchmarks.clock import Clock
from benchmarks.fleet import RELEASES, rendered, wanted
from fabric_drift.inventory import Host, read
from fabric_drift.platform import Command, Output
from fabric_drift.registry import platform
from fabric_drift.state.device import DeviceState
from fabric_drift.transport.collect import Session, collect
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.ssh import CIPHERS, connect
from fabric_drift.workflow import check
from fabric_drift.workflow.expectations import Expectations
from fabric_drift.workflow.sources import Live

LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Device:
    name: str
    platform: str
    role: str = "leaf"
    lifecycle: str = "active"

    @property
    def releases(self) -> tuple[str, ...]:
        return (RELEASES[self.platform][0],)

    @property
    def hardware(self) -> str:
        return RELEASES[self.platform][1]

    @property
    def asic(self) -> str:
        return RELEASES[self.platform][2]


def live(count: int) -> tuple[int, Clock, str]:
    with lab(count) as hosts:
        devices = {name: Device(name, host.platform) for name, host in hosts.items()}
        states = {name: wanted(name) for name in RELEASES}

        def expect(name: str) -> DeviceState:
            return states[devices[name].platform]

        expectations = Expectations("benchmark", devices, expect, lambda _device, _path: ())
        clock = Clock()
        check(expectations, Live(hosts, LIMITS), only=_one_of_each(hosts))  # warm-up, as the bare loop has one
        with clock.running():
            result = check(expectations, Live(hosts, LIMITS))
    answered = sum(device.status.value == "checked" for device in result.devices)
    assert answered == count, f"{answered} of {count} devices were checked"
    findings = sum(len(device.findings) for device in result.devices)
    return count, clock, f"{findings} findings"


def live_bare(count: int) -> tuple[int, Clock, str]:
    with lab(count) as hosts:
        texts = asyncio.run(_command_texts(hosts))
        clock = Clock()
        with clock.running():
            size = asyncio.run(_bare(hosts, texts))
    return count, clock, f"{size / 1e6:.0f} MB of answers"


async def _command_texts(hosts: Mapping[str, Host]) -> dict[str, tuple[str, ...]]:
    """What a check sends, per platform: recorded while it reads the first device of each."""
    texts: dict[str, tuple[str, ...]] = {}
    for name in _one_of_each(hosts):
        host = hosts[name]
        async with connect(host, LIMITS) as session:
            recorder = Recorder(session)
            await collect(recorder, platform(host.platform), LIMITS)
        texts[host.platform] = tuple(recorder.texts)
    return texts


def _one_of_each(hosts: Mapping[str, Host]) -> tuple[str, ...]:
    """The first device of each platform."""
    return tuple({host.platform: name for name, host in sorted(hosts.items(), reverse=True)}.values())


class Recorder:
    """A session that writes down what it is asked."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.texts: list[str] = []

    async def run(self, command: Command, seconds: float, limit_name: str) -> Output:
        self.texts.append(command.wire)
        return await self._session.run(command, seconds, limit_name)


async def _bare(hosts: Mapping[str, Host], texts: Mapping[str, tuple[str, ...]]) -> int:
    """As quick as it goes: our choice of ciphers, and host keys that are read once."""
    known_hosts = asyncssh.read_known_hosts(sorted({file for host in hosts.values() for file in host.known_hosts}))
    slots = asyncio.Semaphore(LIMITS.concurrency)

    async def one(host: Host) -> int:
        size = 0
        async with (
            slots,
            asyncssh.connect(
                host.address,
                host.port,
                username=host.user,
                client_keys=list(host.key_files),
                known_hosts=known_hosts,
                encryption_algs=CIPHERS,
            ) as connection,
        ):
            for text in texts[host.platform]:
                answer = await connection.run(text, encoding=None)
                size += len(answer.stdout or b"")
        return size

    return sum(await asyncio.gather(*(one(host) for host in hosts.values())))


@contextmanager
def lab(count: int) -> Iterator[dict[str, Host]]:
    """``count`` emulated switches of two kinds, configured, and how to reach them."""
    with tempfile.TemporaryDirectory(prefix="fabric-drift-benchmark-") as folder:
        environment = os.environ | {"FABRIC_DRIFT_LAB": f"{folder}/lab"}

        def control(*words: str) -> None:
            command = [sys.executable, "-m", "fabric_drift.lab", *words]
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)

        control("up", "--fabric", "leafspine", "--leaves", str(count), "--spines", "0", "--base-port", "0")
        try:
            hosts = read([f"{folder}/lab/inventory.yml"])
            for name, host in hosts.items():
                for item in rendered(host.platform):
                    file = Path(folder, "configurations", name, item.name)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(item.text)
            control("load", f"{folder}/configurations")
            yield hosts
        finally:
            control("down")
