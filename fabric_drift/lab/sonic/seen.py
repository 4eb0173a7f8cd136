"""What an emulated switch has counted, and its BGP sessions: the health that a change must not make worse."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic.answers import RefusedError
from fabric_drift.lab.sonic.badday import end, trouble
from fabric_drift.lab.sonic.flaps import is_up

_ONE = re.compile(r"([A-Za-z]+[0-9]+)/([0-7]):([0-9]+)")
_SWITCH = re.compile(r"(leaf|spine)[0-9]+")


def count(store: Store, kind: str, port: str, number: int) -> str:
    """``drops`` of a priority group or ``storms`` of a queue since the switch started."""
    return str(store.get("counted", {}).get(f"{kind} {port}/{number}", 0))


def suffer(store: Store) -> None:
    """What a bad day has in store for the next change happens now."""
    for kind in ("drops", "storms"):
        match = _ONE.fullmatch(trouble(store, kind) or "")
        if match:
            counted = store.setdefault("counted", {})
            key = f"{kind} {match[1]}/{match[2]}"
            counted[key] = counted.get(key, 0) + int(match[3])
            end(store, kind)


def vtysh(store: Store, words: Sequence[str]) -> Answer:
    """``vtysh -c "show bgp summary json"``: one session per link to another switch."""
    if list(words) != ["-c", "show bgp summary json"]:
        raise RefusedError("% Unknown command.")
    peers = {
        f"10.{index // 256}.{index % 256}.1": {
            "hostname": device,
            "state": "Established" if is_up(store, port) else "Active",
            "peerState": "OK",
        }
        for index, (port, (device, _)) in enumerate(store["peers"].items())
        if _SWITCH.fullmatch(device)
    }
    return Answer(json.dumps({"ipv4Unicast": {"as": 65001, "peerCount": len(peers), "peers": peers}}, indent=2) + "\n")
