"""Show commands that answer in JSON. Key names: Arista's eAPI as ANTA, NAPALM and pyavd read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import policy
from fabric_drift.lab.eos.order import release_number
from fabric_drift.lab.eos.text import as_json

Json = dict[str, Any]


def hostname(store: Store) -> Json:
    """``show hostname``."""
    name = store["running"]["lines"].get("hostname", "hostname localhost").removeprefix("hostname ")
    return {"hostname": name, "fqdn": name}


def version(store: Store) -> Json:
    """``show version``."""
    return {
        "mfgName": "Arista",
        "modelName": store["hardware"],
        "hardwareRevision": "11.00",
        "serialNumber": "LAB00000000",
        "systemMacAddress": "00:1c:73:00:00:01",
        "version": store["release"],
        "architecture": "x86_64",
        "internalVersion": f"{store['release']}-00000000.0000",
        "imageFormatVersion": "3.0",
        "isIntlVersion": False,
    }


def interfaces_status(store: Store) -> Json:
    """``show interfaces status``."""
    return {"interfaceStatuses": {port: _status(store, port) for port in store["ports"]}}


def _status(store: Store, port: str) -> Json:
    link = policy.link(store, port)
    return {
        "description": policy.own_lines(store, port).get("description", "").removeprefix("description "),
        "interfaceType": "400GBASE-DR4",
        "autoNegotiateActive": False,
        "duplex": "duplexFull",
        "lineProtocolStatus": "up" if link["linkStatus"] == "connected" else "down",
        "vlanInformation": {"interfaceMode": "routed", "interfaceForwardingModel": "routed"},
        **link,
    }


def interfaces(store: Store) -> Json:
    """``show interfaces``."""
    shown = {}
    for port in store["ports"]:
        link = policy.link(store, port)
        shown[port] = {
            "name": port,
            "forwardingModel": "routed",
            "interfaceStatus": link["linkStatus"],
            "lineProtocolStatus": "up" if link["linkStatus"] == "connected" else "down",
            "hardware": "ethernet",
            "bandwidth": link["bandwidth"],
            "mtu": policy.mtu_bytes(store, port),
        }
    return {"interfaces": shown}


def flow_control(store: Store) -> Json:
    """``show interfaces flow-control``: 802.3x pause."""
    shown = {}
    for port in store["ports"]:
        own = policy.own_lines(store, port)
        modes = {word: own.get(f"flowcontrol {word}", "off").rsplit(" ", 1)[-1] for word in ("send", "receive")}
        shown[port] = {
            "txAdminState": modes["send"],
            "txOperState": modes["send"],
            "rxAdminState": modes["receive"],
            "rxOperState": modes["receive"],
            "txPause": 0,
            "rxPause": 0,
        }
    return {"interfaceFlowControls": shown}


def lldp_neighbors(store: Store) -> Json:
    """``show lldp neighbors``: who is cabled to each port that is up and listens."""
    rows = []
    for port, facts in store["ports"].items():
        silent = policy.own_lines(store, port).get("lldp receive") == "no lldp receive"
        if policy.link(store, port)["linkStatus"] != "connected" or silent:
            continue
        rows.append(
            {
                "port": port,
                "neighborDevice": facts["peer_device"],
                "neighborPort": facts["peer_port"],
                "ttl": 120,
            }
        )
    return {
        "tablesLastChangeTime": 0.0,
        "tablesAgeOuts": 0,
        "tablesInserts": len(rows),
        "tablesDeletes": 0,
        "tablesDrops": 0,
        "lldpNeighbors": rows,
    }


def pfc_counters(store: Store) -> Json:
    """``show priority-flow-control counters``."""
    frames = {port: facts["pfc_frames"] for port, facts in store["ports"].items()}
    return {
        "interfaceCounters": {
            port: {"rxFrames": count["rx"], "txFrames": count["tx"]} for port, count in frames.items()
        }
    }


def ecn_counters(store: Store) -> Json:
    """``show qos interfaces ecn counters queue``: text counts, "-" where a queue isn't counted."""
    shown: Json = {}
    for port, facts in store["ports"].items():
        counted = policy.counted_queues(store, port)
        shown[port] = {
            "queueCounters": {
                str(queue): str(facts["ecn_marked"].get(str(queue), 0)) if str(queue) in counted else "-"
                for queue in range(8)
            }
        }
    return {"intfQueueCounters": shown}


