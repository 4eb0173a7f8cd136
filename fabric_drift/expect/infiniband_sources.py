"""Which lines of the intent of a subnet decide a fact."""

from __future__ import annotations

from collections.abc import Iterator

from fabric_drift.finding import Source
from fabric_drift.intent.faults import locate
from fabric_drift.intent.infiniband.fabric import IbFabric
from fabric_drift.intent.infiniband.job import JobHost
from fabric_drift.state.values import Path

_SECTIONS = {
    "sl2vl": ("qos",), "sl2vl_exceptions": ("qos",), "arbitration": ("qos",),
    "operational_vls": ("options", "max_op_vls"),
    "manager": ("managers",), "subnet_prefix": ("subnet_prefix",),
}  # fmt: skip
_OPTIONS = {
    "routing_engine": ("routing", "engine"),
    "root_guid_file": ("routing", "roots"),
    "cn_guid_file": ("routing", "compute"),
    "io_guid_file": ("routing", "io"),
    "qos": ("qos",),
}


def sources(fabric: IbFabric, device: str, path: Path) -> tuple[Source, ...]:
    """The lines that decide a fact, each once."""
    return tuple(dict.fromkeys(_sources(fabric, device, path)))


def _sources(fabric: IbFabric, device: str, path: Path) -> Iterator[Source]:
    if device in fabric.hosts:
        yield from _job(fabric, fabric.hosts[device], path[1] if path[:1] == ("job",) and len(path) > 1 else "")
    elif path[:1] != ("infiniband",) or len(path) < 2:  # noqa: PLR2004
        yield _line(fabric, ("managers", device))
    elif path[1] == "subnet":
        yield from _subnet(fabric, path[2:])
    elif path[1] == "partitions":
        yield from _partition(fabric, path[2] if len(path) > 2 else "")  # noqa: PLR2004
    elif path[1] == "options":
        name = path[2] if len(path) > 2 else ""  # noqa: PLR2004
        own = ("managers", device, "options", name)
        known = _OPTIONS.get(name, ("options", name))
        yield _line(fabric, own if name in fabric.document.managers[device].options else known)
    elif path[1] == "guid_files":
        yield _line(fabric, ("routing", path[2] if path[2:3] in (("compute",), ("io",)) else "roots"))
    elif path[1] == "qos_policy":
        yield _line(fabric, ("qos",))
    else:
        yield _line(fabric, ("routing", "engine") if "routing_engine" in path else ("managers", device))


def _job(fabric: IbFabric, host: JobHost, name: str) -> Iterator[Source]:
    """A variable as it is written, or what it is computed from."""
    document, partition = fabric.document, ("partitions", host.partition)
    if document.job is not None and name in document.job.environment:
        yield _line(fabric, ("job", "environment", name))
    elif name.endswith("_SL"):
        yield _line(fabric, (*partition, "job", "service_level"))
        yield _line(fabric, ("qos", "ulps"))
    elif name == "NCCL_IB_PKEY":
        yield _line(fabric, (*partition, "index0" if document.partitions[host.partition].index0 else "job"))
    elif name.endswith("_PKEY"):
        yield _line(fabric, (*partition, "pkey"))
    elif name in document.job.derived if document.job else False:
        yield _line(fabric, ("rails",))
    else:
        yield _line(fabric, ("job",))


def _subnet(fabric: IbFabric, path: Path) -> Iterator[Source]:
    if path[:1] == ("managers",):
        yield _line(fabric, ("managers",))
    elif path[:1] != ("ports",) or len(path) < 2:  # noqa: PLR2004
        yield _line(fabric, ("routing",))
    else:
        yield from _port(fabric, path[1], path[2:])


def _port(fabric: IbFabric, key: str, path: Path) -> Iterator[Source]:
    guid, _, number = key.partition("/")
    if path[:1] in (("pkeys",), ("pkey_indexes",)) and len(path) > 1:
        yield from _partition(fabric, path[1])
    elif path and path[0] in _SECTIONS:
        yield _line(fabric, _SECTIONS[path[0]])
    elif guid in fabric.nodes:
        node = fabric.nodes[guid]
        port = node.ports.get(int(number)) if number.isdigit() else None
        plan = str(_line(fabric, ("plan",)).file).rpartition("/")[0]
        yield Source(f"{plan}/{fabric.document.plan}", port.line if port else node.line)
    else:
        yield _line(fabric, ("plan",))


def _partition(fabric: IbFabric, pkey: str) -> Iterator[Source]:
    for name, partition in fabric.partitions.items():
        if pkey == f"0x{partition.pkey:04x}":
            yield _line(fabric, ("partitions", name))
            return
    yield _line(fabric, ("default_partition",) if pkey == "0x7fff" else ("partitions",))


def _line(fabric: IbFabric, path: tuple[str, ...]) -> Source:
    node = locate(fabric.root, path)
    return Source(node.file, node.line)
