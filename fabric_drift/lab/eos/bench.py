"""What hands do to the hardware itself: recable a port, make a value stick. No device has these commands."""

from __future__ import annotations

from fabric_drift.lab.emulator import Answer, Store

STICKY = {"bandwidth": int, "mtu": int, "linkStatus": str}


def run(store: Store, words: str) -> Answer:
    """``lab cable PORT DEVICE PEER_PORT`` or ``lab stuck PORT FACT VALUE``, ``lab unstick PORT``."""
    match words.split():
        case ["lab", "cable", port, device, peer] if port in store["ports"]:
            store["ports"][port] |= {"peer_device": device, "peer_port": peer}
        case ["lab", "stuck", port, fact, value] if port in store["ports"] and fact in STICKY:
            store["stuck"].setdefault(f"ports/{port}", {})[fact] = STICKY[fact](value)
        case ["lab", "unstick", port]:
            store["stuck"].pop(f"ports/{port}", None)
        case _:
            return Answer(f"% lab: don't know how to: {words}\n", exit_status=1)
    return Answer()
