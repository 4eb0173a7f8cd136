"""What a host's NICs and job files would have to be told: one item per key that the running or saved layer lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fabric_drift.change import Refusal
from fabric_drift.finding import Layer
from fabric_drift.platform import Reading
from fabric_drift.platforms.linux_host.conf import KEYS, Key
from fabric_drift.platforms.linux_host.render import JOB_FILES
from fabric_drift.platforms.linux_host.saved import FOLDER, NO_FOLDER, PARTS
from fabric_drift.platforms.linux_host.sysfs import FOLDER_CLOSED
from fabric_drift.state.device import DeviceState
from fabric_drift.state.tree import is_subtree
from fabric_drift.state.values import ABSENT, UNSAID, NotApplicable, Path, Unobserved

UNSEEN = "not seen"
OTHER_WRITERS = ("lldpad", "networkmanager")


@dataclass(frozen=True, slots=True)
class Item:
    """One key of one place: a NIC, or a job file. ``now`` is "" where nothing can be said to go back to."""

    place: str
    name: str
    path: Path
    wanted: Any
    now: Any
    text: str
    """Value as the file has it; "" takes a line of a job file away."""
    now_text: str
    runs: bool
    """Whether the NIC itself has to change, not only the file of the next boot."""


def differing(reading: Reading, expected: DeviceState) -> tuple[list[Item], list[Refusal]]:
    """Items in the order of NICs and keys, and what can't be told."""
    items: list[Item] = []
    refusals: dict[Path, Refusal] = {}
    ports: Any = expected.ports if is_subtree(expected.ports) else {}
    for pci, port in sorted(ports.items()):
        for found in _of_nic(reading, pci, port):
            if isinstance(found, Item):
                items.append(found)
            else:
                refusals.setdefault(found.path, found)
    for found in _of_jobs(reading, expected.job):
        if isinstance(found, Item):
            items.append(found)
        else:
            refusals.setdefault(found.path, found)
    return items, list(refusals.values())


def _of_nic(reading: Reading, pci: str, port: Any) -> Iterator[Item | Refusal]:
    wanted = {key.name: value for key in KEYS if (value := _wanted(port, key)) is not UNSAID}
    if not wanted:
        return
    running, _ = found_at(reading.states[Layer.RUNNING], ("ports", pci))
    if not is_subtree(running):
        yield Refusal(("ports", pci), _why(running, "the host has no such NIC"), "Check the PCI address, or the driver")
        return
    owner, _ = found_at(running, ("nic", "dcb_owner"))
    if owner in OTHER_WRITERS:
        remedy = "Stop it for this NIC (systemctl disable --now lldpad; dcb settings of NetworkManager)"
        yield Refusal(("ports", pci, "nic", "dcb_owner"), f"{owner} writes the same registers", remedy)
        return
    for key in KEYS:
        if key.name in wanted:
            yield from _of_key(reading, pci, key, wanted[key.name])


def _wanted(port: Any, key: Key) -> Any:
    """Expected value; UNSAID where nothing is to be written."""
    value, _ = found_at(port, (*PARTS[key.part], key.field))
    if value is ABSENT and key.name == "traffic_class":
        return value
    return UNSAID if value is ABSENT or isinstance(value, NotApplicable | Unobserved) else value


def _of_key(reading: Reading, pci: str, key: Key, wanted: Any) -> Iterator[Item | Refusal]:
    path = ("ports", pci, *PARTS[key.part], key.field)
    now, where = found_at(reading.states[Layer.RUNNING], path)
    saved, saved_at = found_at(reading.states[Layer.SAVED], path)
    closed = isinstance(now, Unobserved) and now.reason.startswith(FOLDER_CLOSED)
    if now is UNSAID or (_has_unseen(now) and not closed):
        otherwise = "the host doesn't show it" if now is UNSAID else "the APP table contradicts itself"
        yield Refusal(where, _why(now, otherwise), "Make it readable, then preview again")
        return
    if _has_unseen(saved) and not (isinstance(saved, Unobserved) and saved.reason.startswith(NO_FOLDER)):
        yield Refusal(saved_at, f"{FOLDER}/{pci}.conf: {_why(saved, '')}", "Repair that file or remove it")
        return
    if now == wanted and saved == wanted:
        return
    if key.name == "fec" and wanted == "auto" and now != wanted:
        yield Refusal(path, "the host shows the encoding in use, not who chose it", "Write the encoding itself: rs")
        return
    doubts = (line for line in reading.unparsed if line.layer in (Layer.RUNNING, Layer.SAVED))
    unclear = next((line for line in doubts if line.path == path[: len(line.path)]), None)
    if unclear:
        said = f"{unclear.line.strip()[:80]!r} of `{unclear.command[:60]}` isn't understood: {unclear.reason}"
        yield Refusal(unclear.path, said, "Look at it on the host, then preview again")
        return
    text, now_text = _text(key, wanted), UNSEEN if closed else _text(key, now)
    yield Item(pci, key.name, path, wanted, now, text, now_text, runs=now != wanted)


def _text(key: Key, value: Any) -> str:
    return "none" if value is ABSENT else key.write(value)


def _of_jobs(reading: Reading, wanted: Any) -> Iterator[Item | Refusal]:
    if not is_subtree(wanted):
        return
    now, _ = found_at(reading.states[Layer.SAVED], ("job",))
    if not is_subtree(now):
        remedy = "Make /etc/nccl.conf and /etc/ucx/ucx.conf readable"
        yield Refusal(("job",), _why(now, "job files aren't read"), remedy)
        return
    for name in sorted({*wanted, *now}):
        place = next((file for prefix, file in JOB_FILES.items() if name.startswith(prefix)), "")
        old, new = now.get(name, ABSENT), wanted.get(name, ABSENT)
        if isinstance(old, Unobserved):
            yield Refusal(("job", name), old.reason, "Leave one line for it")
        elif old != new and place:
            texts = ["" if value is ABSENT else str(value) for value in (new, old)]
            yield Item(place, name, ("job", name), new, old, texts[0], texts[1], runs=False)


def found_at(value: Any, path: Path) -> tuple[Any, Path]:
    """The fact at ``path``, or what stands above it in its place, and where that is."""
    for depth, name in enumerate(path):
        if not is_subtree(value):
            return value, path[:depth]
        value = value.get(name, ABSENT) if isinstance(value, Mapping) else getattr(value, name)
    return value, path


def _has_unseen(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(isinstance(item, Unobserved) for item in value.values())
    return isinstance(value, Unobserved)


def _why(value: Any, otherwise: str) -> str:
    return value.reason if isinstance(value, Unobserved) else otherwise
