"""What a new running configuration does to the links: ports whose light goes off are counted as flaps.

``store["link_down"]``: ports that are shut; ``store["peer_down"]``: ports that get no light from the other end.
"""

from __future__ import annotations

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import tree

LIGHT = ("shutdown", "speed", "error-correction encoding")
"""Settings of the serdes itself: no link outlives a change of one of them."""
LIGHT_WORDS = ("shutdown", "speed", "error-correction")


def replace_running(store: Store, root: tree.Section) -> None:
    """Puts ``root`` in place of the running configuration."""
    before = store["running"]
    store["running"] = root
    count_flaps(store, before)


def count_flaps(store: Store, before: tree.Section) -> None:
    """Adds to ``store["flaps"]`` every cabled port that lost its link on the way from ``before``."""
    flaps: dict[str, int] = store.setdefault("flaps", {})
    for port, facts in store["ports"].items():
        old = tree.find(before, [f"interface {port}"])["lines"]
        new = tree.find(store["running"], [f"interface {port}"])["lines"]
        was_up = bool(facts["peer_device"]) and "shutdown" not in old and port not in store.get("peer_down", ())
        if was_up and any(old.get(key) != new.get(key) for key in LIGHT):
            flaps[port] = flaps.get(port, 0) + 1
    store["link_down"] = [
        port for port in store["ports"] if "shutdown" in tree.find(store["running"], [f"interface {port}"])["lines"]
    ]
