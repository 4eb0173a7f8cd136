"""The ``dcb`` command of iproute2 6.1: which object, which verb, and its errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import dcb_set, dcb_show
from fabric_drift.lab.linux_host.nic import Nic, with_dcb

OBJECTS = ("app", "buffer", "dcbx", "ets", "maxrate", "pfc")
FLAGS = frozenset({"j", "s", "N", "n", "p", "i"})

Setter = Callable[[Store, Nic, Sequence[str]], None]
SETTERS: dict[tuple[str, str], Setter] = {
    ("pfc", "set"): dcb_set.pfc,
    ("ets", "set"): dcb_set.ets,
    ("buffer", "set"): dcb_set.buffer,
    ("maxrate", "set"): dcb_set.maxrate,
    ("dcbx", "set"): dcb_set.dcbx,
    ("app", "add"): dcb_set.app_add,
    ("app", "replace"): dcb_set.app_add,
    ("app", "del"): dcb_set.app_del,
    ("app", "flush"): dcb_set.app_flush,
}


def run(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``dcb [-j] [-s] OBJECT VERB dev X ...``."""
    flags = {letter for arg in args if arg.startswith("-") for letter in arg.lstrip("-")}
    words = [arg for arg in args if not arg.startswith("-")]
    if flags == {"V"}:
        return Answer("dcb utility, iproute2-6.1.0\n")
    blank = "\n" if "j" in flags else ""
    if flags - FLAGS:
        return Answer(stderr='Option "-' + min(flags - FLAGS) + '" is unknown, try "dcb help".\n', exit_status=1)
    match words:
        case [kind, *_] if kind not in OBJECTS:
            return Answer(blank, f'Object "{kind}" is unknown\n', 1)
        case [kind, "show", "dev", netdev]:
            return _show(store, kind, netdev, flags)
        case ["app", "show", "dev", netdev, "dscp-prio"]:
            return _show(store, "app", netdev, flags)
        case [kind, verb, "dev", netdev, *rest] if (kind, verb) in SETTERS:
            return _set(store, SETTERS[kind, verb], netdev, rest, root)
        case _:
            return Answer(blank, f"Usage: dcb {words[0] if words else ''} help\n", 0)


def _show(store: Store, kind: str, netdev: str, flags: set[str]) -> Answer:
    try:
        nic = with_dcb(store, netdev)
    except OSError as error:
        return Answer("\n" if "j" in flags else "", f"Attribute read: {error.strerror}\n", 1)
    values = dcb_show.pfc(nic, statistics="s" in flags) if kind == "pfc" else dcb_show.SHOWN[kind](nic)
    return Answer(dcb_show.as_json(values) if "j" in flags else dcb_show.as_text(kind, values))


def _set(store: Store, setter: Setter, netdev: str, words: Sequence[str], root: bool) -> Answer:
    try:
        nic = with_dcb(store, netdev)
        if not root:
            return Answer(stderr="Attribute write: Operation not permitted\n", exit_status=1)
        setter(store, nic, words)
    except OSError as error:
        return Answer(stderr=f"Attribute write: {error.strerror}\n", exit_status=1)
    except ValueError as error:
        return Answer(stderr=f"{error}\n", exit_status=1)
    return Answer()
