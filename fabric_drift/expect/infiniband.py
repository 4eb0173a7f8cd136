"""Intent of a subnet -> expected state of an SM node: its files, its role, and (on the intended master) the subnet.

What the hardware holds is derived as OpenSM 3.3 fills it in: the P_Key table of an HCA port holds its partitions; the
switch port that faces it holds the same, for enforcement; port 0 of a switch is a member of what ALL is a member of.
Tables of inter-switch ports are not the SM's business and aren't compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabric_drift.errors import IntentError
from fabric_drift.expect.infiniband_options import check, taken
from fabric_drift.expect.infiniband_qos import lines
from fabric_drift.intent.infiniband.document import Ipoib, PortClass, Qos
from fabric_drift.intent.infiniband.fabric import IbFabric, SmDevice
from fabric_drift.intent.infiniband.job import pkey_index
from fabric_drift.intent.infiniband.plan import PlannedNode, PlannedPort
from fabric_drift.state.device import DeviceState, Fact, Identity
from fabric_drift.state.infiniband import (
    Arbitration,
    FabricPort,
    Infiniband,
    KnownManager,
    Link,
    Manager,
    Partition,
    Partitions,
    Pkeys,
    Routing,
    Subnet,
)
from fabric_drift.state.values import ABSENT, UNSAID, Leaf, Missing

DEFAULT_PKEY = 0x7FFF
OPEN_PREFIX = "0xfe80000000000000"
ROOT_FILE = "/etc/opensm/root_guids.conf"
COMPUTE_FILE = "/etc/opensm/cn_guids.conf"
IO_FILE = "/etc/opensm/io_guids.conf"


def expect(fabric: IbFabric, device_name: str) -> DeviceState:
    """What the SM node should be, or the jobs of a host of the subnet.

    Raises IntentError for an unknown device, IntentErrors for options that OpenSM would not take as written.
    """
    host = fabric.hosts.get(device_name)
    if host is not None:
        return DeviceState(job=host.environment)
    device = fabric.devices.get(device_name)
    if device is None:
        raise IntentError(
            f"no subnet manager is called {device_name!r}", where=fabric.root.where,
            remedy="Declare it under managers or correct its name", code="FD-INT-021",
        )  # fmt: skip
    is_master = device.name == fabric.master.name
    state = Infiniband(
        manager=Manager(
            state="master" if is_master else "standby",
            priority=device.priority,
            routing_engine=fabric.document.routing.engine if is_master else UNSAID,
            complaints={},
        ),
        options=options(fabric, device),
        partitions=partitions(fabric),
        qos_policy=lines(fabric),
        guid_files={**fabric.routed, **({"root": fabric.roots} if fabric.roots else {})},
        subnet=subnet(fabric) if is_master else UNSAID,
    )
    return DeviceState(identity=Identity(hostname=device.name), infiniband=_asked(fabric, device, state))


def _asked(fabric: IbFabric, device: SmDevice, state: Infiniband) -> Infiniband:
    """Without what the intent doesn't ask this node for: the subnet, and of a UFM who is master."""
    if fabric.document.managers[device.name].hardware:
        return state
    manager = state.manager
    if fabric.is_ufm and isinstance(manager, Manager):
        manager = replace(manager, state=UNSAID)
    return replace(state, subnet=UNSAID, manager=manager)


