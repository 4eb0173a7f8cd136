"""Bad days on order: ``lab-fault NAME[:VALUE]`` makes an emulated switch fail in one way, ``lab-fault none`` ends all.

The command is the lab's own; no switch has it.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic.answers import RefusedError

KINDS = {
    "asic_stuck": "the ASIC takes no change any more, whatever the configuration says",
    "disk_full": "nothing can be written to a file",
    "drops": "drops:PORT/GROUP:N more packets of a priority group are lost at the next patch or reload",
    "no_link": "no_link:PORT stays down when it has flapped",
    "patch_fails_after": "patch_fails_after:N applies N changes of a patch, then fails",
    "storms": "storms:PORT/QUEUE:N more PFC storms are seen at the next patch or reload",
    "timer_in_patch": "timers fire while a patch is being applied",
}


def trouble(store: Store, kind: str) -> str | None:
    """The value of a fault that is set ("" where it has none), None when it isn't."""
    value: str | None = store.get("faults", {}).get(kind)
    return value


def end(store: Store, kind: str) -> None:
    """A fault that happens once has happened."""
    store.get("faults", {}).pop(kind, None)


def lab_fault(store: Store, words: Sequence[str]) -> Answer:
    """``lab-fault NAME[:VALUE]``."""
    if list(words) == ["none"]:
        store.pop("faults", None)
        return Answer("none\n")
    kind, _, value = (words[0] if words else "").partition(":")
    if kind not in KINDS:
        raise RefusedError(f"lab-fault: none of none, {', '.join(KINDS)}", 2)
    store.setdefault("faults", {})[kind] = value
    return Answer(f"{kind}: {KINDS[kind]}\n")
