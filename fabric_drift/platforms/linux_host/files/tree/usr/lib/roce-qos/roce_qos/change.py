"""A change of several NICs and files that is undone unless it is confirmed, even by a reboot.

    roce-qos change begin RUN       take the lock, which outlives this process and a reboot
    roce-qos change stage RUN       from lines on stdin: new files beside the old ones and the settings now
    roce-qos change rehearse RUN    what the change would write, and what undoing it would
    roce-qos change arm RUN SECONDS undo by a systemd timer, unless confirmed before
    roce-qos change commit RUN      asks the gate; then files, then settings, all NICs in one go
    roce-qos change confirm RUN     it stays; gives the lock back
    roce-qos change undo RUN        old files, old settings; gives the lock back. RUN "-": whatever is pending
    roce-qos change tidy RUN        gives the lock back where nothing was committed

Lines: "PCI KEY=VALUE", or "nccl.conf NAME=VALUE", "nccl.conf -NAME" (also ucx.conf).
A RUN that is no longer pending is nothing to undo, so a timer that fires late does no harm.
"""

from __future__ import annotations

import re

from roce_qos.conf import KEYS, parse, written
from roce_qos.host import CONF, STATE, Failed, Host
from roce_qos.nic import PCI
from roce_qos.run import rehearse, require_leave, set_all, snapshot
from roce_qos.settings import complete, find

FOLDER = f"{STATE}/change"
LAST = f"{STATE}/last-change"
JOB_FILES = {"nccl.conf": "/etc/nccl.conf", "ucx.conf": "/etc/ucx/ucx.conf"}
HEAD = "RoCE settings of NIC {}, rendered by fabric_drift. Changes made here are drift."
RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LINE = re.compile(r"(\S+) (?:([A-Za-z0-9_]+)=([\x20-\x7e]+)|-([A-Za-z0-9_]+))")
BUSY = 4


def main(words: list[str], host: Host) -> int:
    """One verb of one run. Raises Failed."""
    verb, run, *more = (*words, "", "")
    fits = len(words) == 2 + (verb == "arm") and (RUN.fullmatch(run) or (verb == "undo" and run == "-"))
    if verb not in (*VERBS, "arm") or not fits:
        raise Failed((__doc__ or "").strip(), 2)
    host.lock()
    if verb == "arm":
        arm(host, run, more[0])
    else:
        VERBS[verb](host, run)
    return 0


def begin(host: Host, run: str) -> None:
    """Raises Failed (4) while another run is pending."""
    owner = pending(host)
    if owner not in ("", run):
        raise Failed(f"the change {owner} is pending: confirm or undo it first", BUSY)
    if not owner:
        _clear(host)
        host.save(f"{FOLDER}/run", run)


def pending(host: Host) -> str:
    """The run that is pending, or ""."""
    return (host.read(f"{FOLDER}/run") or "").strip()


def _own(host: Host, run: str, *statuses: str) -> None:
    if pending(host) != run:
        last = (host.read(LAST) or "").strip()
        raise Failed(f"the change {run} isn't pending{f' ({last})' if last.startswith(f'{run} ') else ''}")
    status = host.read(f"{FOLDER}/status") or "begun"
    if status not in statuses:
        raise Failed(f"the change {run} is {status}")


def stage(host: Host, run: str) -> None:
    """Nothing outside of our own folder is touched."""
    _own(host, run, "begun", "staged")
    new = _new_files(host, host.stdin())
    for name, text in new.items():
        old = host.read(path_of(name))
        host.save(f"{FOLDER}/new/{name}", text)
        if old is not None:
            host.save(f"{FOLDER}/old/{name}", old)
        if name not in JOB_FILES:
            host.save(f"{FOLDER}/state/{name}", snapshot(find(host, name[:-5])))
    if not host.has_folder(CONF):
        host.save(f"{FOLDER}/no-folder", "")
    host.save(f"{FOLDER}/status", "staged")


def path_of(name: str) -> str:
    """Where a file belongs."""
    return JOB_FILES.get(name, f"{CONF}/{name}")


def _new_files(host: Host, text: str) -> dict[str, str]:
    """Name -> text. Raises Failed (2) for a line that isn't one, or a file that can't be read."""
    edits: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        place, name = (match[1], match[2] or match[4]) if match else ("", "")
        known = place in JOB_FILES or (PCI.fullmatch(place) and match and match[2] in KEYS)
        if not match or not known or name in edits.get(place, {}):
            raise Failed(f"not a line of a change, or a second one: {line[:200]}", 2)
        edits.setdefault(place, {})[name] = match[3] or ""
    if not edits:
        raise Failed("an empty change", 2)
    made = {}
    for place, values in sorted(edits.items()):
        if place in JOB_FILES:
            made[place] = _edited(host.read(path_of(place)) or "", values)
        else:
            made[f"{place}.conf"] = _merged(host, place, values)
    return made


def _merged(host: Host, pci: str, values: dict[str, str]) -> str:
    path = f"{CONF}/{pci}.conf"
    kept = dict(line.split("=", 1) for line in (host.read(path) or "").split("\n") if "=" in line and line[0] != "#")
    if kept:
        parse(host.read(path) or "", path)
    if values.get("trust") == "pcp":
        kept.pop("dscp_to_priority", None)
    text = written({**kept, **values}, HEAD.format(pci))
    parse(text, path)
    return text


def _edited(text: str, values: dict[str, str]) -> str:
    """Only the lines of these names differ; an empty value takes the line away."""
    lines = [line for line in text.splitlines() if line.partition("=")[0].strip() not in values]
    lines += [f"{name}={value}" for name, value in sorted(values.items()) if value]
    return "".join(f"{line}\n" for line in lines)


