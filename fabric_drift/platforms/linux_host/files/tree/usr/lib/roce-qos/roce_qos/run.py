"""check, apply and undo of NICs by their files; the settings of a NIC as a file."""

from __future__ import annotations

from roce_qos import gate
from roce_qos.conf import KEYS, parse, written
from roce_qos.host import CONF, STATE, Failed, Host
from roce_qos.nic import Nic
from roce_qos.settings import FLAPS, complete, differences, find, read, write

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
    require_leave(host, plans, at_start="--at-start" in options)
    failures = []
    for nic, path in pairs:
        try:
            _set(host, nic, path)
        except (Failed, OSError) as failure:
            failures.append(str(failure))
    if failures:
        raise Failed("\n".join(failures))
    return 0


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


def require_leave(host: Host, plans: list[tuple[Nic, dict[str, str]]], *, at_start: bool) -> None:
    """Asks once for all NICs, before the first write, and only if a link may go down. Raises Failed (4)."""
    flapping = [nic for nic, wanted in plans if FLAPS & set(differences(nic, wanted)[0])]
    if at_start:
        for nic in flapping:
            gate.require_no_queue_pairs(host, nic.rdma)
    elif flapping:
        gate.require_drained(host)


def set_and_say(nic: Nic, wanted: dict[str, str]) -> None:
    """Writes what differs and says it. Raises Failed."""
    nic.may_open = True
    for key, (now, want) in sorted(write(nic, wanted).items()):
        nic.host.say(f"{nic.name} {key}: {now} -> {want}")


def _set(host: Host, nic: Nic, path: str) -> None:
    """One NIC. The settings before the first write under a new file are kept for ``undo``."""
    text, wanted, kept = host.read(path), _wanted(host, path), f"{STATE}/{nic.pci}"
    is_new = path == f"{CONF}/{nic.pci}.conf" and text != host.read(f"{kept}.applied")
    if is_new and differences(nic, wanted)[0]:
        host.save(f"{kept}.before", snapshot(nic))
        host.save(f"{kept}.previous", host.read(f"{kept}.applied") or "")
    set_and_say(nic, wanted)
    if is_new and text is not None:
        host.save(f"{kept}.applied", text)


def undo(host: Host, name: str) -> int:
    """The file before the last new one, and the settings before it. A file that there was none before, goes."""
    nic = find(host, name)
    kept = f"{STATE}/{nic.pci}"
    before, previous = host.read(f"{kept}.before"), host.read(f"{kept}.previous")
    if before is None or previous is None:
        raise Failed(f"{nic.name}: nothing to undo", 2)
    host.lock()
    require_leave(host, [(nic, parse(before, f"{kept}.before"))], at_start=False)
    if previous:
        host.save(f"{CONF}/{nic.pci}.conf", previous)
    else:
        host.remove(f"{CONF}/{nic.pci}.conf")
    set_and_say(nic, parse(before, f"{kept}.before"))
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
