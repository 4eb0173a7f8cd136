"""The QoS policy of a subnet, line by line as its file says it (opensm doc/QoS_management_in_OpenSM.txt)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabric_drift.intent.infiniband.document import MTU_CODES, Qos, QosLevel, QosMatch
from fabric_drift.intent.infiniband.fabric import IbFabric


def lines(fabric: IbFabric) -> tuple[str, ...]:
    """Lines without indents; () where nothing is asked for."""
    qos = fabric.document.qos
    if qos is None or not (qos.ulps or qos.levels or qos.matches):
        return ()
    return (*_groups(fabric), *_levels(fabric, qos), *_matches(fabric, qos), *_ulps(fabric, qos))


def _groups(fabric: IbFabric) -> Iterator[str]:
    if fabric.groups:
        yield "port-groups"
        for name, guids in sorted(fabric.groups.items()):
            yield from _item("port-group", [("name", name), *(("port-guid", guid) for guid in guids)])
        yield "end-port-groups"


def _levels(fabric: IbFabric, qos: Qos) -> Iterator[str]:
    """DEFAULT is mandatory as soon as there is a level or a rule."""
    if qos.levels or qos.matches:
        yield "qos-levels"
        yield from _item("qos-level", [("name", "DEFAULT"), ("sl", str(qos.default_service_level))])
        for name, level in sorted(qos.levels.items()):
            yield from _item("qos-level", [("name", name), *_level(fabric, level)])
        yield "end-qos-levels"


def _level(fabric: IbFabric, level: QosLevel) -> Iterator[tuple[str, str]]:
    yield "sl", str(level.service_level)
    if level.mtu is not None:
        yield "mtu-limit", str(MTU_CODES[level.mtu])
    if level.rate is not None:
        yield "rate-limit", str(level.rate)
    if level.packet_life is not None:
        yield "packet-life", str(level.packet_life)
    if level.partition is not None:
        yield "pkey", _pkey(fabric, level.partition)


def _matches(fabric: IbFabric, qos: Qos) -> Iterator[str]:
    if qos.matches:
        yield "qos-match-rules"
        for rule in qos.matches:
            yield from _item("qos-match-rule", _match(fabric, rule))
        yield "end-qos-match-rules"


def _match(fabric: IbFabric, rule: QosMatch) -> Iterator[tuple[str, str]]:
    if rule.qos_class:
        yield "qos-class", ",".join(_plain(item) for item in rule.qos_class)
    if rule.source is not None:
        yield "source", rule.source
    if rule.destination is not None:
        yield "destination", rule.destination
    if rule.service_id:
        yield "service-id", ",".join(_plain(item) for item in rule.service_id)
    if rule.partition is not None:
        yield "pkey", _pkey(fabric, rule.partition)
    yield "qos-level-name", rule.level


def _ulps(fabric: IbFabric, qos: Qos) -> Iterator[str]:
    if qos.ulps:
        yield "qos-ulps"
        yield f"default : {qos.default_service_level}"
        for rule in qos.ulps:
            pkey = f", pkey {_pkey(fabric, rule.partition)}" if rule.partition else ""
            yield f"{rule.ulp}{pkey} : {rule.service_level}"
        yield "end-qos-ulps"


def _item(name: str, tags: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield name
    for tag, value in tags:
        yield f"{tag}: {value}"
    yield f"end-{name}"


def _pkey(fabric: IbFabric, partition: str) -> str:
    return f"0x{fabric.partitions[partition].pkey:04x}"


def _plain(text: str) -> str:
    """A number or a range in decimal."""
    return "-".join(str(int(part, 16) if part.startswith("0x") else int(part)) for part in text.split("-"))
