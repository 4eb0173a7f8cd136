"""check, apply and undo of NICs by their files; the settings of a NIC as a file."""

from __future__ import annotations

from roce_qos import gate
from roce_qos.conf import KEYS, parse, written
from roce_qos.host import CONF, STATE, Failed, Host
from roce_qos.nic import Nic
from roce_qos.settings import FLAPS, complete, differences, find, read, verify, write

DIFFERS = 3


def _wanted(host: Host, path: str) -> dict[str, str]:
    text = host.read(path)
    return {} if text is None else complete(parse(text, path))


def check(host: Host, pairs: list[tuple[Nic, str]]) -> int:
    """Says what differs. Raises Failed (1) where something can't be read: that isn't fine."""
    differ = False
    problems: list[str] = []
    for nic, path in pairs:
        found, trouble = differences(nic, _wanted(host, path))
        for key, (now, want) in sorted(found.items()):
            host.say(f"{nic.name} {key}: is {now}, not {want}")
        differ, problems = differ or bool(found), [*problems, *trouble]
    if problems:
        raise Failed("\n".join(problems))
    return DIFFERS if differ else 0


def apply(host: Host, pairs: list[tuple[Nic, str]], options: dict[str, str]) -> int:
    """Puts right what differs from the files; with --check only says what it would write."""
    host.lock()
    plans = [(nic, _wanted(host, path)) for nic, path in pairs]
    if "--check" in options:
        return rehearse(host, plans)
    may_flap = require_leave(host, plans, at_start="--at-start" in options)
    files = {nic.name: host.read(path) for nic, path in pairs if path == f"{CONF}/{nic.pci}.conf"}
    for nic, wanted in plans:
        _keep(host, nic, wanted, files.get(nic.name))
    failures = set_all(plans, may_flap=may_flap)
    for nic, _ in plans:
        text = files.get(nic.name)
        if text is not None and nic.name not in failures and text != host.read(f"{STATE}/{nic.pci}.applied"):
            host.save(f"{STATE}/{nic.pci}.applied", text)
    if failures:
        raise Failed("\n".join(failures.values()))
    return 0


def _keep(host: Host, nic: Nic, wanted: dict[str, str], text: str | None) -> None:
    """Before the first write under a new file: the settings now, and the file before, for ``undo``."""
    kept = f"{STATE}/{nic.pci}"
    applied = host.read(f"{kept}.applied")
    if text not in (None, applied) and differences(nic, wanted)[0]:
        host.save(f"{kept}.before", snapshot(nic))
        host.save(f"{kept}.previous", applied or "")


def rehearse(host: Host, plans: list[tuple[Nic, dict[str, str]]]) -> int:
    """Says what would be written. Raises Failed (1) where something can't be read."""
    problems = []
    for nic, wanted in plans:
        differ, trouble = differences(nic, wanted)
        problems += trouble
        for key, (now, want) in sorted(differ.items()):
            host.say(f"{nic.name} {key}: {now} -> {want}{' (flap)' if key in FLAPS else ''}")
    if problems:
        raise Failed("\n".join(problems))
    return 0


def require_leave(host: Host, plans: list[tuple[Nic, dict[str, str]]], *, at_start: bool) -> bool:
    """Asks once for all NICs, before the first write, and only if a link may go down. Raises Failed (4).

    Returns whether links may go down: not where nobody had to ask.
    """
    flapping = [nic for nic, wanted in plans if FLAPS & set(differences(nic, wanted)[0])]
    if at_start:
        for nic in flapping:
            gate.require_no_queue_pairs(host, nic.rdma)
    elif flapping:
        gate.require_drained(host)
    return bool(flapping)


def set_all(plans: list[tuple[Nic, dict[str, str]]], *, may_flap: bool) -> dict[str, str]:
    """Writes what differs on all NICs, and only then waits for links and reads back. Returns failures by NIC."""
    failures = {}
    changed = []
    for nic, wanted in plans:
        nic.may_open = True
        changed.append(write(nic, wanted, may_flap=may_flap))
    for (nic, wanted), written_keys in zip(plans, changed):  # noqa: B905 - Python 3.8
        for key, (now, want) in sorted(written_keys.items()):
            nic.host.say(f"{nic.name} {key}: {now} -> {want}")
        try:
            verify(nic, wanted, written_keys)
        except (Failed, OSError) as failure:
            failures[nic.name] = str(failure)
    return failures


def undo(host: Host, name: str) -> int:
    """The file before the last new one, and the settings before it. A file that there was none before, goes."""
    nic = find(host, name)
    kept = f"{STATE}/{nic.pci}"
    before, previous = host.read(f"{kept}.before"), host.read(f"{kept}.previous")
    if before is None or previous is None:
        raise Failed(f"{nic.name}: nothing to undo", 2)
    host.lock()
    plans = [(nic, parse(before, f"{kept}.before"))]
    may_flap = require_leave(host, plans, at_start=False)
    if previous:
        host.save(f"{CONF}/{nic.pci}.conf", previous)
    else:
        host.remove(f"{CONF}/{nic.pci}.conf")
    failures = set_all(plans, may_flap=may_flap)
    if failures:
        raise Failed("\n".join(failures.values()))
    for end in ("before", "previous", "applied"):
        host.remove(f"{kept}.{end}")
    return 0


def snapshot(nic: Nic, *, may_open: bool = True) -> str:
    """The settings now as a file. A comment names what can't be read, which an undo can't bring back either."""
    nic.may_open, before = may_open, nic.may_open
    values, problems = read(nic, frozenset(KEYS))
    nic.may_open = before
    lines = [f"settings of {nic.name} as read", *sorted({f"not read: {why}" for why in problems.values()})]
    return written(values, "\n# ".join(lines))