def options(fabric: IbFabric, device: SmDevice) -> dict[str, Leaf | Missing]:
    """Everything that the intent says in opensm.conf; the rest is left at OpenSM's defaults, unmanaged."""
    check(fabric)
    document, routing = fabric.document, fabric.document.routing
    said = {**document.options, **document.managers[device.name].options}
    found = {name: taken(name, value) for name, value in said.items()}
    found |= {
        "guid": device.guid,
        "subnet_prefix": document.subnet_prefix,
        "sm_priority": device.priority,
        "routing_engine": routing.engine + (",no_fallback" if routing.no_fallback else ""),
        "root_guid_file": ROOT_FILE if fabric.roots else ABSENT,
        "cn_guid_file": COMPUTE_FILE if "compute" in fabric.routed else ABSENT,
        "io_guid_file": IO_FILE if "io" in fabric.routed else ABSENT,
        "partition_config_file": "/etc/opensm/partitions.conf",
        "qos_policy_file": "/etc/opensm/qos-policy.conf",
        "qos": document.qos is not None,
    }
    found |= {key: "set" if key in document.keys else "default" for key in ("m_key", "sm_key", "sa_key")}
    if document.qos:
        found["qos_max_vls"] = document.qos.max_vls
        for prefix, port_class in (("qos_ca", document.qos.hca), ("qos_swe", document.qos.switch)):
            found[f"{prefix}_sl2vl"] = ",".join(str(lane) for lane in port_class.sl2vl)
            found[f"{prefix}_vlarb_high"] = ",".join(port_class.high) or ABSENT
            found[f"{prefix}_vlarb_low"] = ",".join(port_class.low) or ABSENT
    return dict(sorted(found.items()))


def partitions(fabric: IbFabric) -> dict[str, Partition]:
    """P_Key -> partition as the file says it. Managers are named: SELF would be limited after a failover."""
    default = fabric.document.default_partition
    full = fabric.default_full - _own(fabric) if fabric.is_ufm else fabric.default_full
    members = {"ALL": default.membership, "SELF": "full"} | dict.fromkeys(sorted(full), "full")
    if fabric.is_ufm:  # it adds its own port by itself, and doesn't list it
        members.pop("SELF")
    found = {"0x7fff": _partition("Default", members, default.ipoib, index0=False)}
    for name, resolved in fabric.partitions.items():
        part = fabric.document.partitions[name]
        found[f"0x{resolved.pkey:04x}"] = _partition(name, dict(resolved.members), part.ipoib, index0=part.index0)
    return Partitions(dict(sorted(found.items())), fabric.others if fabric.is_ufm else ())


def _own(fabric: IbFabric) -> frozenset[str]:
    """Port GUIDs of the managers."""
    return frozenset(device.guid for device in fabric.devices.values())


def _partition(name: str, members: Mapping[str, str], ipoib: Ipoib | None, *, index0: bool) -> Partition:
    return Partition(
        name=name,
        members=members,
        index0=index0,
        ipoib=ipoib is not None,
        mtu_bytes=ipoib.mtu if ipoib else UNSAID,
        rate_code=ipoib.rate if ipoib else UNSAID,
        service_level=ipoib.service_level if ipoib else UNSAID,
    )


def subnet(fabric: IbFabric) -> Subnet:
    """Every planned port, the managers, and tables without a broken way."""
    tables = _Tables(fabric)
    ports: dict[str, FabricPort] = {}
    for node in fabric.nodes.values():
        if node.kind == "switch":
            ports[f"{node.guid}/0"] = tables.switch(node)
        for port in node.ports.values():
            ports[f"{node.guid}/{port.number}"] = tables.port(node, port)
    expected = {
        device.guid: KnownManager("master" if device.name == fabric.master.name else "standby", device.priority)
        for device in fabric.devices.values()
        if device.lifecycle == "active"
    }
    return Subnet(dict(sorted(ports.items())), dict(sorted(expected.items())), Routing({}, {}, {}))


