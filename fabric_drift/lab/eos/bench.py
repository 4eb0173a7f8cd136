"""What hands and time do to the hardware itself: recable a port, make a value stick, fill the flash, pull the plug.

No device has these commands.
"""

from __future__ import annotations

import re
from copy import deepcopy

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.eos import links, sessions

NUMBERS = ("bandwidth", "mtu")
CLASS = re.compile(r"[0-7]", re.ASCII)
NUMBER = re.compile(r"\d{1,15}", re.ASCII)


def run(store: Store, words: str) -> Answer:
    """``lab cable PORT DEVICE PEER_PORT``, ``lab stuck PORT FACT VALUE``, ``lab unstick PORT``; ``_event``."""
    match words.split():
        case ["lab", "cable", port, device, peer] if port in store["ports"]:
            store["ports"][port] |= {"peer_device": device, "peer_port": peer}
        case ["lab", "stuck", port, fact, value] if (
            port in store["ports"] and fact in NUMBERS and NUMBER.fullmatch(value)
        ):
            store["stuck"].setdefault(f"ports/{port}", {})[fact] = int(value)
        case ["lab", "stuck", port, "linkStatus", value] if port in store["ports"]:
            store["stuck"].setdefault(f"ports/{port}", {})["linkStatus"] = value
        case ["lab", "unstick", port]:
            store["stuck"].pop(f"ports/{port}", None)
        case _ if not _event(store, words):
            return Answer(f"% lab: don't know how to: {words}\n", exit_status=1)
    return Answer()


def _event(store: Store, words: str) -> bool:
    """``lab drop PORT CLASS PACKETS``, ``lab flash full|free``, ``lab on-commit ...``, ``lab reboot``; else False."""
    match words.split():
        case ["lab", "drop", port, traffic_class, packets] if (
            port in store["ports"] and CLASS.fullmatch(traffic_class) and NUMBER.fullmatch(packets)
        ):
            drops = store["ports"][port].setdefault("drops", {})
            drops[traffic_class] = drops.get(traffic_class, 0) + int(packets)
        case ["lab", "flash", ("full" | "free") as state]:
            store["flash_full"] = state == "full"
        case ["lab", "on-commit", *rest] if rest:
            store.setdefault("on_commit", []).append(" ".join(["lab", *rest]))
        case ["lab", "reboot"]:
            reboot(store)
        case ["lab", "commit-timer-expired"]:
            sessions.expire(store)
        case _:
            return False
    return True


def after_commit(store: Store) -> None:
    """What was put off with ``lab on-commit``: what goes wrong only once a change is there."""
    for words in store.pop("on_commit", []):
        run(store, words)


def reboot(store: Store) -> None:
    """Comes up with the startup configuration; sessions and their timers are gone."""
    sessions.forget_all(store)
    links.replace_running(store, deepcopy(store["startup"]))
