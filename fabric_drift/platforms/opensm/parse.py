"""Outputs of an SM node -> a Reading. What didn't come, or came mangled, is Unobserved with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from fabric_drift.finding import Evidence, Layer
from fabric_drift.platform import Output, Reading, UnparsedLine
from fabric_drift.platforms.opensm import status, subnet
from fabric_drift.platforms.opensm.commands import STATUS, SUBNET, is_healthy_standby
from fabric_drift.platforms.opensm.status import StatusReading
from fabric_drift.platforms.opensm.subnet import SubnetReading
from fabric_drift.state.device import DeviceState, Identity
from fabric_drift.state.infiniband import Infiniband
from fabric_drift.state.values import Path, Unobserved

PORT_WORDS = (
    "lid", "state", "physical", "width", "speed", "mtu_code", "m_key_set", "protect", "enforce_in", "enforce_out",
    "high_limit",
)  # fmt: skip
FILES = {"options": "options", "partitions": "partitions", "qos_policy": "qos_policy", "guid_files": "root"}


def parse(outputs: Mapping[str, Output]) -> Reading:
    """What the SM node and the subnet behind it said. Never raises."""
    node, node_fault = _document(outputs.get(STATUS.text), status.parse)
    live, live_fault = _document(outputs.get(SUBNET.text), subnet.parse)
    states = _node_layers(node) if node else _blind(node_fault)
    _believe(states, live)
    if live is None and is_healthy_standby(outputs.get(STATUS.text)) and SUBNET.text not in outputs:
        live_fault = "the subnet is read on the node of its master"
    below: Any = live.subnet if live else Unobserved(live_fault)
    states[Layer.HARDWARE] = DeviceState(infiniband=Infiniband(subnet=below))
    unparsed = [
        UnparsedLine(layer, f"{STATUS.text} ({file})", fault.line_number, fault.line, fault.reason, path)
        for layer, file, path, fault in (node.faults if node else ())
    ]
    return Reading(
        states=states,
        unparsed=tuple(unparsed),
        aliases=live.aliases if live else {},
        notes=(node.notes if node else ()) + (live.notes if live else ()),
        evidence=partial(_evidence, node, live),
    )


def _document(output: Output | None, parser: Any) -> tuple[Any, str]:
    if output is None:
        return None, "the command was not run"
    if not output.whole:
        said = output.error or " ".join(output.stderr.split())[-160:] or f"exit status {output.exit_status}"
        return None, f"the reader failed: {said}"
    try:
        return parser(output.stdout), ""
    except ValueError as error:
        return None, f"the reader's answer is not understood: {str(error)[:160]}"


def _believe(states: dict[Layer, DeviceState], live: SubnetReading | None) -> None:
    """Adds the subnet manager's own copy to what the node says of itself."""
    nos = states[Layer.NOS]
    if live is not None and live.believed and isinstance(nos.infiniband, Infiniband):
        states[Layer.NOS] = replace(nos, infiniband=replace(nos.infiniband, **live.believed))


def _node_layers(node: StatusReading) -> dict[Layer, DeviceState]:
    return {
        Layer.SAVED: DeviceState(infiniband=node.saved),
        Layer.RUNNING: DeviceState(infiniband=node.running),
        Layer.NOS: DeviceState(identity=node.identity, infiniband=node.nos),
    }


def _blind(reason: str) -> dict[Layer, DeviceState]:
    why = Unobserved(reason)
    return {
        Layer.SAVED: DeviceState(infiniband=Infiniband(options=why, partitions=why, qos_policy=why, guid_files=why)),
        Layer.RUNNING: DeviceState(infiniband=Infiniband(options=why)),
        Layer.NOS: DeviceState(identity=Identity(hostname=why, release=why), infiniband=Infiniband(manager=why)),
    }


def _evidence(node: StatusReading | None, live: SubnetReading | None, layer: Layer, path: Path) -> tuple[Evidence, ...]:
    if live and path[:2] == ("infiniband", "believed_paths"):
        return _path_evidence(live, path)
    if layer is Layer.HARDWARE and live and path[:3] == ("infiniband", "subnet", "ports") and len(path) > 3:  # noqa: PLR2004
        return _port_evidence(live, path[3])
    if layer is Layer.SAVED and node and len(path) > 2:  # noqa: PLR2004
        return _file_evidence(node, path)
    return ()


def _path_evidence(live: SubnetReading, path: Path) -> tuple[Evidence, ...]:
    """The SA's answers about one pair, or from one port."""
    wanted = path[2] if len(path) > 2 else ""  # noqa: PLR2004
    lines = [
        f"PathRecord {source} to {target}: {_answer(answer)}"
        for source, target, answer in live.raw["paths"]
        if wanted in {"", source, f"{source} to {target}"}
    ]
    return (Evidence(SUBNET.text, tuple(lines)),) if lines else ()


def _answer(answer: str | None) -> str:
    if answer is None:
        return "no answer"
    return "no record" if answer == "0000" else f"P_Key 0x{answer}"


def _port_evidence(live: SubnetReading, key: str) -> tuple[Evidence, ...]:
    facts = live.raw["ports"].get(key)
    if facts is None:
        return (Evidence(SUBNET.text, (f"{key}: not in the answer",)),)
    names = {node["guid"]: node["description"] for node in live.raw["nodes"]}
    words = " ".join(f"{name}={facts[name]}" for name in PORT_WORDS)
    lines = [f"{key} ({names.get(key.partition('/')[0])}): {words}"]
    if "pkeys" in facts:
        lines.append(f"P_Key table: {live.raw['tables']['pkeys'][facts['pkeys']]}")
    if facts.get("errors"):
        lines.append("counted since last cleared: " + ", ".join(f"{k} {v}" for k, v in sorted(facts["errors"].items())))
    return (Evidence(SUBNET.text, tuple(lines)),)


def _file_evidence(node: StatusReading, path: Path) -> tuple[Evidence, ...]:
    text = node.files.get(FILES.get(path[1], ""), None) or ""
    wanted = path[2].lstrip("0x") if path[1] == "partitions" else path[2]
    for number, line in enumerate(text.splitlines(), start=1):
        if wanted and wanted in line:
            return (Evidence(f"{STATUS.text} ({path[1]})", (line[:200],), number),)
    return ()
