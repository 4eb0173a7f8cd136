"""The fabric as ibsim reads it: the format of ``ibnetdiscover``."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.lab.infiniband.fabric import Cable, Fabric, Node

VENDOR = "vendid=0x2c9"
DEVICE_IDS = {"Ca": "devid=0x1021", "Switch": "devid=0xd2f2"}
_GUID_KEYS = {"Ca": "caguid", "Switch": "switchguid"}

Ends = dict[Node, list[tuple[int, Node, int, Cable]]]


def net_file(fabric: Fabric, widths: Mapping[Cable, str] | None = None) -> str:
    """Text of the net file. ``widths``: cables that come up narrower (``2x``): a bad lane."""
    ends: Ends = {node: [] for node in fabric.nodes}
    for cable in fabric.cables:
        ends[cable.a].append((cable.a_port, cable.b, cable.b_port, cable))
        ends[cable.b].append((cable.b_port, cable.a, cable.a_port, cable))
    return "\n".join(_node(node, ends, widths or {}) for node in fabric.nodes)


def _node(node: Node, ends: Ends, widths: Mapping[Cable, str]) -> str:
    guid = f"{node.guid:#x}"
    lines = [VENDOR, DEVICE_IDS[node.kind], "sysimgguid=" + guid, f"{_GUID_KEYS[node.kind]}={guid}({guid})"]
    lines.append(f'{node.kind}\t{node.ports} "{node.id}"\t\t# "{node.name}"')
    for port, peer, peer_port, cable in sorted(ends[node], key=lambda end: end[0]):
        own_guid = f"({node.port_guid:x})" if node.kind == "Ca" else ""
        width = widths.get(cable, cable.width)
        lines.append(f'[{port}]{own_guid}\t"{peer.id}"[{peer_port}]\t\t# "{peer.name}" lid 0 {width}{cable.speed}')
    return "\n".join(lines) + "\n"
