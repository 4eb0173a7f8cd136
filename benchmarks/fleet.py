"""Devices to measure with: what emulated devices answer, grown to 3,000 lines as real ones have them.

The policy is one lossless class on 64 ports. Every device has its own host name, addresses and descriptions,
and one in four a fact that was changed by hand; half of these changes weren't saved.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fabric_drift.lab.emulator import LabDevice, LabPort
from fabric_drift.lab.emulators import emulator
from fabric_drift.platform import Output, Rendered, Target
from fabric_drift.registry import platform
from fabric_drift.state.device import DeviceState, Ecn, Pfc, Port, PortQos, QosMaps, Queue, Watchdog
from fabric_drift.state.values import ABSENT, UNSAID

PORTS = 64
SAVED = ("cat /etc/sonic/config_db.json", "show startup-config")
"""The commands that answer what a device will boot with."""
LINES = 3000
RELEASES = {"eos": ("4.32.2F", "DCS-7060DX5-64S", ""), "sonic": ("202505", "Arista-7060X6-64PE", "broadcom")}
DSCP_TO_TC = dict.fromkeys(range(64), 0) | {26: 3, 48: 6}
IDENTITY = {number: number for number in range(8)}
NAME = "leaf-0000"
"""Host name of the device that all others are made from; as long as theirs."""

QOS = PortQos(
    trust="dscp",
    maps=QosMaps(dscp_to_tc=DSCP_TO_TC, tc_to_queue=IDENTITY),
    pfc=Pfc(priorities=(3,), watchdog=Watchdog(priorities=(3,), detect_ms=200, restore_ms=400, action="drop")),
    scheduling=((0, 3), (3, 7), (6, "strict")),
    queues={number: Queue(ecn=ABSENT) for number in range(8)}
    | {3: Queue(ecn=Ecn(kmin_bytes=500_000, kmax_bytes=2_000_000, max_probability_percent=10))},
)


@dataclass(frozen=True, slots=True)
class Fleet:
    """``expected`` is localised; ``outputs`` are those of a device in sync, before it grows and drifts."""

    platform: str
    expected: DeviceState
    outputs: Mapping[str, Output]


def port_names(platform_name: str) -> list[str]:
    return [f"Ethernet{n * 8}" if platform_name == "sonic" else f"Ethernet{n + 1}/1" for n in range(PORTS)]


def target(platform_name: str) -> Target:
    release, hardware, asic = RELEASES[platform_name]
    return Target(NAME, release, hardware, asic, tuple(port_names(platform_name)))


def wanted(platform_name: str) -> DeviceState:
    """What an intent would expect, before the platform localises it."""
    port = Port(admin_up=True, speed_mbps=400_000, mtu_bytes=9100, qos=QOS)
    return DeviceState(ports=dict.fromkeys(port_names(platform_name), port))


def rendered(platform_name: str) -> tuple[Rendered, ...]:
    shape = platform(platform_name)
    return shape.render(shape.localise(wanted(platform_name), target(platform_name)), target(platform_name))


def fleet(platform_name: str) -> Fleet:
    """One device in sync, by way of renderer and emulator."""
    release, hardware, asic = RELEASES[platform_name]
    core = emulator(platform_name)
    ports = tuple(LabPort(name, 400_000) for name in port_names(platform_name))
    store = core.start(LabDevice(NAME, platform_name, release, hardware, ports, asic))
    core.load(store, {item.name: item.text for item in rendered(platform_name)})
    shape = platform(platform_name)
    outputs: dict[str, Output] = {}
    while commands := [command for command in shape.commands(outputs) if command.text not in outputs]:
        for command in commands:
            answer = core.run(store, command.wire)
            outputs[command.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
    expected = shape.localise(wanted(platform_name), target(platform_name))
    # A stock device holds objects beside this policy; they would be drift on every device.
    return Fleet(platform_name, replace(expected, unreferenced=UNSAID), outputs)


def devices(source: Fleet, count: int) -> Iterator[dict[str, Output]]:
    """The answers of ``count`` devices, made one at a time: a fleet's captures don't fit into memory."""
    grow = {"eos": _grown_eos, "sonic": _grown_sonic}[source.platform]
    grown = {name: Output(grow(output.stdout)) for name, output in source.outputs.items()}
    for number in range(count):
        yield {name: Output(_own(output.stdout, number, is_saved=name in SAVED)) for name, output in grown.items()}


def _own(text: str, number: int, *, is_saved: bool) -> str:
    """``text`` of device ``number``: its own names, and a drift on every fourth."""
    text = text.replace(NAME, f"leaf-{number:04d}").replace("10.0.", f"10.{number % 250}.")
    if number % 8 == 0 or (number % 4 == 0 and not is_saved):
        text = text.replace("mtu 9100", "mtu 9000", 1).replace('"mtu": "9100"', '"mtu": "9000"', 1)
    return text


def _grown_eos(text: str) -> str:
    """A configuration with BGP, prefix lists and access lists before its ``end``; other answers as they are."""
    if not text.rstrip().endswith("end"):
        return text
    body = text.rstrip().removesuffix("end")
    # Without the header, whose length differs: running and saved configuration grow by the same lines.
    room = LINES - sum(not line.startswith("! ") for line in body.splitlines()) - 1
    lines = ["router bgp 65001", "   router-id 10.0.0.1", "!"]
    for number in range(room):
        block = (
            f"ip access-list ACL-{number}",
            f"   10 permit tcp 10.0.{number % 250}.0/24 any eq bgp",
            f"   20 permit udp any host 10.0.{number % 250}.7",
            f"   remark {NAME} generated {number}",
            "!",
        )
        lines += block
        if len(lines) >= room:
            break
    return body + "\n".join(lines[:room]) + "\nend\n"


def _grown_sonic(text: str) -> str:
    """A CONFIG_DB with BGP neighbours and ACL rules; other answers as they are."""
    try:
        document = json.loads(text)
    except ValueError:
        return text
    if not isinstance(document, dict) or "DEVICE_METADATA" not in document:
        return text
    neighbours, rules = document.setdefault("BGP_NEIGHBOR", {}), document.setdefault("ACL_RULE", {})
    number = 0
    while json.dumps(document, indent=4).count("\n") < LINES:
        for _ in range(50):
            number += 1
            neighbours[f"10.0.{number // 250}.{number % 250}"] = {
                "asn": "65001",
                "name": f"{NAME}-{number}",
                "holdtime": "10",
            }
            rules[f"DATA|RULE_{number}"] = {
                "PRIORITY": str(number),
                "SRC_IP": "10.0.0.0/24",
                "PACKET_ACTION": "FORWARD",
            }
    return json.dumps(document, indent=4)