class _Tables:
    """What ports of one kind share; built once per subnet."""

    def __init__(self, fabric: IbFabric) -> None:
        self.fabric = fabric
        document = fabric.document
        self.prefix = document.subnet_prefix
        self.master = fabric.master.guid
        self.default = document.default_partition.membership
        self.pkeys: dict[tuple[tuple[int, str], ...], Pkeys] = {}
        self.keys_of: dict[str, dict[int, str]] = {}
        for partition in fabric.partitions.values():
            for guid, membership in partition.members.items():
                self.keys_of.setdefault(guid, {})[partition.pkey] = membership
        self.index_0 = {
            guid: f"0x{partition.pkey:04x}"
            for name, partition in fabric.partitions.items()
            if document.partitions[name].index0
            for guid in partition.members
        }
        self.indexes = _indexes(fabric)
        self.hca_qos, self.switch_qos = _qos(document.qos, "hca"), _qos(document.qos, "switch")
        vls = document.options.get("max_op_vls")
        self.vls = UNSAID if vls is None else taken("max_op_vls", vls)

    def switch(self, node: PlannedNode) -> FabricPort:
        """Port 0: a member of what ALL is a member of."""
        return FabricPort(
            description=node.description,
            pkeys=self._table({DEFAULT_PKEY: self.default}),
            manager=self.master,
            subnet_prefix=self.prefix,
        )

    def port(self, node: PlannedNode, port: PlannedPort) -> FabricPort | Any:
        """A planned port with its cable; nothing is said of one to or of a host that may be away."""
        peer = self.fabric.nodes[port.peer.partition("/")[0]]
        if self._away(node) or self._away(peer):
            return UNSAID
        is_hca = node.kind == "ca"
        edge = port.guid if is_hca else self._hca_guid(peer, port.peer)
        lanes, arbitration = self.hca_qos if is_hca else self.switch_qos
        return FabricPort(
            description=node.description if is_hca else UNSAID,
            guid=port.guid if is_hca else UNSAID,
            link=Link("active", self.fabric.document.link.width or port.width or UNSAID, self._speed(port), port.peer),
            pkeys=self._of(edge) if edge else UNSAID,
            pkey_at_index_0=self.index_0.get(port.guid, UNSAID) if is_hca else UNSAID,
            pkey_indexes=self.indexes.get(port.guid, UNSAID) if is_hca else UNSAID,
            sl2vl=lanes,
            sl2vl_exceptions=UNSAID if is_hca or lanes is UNSAID else {},
            arbitration=arbitration,
            operational_vls=self.vls,  # type: ignore[arg-type]
            manager=self.master,
            subnet_prefix=self.prefix,
        )

    def _away(self, node: PlannedNode) -> bool:
        return node.kind == "ca" and node.host in self.fabric.away

    def _speed(self, port: PlannedPort) -> Fact[str]:
        return self.fabric.document.link.speed or port.speed or UNSAID

    def _hca_guid(self, peer: PlannedNode, key: str) -> str:
        return peer.ports[int(key.partition("/")[2])].guid if peer.kind == "ca" else ""

    def _of(self, guid: str) -> Pkeys:
        default = "full" if guid in self.fabric.default_full or guid == self.master else self.default
        return self._table({DEFAULT_PKEY: default} | self.keys_of.get(guid, {}))

    def _table(self, keys: Mapping[int, str]) -> Pkeys:
        key = tuple(sorted(keys.items()))
        if key not in self.pkeys:
            self.pkeys[key] = Pkeys({f"0x{pkey:04x}": _observable(kind) for pkey, kind in key}, self.fabric.others)
        return self.pkeys[key]


def _indexes(fabric: IbFabric) -> dict[str, dict[str, int]]:
    """Port GUID -> the indexes that its jobs name (beside index 0, which is a fact of its own)."""
    found: dict[str, dict[str, int]] = {}
    for name, partition in fabric.partitions.items():
        index = pkey_index(fabric.document, name)
        for guid in partition.members if index else ():
            found.setdefault(guid, {})[f"0x{partition.pkey:04x}"] = index or 0
    return found


def _observable(membership: str) -> str:
    """``both`` reads as full: OpenSM writes two keys only with allow_both_pkeys."""
    return "full" if membership == "both" else membership


def _qos(qos: Qos | None, kind: str) -> tuple[Any, Any]:
    if qos is None:
        return UNSAID, UNSAID
    port_class: PortClass = getattr(qos, kind)
    return port_class.sl2vl, Arbitration(_weights(port_class.high), _weights(port_class.low))


def _weights(entries: tuple[str, ...]) -> Any:
    pairs = [tuple(int(part) for part in entry.split(":")) for entry in entries]
    return tuple(pair for pair in pairs if pair[1]) if pairs else UNSAID
