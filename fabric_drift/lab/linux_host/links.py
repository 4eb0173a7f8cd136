"""A host's ends of its links: what its neighbours are told of them (``fabric_drift.lab.links``), and tell it."""

from __future__ import annotations

from fabric_drift.lab.emulator import Store


def follow_neighbours(store: Store) -> None:
    """NICs whose other end is down get no light."""
    down = store.get("peer_down", ())
    for pci, nic in store["nics"].items():
        if pci in down:
            nic["is_dark"] = True
        else:
            nic.pop("is_dark", None)


def tell_neighbours(store: Store) -> None:
    """NICs that are switched off here."""
    down = [pci for pci, nic in store["nics"].items() if not nic["admin_up"]]
    if down != store.get("link_down", []):
        store["link_down"] = down