def configuration_sessions(store: Store) -> Json:
    """``show configuration sessions``; from 4.32 on a pending timer is told at the top (napalm issue 2166)."""
    shown: Json = {"sessions": store["sessions"], "maxSavedSessions": 1, "maxOpenSessions": 5}
    timer = store.get("commit_timer")
    if timer and release_number(store["release"]) >= (4, 32):
        shown |= {"commitTimerSessionName": timer["session"], "commitTimerExpireTime": timer["expires"]}
    return shown


def queue_counters(store: Store) -> Json:
    """``show interfaces counters queue detail``: packets dropped per unicast traffic class."""
    shown = {}
    for port, facts in store["ports"].items():
        drops = facts.get("drops", {})
        classes = {
            f"TC{tc}": {"dropPrecedences": {"DP0": {"droppedPackets": drops.get(str(tc), 0), "droppedBytes": 0}}}
            for tc in range(8)
        }
        shown[port] = {"ucastQueues": {"trafficClasses": classes}, "mcastQueues": {"trafficClasses": {}}}
    return {"egressQueueCounters": {"interfaces": shown}}


def bgp_summary(store: Store) -> Json:
    """``show ip bgp summary vrf all``: neighbours on the far end of a port that is up are established."""
    sections = store["running"]["sections"]
    bgp = next((header for header in sections if header.startswith("router bgp ")), None)
    if bgp is None:
        return {"vrfs": {}}
    asn = bgp.removeprefix("router bgp ")
    neighbours = (NEIGHBOUR.fullmatch(line) for line in sections[bgp]["lines"].values())
    near = {address: port for port in store["ports"] if (address := _far_address(store, port))}
    peers = {
        found[1]: {"peerState": _bgp_state(store, near.get(found[1])), "peerAsn": found[2], "underMaintenance": False}
        for found in neighbours
        if found
    }
    return {"vrfs": {"default": {"vrf": "default", "routerId": "192.0.2.1", "asn": asn, "peers": peers}}}


NEIGHBOUR = re.compile(r"neighbor ([0-9.]{7,15}) remote-as (\d{1,10})", re.ASCII)
PAIR = re.compile(r"ip address (\d+\.\d+\.\d+\.)(\d+)/31", re.ASCII)


def _far_address(store: Store, port: str) -> str:
    """The other address of the /31 of a port."""
    pair = PAIR.fullmatch(policy.own_lines(store, port).get("ip address", ""))
    return f"{pair[1]}{int(pair[2]) ^ 1}" if pair else ""


def _bgp_state(store: Store, port: str | None) -> str:
    is_up = port is not None and policy.link(store, port)["linkStatus"] == "connected"
    return "Established" if is_up else "Active"


def running_config(store: Store) -> Json:
    """``show running-config``."""
    return as_json(store["running"], store["release"])


JSON_COMMANDS: dict[str, Callable[[Store], Json]] = {
    "show hostname": hostname,
    "show version": version,
    "show interfaces status": interfaces_status,
    "show interfaces": interfaces,
    "show interfaces flow-control": flow_control,
    "show lldp neighbors": lldp_neighbors,
    "show priority-flow-control counters": pfc_counters,
    "show qos interfaces ecn counters queue": ecn_counters,
    "show configuration sessions": configuration_sessions,
    "show interfaces counters queue detail": queue_counters,
    "show ip bgp summary vrf all": bgp_summary,
    "show running-config": running_config,
}
