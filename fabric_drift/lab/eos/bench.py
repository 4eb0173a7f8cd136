"""What hands do to the hardware itself: recable a port, make a value stick. No device has these commands."""

from __future__ import annotations

import re

from fabric_drift.lab.emulator import Answer, Store

NUMBERS = ("bandwidth", "mtu")
NUMBER = re.compile(r"\d{1,15}", re.ASCII)


def run(store: Store, words: str) -> Answer:
    """``lab cable PORT DEVICE PEER_PORT`` or ``lab stuck PORT FACT VALUE``, ``lab unstick PORT``."""
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
        case _:
            return Answer(f"% lab: don't know how to: {words}\n", exit_status=1)
    return Answer()