def _settings(host: Host, folder: str) -> list[tuple]:  # type: ignore[type-arg]  # Python 3.8
    names = [name for name in host.names(f"{FOLDER}/{folder}") if name not in JOB_FILES]
    texts = [(name, host.read(f"{FOLDER}/{folder}/{name}") or "") for name in names]
    found = [(find(host, name[:-5]), parse(text, name)) for name, text in texts]
    return [(nic, complete(values) if folder == "new" else values) for nic, values in found]


def rehearse_both(host: Host, run: str) -> None:
    """Nothing is written. The undo is read as it would be then, so a file that can't be read shows now."""
    _own(host, run, "staged")
    host.say("change:")
    rehearse(host, _settings(host, "new"))
    host.say("undo:")
    before = {nic.pci: values for nic, values in _settings(host, "state")}
    for nic, values in _settings(host, "new"):
        back = {key: before[nic.pci].get(key, "unknown") for key, value in values.items()}
        for key, value in sorted(back.items()):
            if value != values[key]:
                host.say(f"{nic.name} {key}: {values[key]} -> {value}")


def arm(host: Host, run: str, seconds: str) -> None:
    """Raises Failed where systemd doesn't take the timer."""
    _own(host, run, "staged")
    if not re.fullmatch(r"[1-9][0-9]{1,5}", seconds):
        raise Failed(f"{seconds!r}: seconds, from 10 on", 2)
    timer = ["systemd-run", "--quiet", f"--unit=roce-qos-undo-{run}", f"--on-active={seconds}"]
    status, out, err = host.run([*timer, "/usr/sbin/roce-qos", "change", "undo", run])
    if status:
        raise Failed(f"no timer: systemd-run ended with {status}: {(err or out).strip()[:200]}")


def commit(host: Host, run: str) -> None:
    """Raises Failed (4) with nothing written where links may go down and the host isn't drained."""
    _own(host, run, "staged")
    settings = _settings(host, "new")
    may_flap = require_leave(host, settings, at_start=False)
    host.save(f"{FOLDER}/status", "committed")
    for name in host.names(f"{FOLDER}/new"):
        host.save(path_of(name), host.read(f"{FOLDER}/new/{name}") or "")
    failures = set_all(settings, may_flap=may_flap)
    if failures:
        raise Failed("\n".join(failures.values()))


def confirm(host: Host, run: str) -> None:
    """Again is fine; too late, after an undo, isn't."""
    if pending(host) != run and (host.read(LAST) or "") == f"{run} confirmed":
        return
    _own(host, run, "committed")
    for name in host.names(f"{FOLDER}/new"):
        if name not in JOB_FILES:  # so that `roce-qos undo PCI` doesn't go back to before this change
            host.save(f"{STATE}/{name[:-5]}.applied", host.read(path_of(name)) or "")
    _end(host, run, "confirmed")


def undo(host: Host, run: str) -> None:
    """Everything is tried; what failed is told, and then the change stays pending."""
    run = pending(host) if run == "-" else run
    if not run or pending(host) != run:
        host.say("nothing is pending" if not run else f"the change {run} isn't pending")
        return
    failures = []
    if host.read(f"{FOLDER}/status") == "committed":
        failures = _bring_back(host)
    if failures:
        raise Failed("\n".join(["undo is incomplete:", *failures]))
    _end(host, run, "undone")


def _bring_back(host: Host) -> list[str]:
    failures = []
    old = host.names(f"{FOLDER}/old")
    for name in host.names(f"{FOLDER}/new"):
        try:
            if name in old:
                host.save(path_of(name), host.read(f"{FOLDER}/old/{name}") or "")
            else:
                host.remove(path_of(name))
            host.remove(f"{path_of(name)}.new")  # of a write that was cut off
        except OSError as error:
            failures.append(f"{path_of(name)}: {error}")
    if host.read(f"{FOLDER}/no-folder") is not None and not host.names(CONF) and host.has_folder(CONF):
        host.unmake(CONF)
    plans = []
    for name in host.names(f"{FOLDER}/state"):
        try:
            plans.append((find(host, name[:-5]), parse(host.read(f"{FOLDER}/state/{name}") or "", name)))
        except (Failed, OSError) as error:
            failures.append(str(error))
    failures += set_all(plans, may_flap=True).values()
    return failures


def tidy(host: Host, run: str) -> None:
    """Raises Failed where something was committed: that has to be confirmed or undone."""
    if pending(host) == run:
        _own(host, run, "begun", "staged")
        _end(host, run, "given up")


def _end(host: Host, run: str, how: str) -> None:
    host.save(LAST, f"{run} {how}")
    _clear(host)
    host.run(["systemctl", "stop", f"roce-qos-undo-{run}.timer"])  # not there any more: nothing is pending, so fine


def _clear(host: Host) -> None:
    """Our folder goes; the name of the run first, which is the lock."""
    host.remove(f"{FOLDER}/run")
    for folder in ("new", "old", "state"):
        for name in host.names(f"{FOLDER}/{folder}"):
            host.remove(f"{FOLDER}/{folder}/{name}")
    for name in ("status", "no-folder"):
        host.remove(f"{FOLDER}/{name}")


VERBS = {
    "begin": begin,
    "stage": stage,
    "rehearse": rehearse_both,
    "commit": commit,
    "confirm": confirm,
    "undo": undo,
    "tidy": tidy,
}
