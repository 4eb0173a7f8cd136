#!/usr/bin/env python3
"""Changes the files of an SM node so that they can always be put back. Self-contained; runs as root on the node.

``ib_change.py VERB RUN``: begin (lock), stage (files as JSON on standard input), rehearse (what commit and undo would
do), arm SECONDS (undo by itself unless confirmed), commit, undo, confirm, tidy, status. Every verb may be repeated.
A file is replaced by write, fsync, rename and fsync of its folder: a reader sees the old one or the new one.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HOME = Path("/var/lib/fabric_drift")
TARGET = Path("/etc/opensm")
LOG = Path("/var/log/opensm.log")
UFM = Path("/opt/ufm/files/conf/opensm/opensm.conf")
GUIDS = ("root_guids.conf", "cn_guids.conf", "io_guids.conf")
NAMES = ("opensm.conf", "partitions.conf", "qos-policy.conf", *GUIDS)
ACTIONS = ("none", "reload", "restart")
RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
PLACEHOLDER = re.compile(r"^(m_key|sm_key|sa_key|cc_key) @\1@$", re.MULTILINE)
SWEEP_S = 120


class Refused(Exception):
    """The verb is refused; nothing was changed by it."""


def write(path: Any, data: Any) -> Any:
    """Atomic and durable."""
    temporary = path.with_name(f".{path.name}.fabric_drift")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        shutil.copymode(path, temporary)
    temporary.rename(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


class Change:
    """One run on this node. What it is about to do is on disk before it is done."""

    def __init__(self, run: Any) -> None:
        if not RUN.fullmatch(run):
            raise Refused(f"{run!r} is no run id")
        self.run, self.folder = run, HOME / f"run-{run}"
        self.lock = HOME / "lock"

    def meta(self) -> Any:
        """What was staged, and how far it went."""
        try:
            return json.loads((self.folder / "meta.json").read_text())
        except FileNotFoundError:
            raise Refused(f"run {self.run} has staged nothing here") from None

    def note(self, **facts: Any) -> Any:
        """Adds to it."""
        write(self.folder / "meta.json", json.dumps({**self.meta(), **facts}, sort_keys=True).encode())

    def holder(self) -> Any:
        """The run that has the lock, or None."""
        try:
            return self.lock.read_text().strip()
        except FileNotFoundError:
            return None

    def own(self) -> Any:
        """Refuses unless this run has the lock."""
        if self.holder() != self.run:
            raise Refused(f"run {self.run} doesn't hold the lock (held by {self.holder() or 'nobody'})")

    def begin(self) -> Any:
        """Takes the lock, which outlives everybody who asked for it."""
        if UFM.exists():
            raise Refused("UFM owns the files of this node: change partitions through UFM")
        HOME.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(self.lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            self.own()
        else:
            os.write(descriptor, self.run.encode())
            os.close(descriptor)
        return "locked"

    def stage(self) -> Any:
        """Keeps the files as they are, and those that shall be."""
        self.own()
        if (self.folder / "meta.json").exists() and self.meta()["state"] != "staged":
            raise Refused(f"run {self.run} is {self.meta()['state']} already")
        try:
            wanted = json.load(sys.stdin)
            files, action = wanted["files"], wanted["action"]
            known = action in ACTIONS and files and all(n in NAMES and isinstance(t, str) for n, t in files.items())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Refused(f"what was staged is not understood ({type(error).__name__})") from None
        if not known:
            raise Refused("what was staged isn't files of OpenSM and one of none, reload, restart")
        for part in ("before", "after"):
            shutil.rmtree(self.folder / part, ignore_errors=True)
            (self.folder / part).mkdir(parents=True, mode=0o700)
        for name, text in sorted(files.items()):
            if (TARGET / name).exists():
                write(self.folder / "before" / name, (TARGET / name).read_bytes())
            write(self.folder / "after" / name, self.with_keys(text).encode())
        meta = {"state": "staged", "action": action, "files": sorted(files)}
        write(self.folder / "meta.json", json.dumps(meta, sort_keys=True).encode())
        return f"staged {', '.join(sorted(files))}"

    def with_keys(self, text: Any) -> Any:
        """Keys never travel: a placeholder takes the value that the node has, or that the vault's role put beside."""
        current = ""
        for source in (HOME / "keys.conf", TARGET / "opensm.conf"):
            current += source.read_text() + "\n" if source.exists() else ""

        def value(found: Any) -> Any:
            known = re.search(rf"^{found[1]} +(\S+)", current, re.MULTILINE)
            if not known:
                raise Refused(f"{found[1]} is asked for, and {HOME}/keys.conf doesn't have it")
            return f"{found[1]} {known[1]}"

        return PLACEHOLDER.sub(value, text)

    def rehearse(self) -> Any:
        """Both ways, on paper; refuses where the files changed since they were kept."""
        self.own()
        meta = self.meta()
        lines: list[str] = []
        for name in meta["files"]:
            before, after = self.text("before", name), self.text("after", name)
            if (TARGET / name).exists() != (self.folder / "before" / name).exists() or (
                before is not None and (TARGET / name).read_text(errors="replace") != before
            ):
                raise Refused(f"{name} was changed by somebody else since it was staged")
            lines += difflib.unified_diff(
                (before or "").splitlines(), (after or "").splitlines(), name, name, "", "", 1, ""
            )
            lines.append(f"undo: {name} {'comes back' if before is not None else 'is removed'}, then {meta['action']}")
        return "\n".join(re.sub(r"^([ +-]?(?:m|sm|sa|cc)_key ).*", r"\1***", line) for line in lines)

    def text(self, part: Any, name: Any) -> Any:
        """A kept file, or None where there was none."""
        path = self.folder / part / name
        return path.read_text(errors="replace") if path.exists() else None

    def arm(self, seconds: Any) -> Any:
        """A timer of the system: it survives whoever asked for it."""
        self.own()
        self.meta()
        undo = [sys.executable, os.path.abspath(__file__), "undo", self.run]  # noqa: PTH100
        unit = f"--unit=fabric-drift-undo-{self.run}"
        subprocess.run(["systemd-run", "--quiet", unit, f"--on-active={int(seconds)}", *undo], check=True)  # noqa: S603, S607
        self.note(armed=True)
        return f"undone in {int(seconds)} s unless confirmed"

    def disarm(self) -> Any:
        """Stops the timer; one that isn't there is fine."""
        unit = f"fabric-drift-undo-{self.run}.timer"
        subprocess.run(["systemctl", "stop", unit], check=False, capture_output=True)  # noqa: S603, S607

    def commit(self) -> Any:
        """The new files, all of them, then one reload or restart."""
        self.own()
        meta = self.meta()
        if meta["state"] == "committed":
            return "committed before"
        if meta["state"] != "staged" or not meta.get("armed"):
            raise Refused(f"run {self.run} is {meta['state']}, not armed")
        self.note(state="committing")
        for name in meta["files"]:
            write(TARGET / name, (self.folder / "after" / name).read_bytes())
        said = self.activate(meta["action"])
        self.note(state="committed")
        return said

    def undo(self) -> Any:
        """The files as they were, and the same reload or restart. Refused after confirm."""
        meta = self.meta()
        if meta["state"] in ("confirmed", "undone"):
            self.disarm()
            return f"{meta['state']} before: nothing to undo"
        self.own()
        if meta["state"] != "staged":
            self.note(state="undoing")
            for name in meta["files"]:
                kept = self.folder / "before" / name
                if kept.exists():
                    write(TARGET / name, kept.read_bytes())
                else:
                    (TARGET / name).unlink(missing_ok=True)
            self.activate(meta["action"])
        self.note(state="undone")
        self.release()
        return "files are as they were; P_Key indexes that moved stay where they are now"

    def confirm(self) -> Any:
        """The change stays."""
        if self.meta()["state"] == "confirmed":
            return "confirmed before"
        self.own()
        if self.meta()["state"] != "committed":
            raise Refused(f"run {self.run} is {self.meta()['state']}, not committed")
        self.note(state="confirmed")
        self.release()
        return "confirmed"

    def tidy(self) -> Any:
        """Nothing was changed: lets go. Refused once something was."""
        if self.holder() not in (None, self.run):
            return "another run holds the lock: left alone"
        if (self.folder / "meta.json").exists() and self.meta()["state"] in ("committing", "committed", "undoing"):
            raise Refused(f"run {self.run} is {self.meta()['state']}: undo or confirm it")
        self.release()
        return "tidied"

    def release(self) -> Any:
        """Timer off, lock gone."""
        self.disarm()
        if self.holder() == self.run:
            self.lock.unlink(missing_ok=True)

    def activate(self, action: Any) -> Any:
        """Lets OpenSM take the files, and waits until a master has swept."""
        if action == "none":
            return "nothing to activate"
        since = LOG.stat().st_size if LOG.exists() else 0
        verb = action if self.systemctl("is-active").returncode == 0 else "start"
        done = self.systemctl(verb)
        if done.returncode:
            raise Refused(f"systemctl {verb} opensm failed: {done.stderr.decode(errors='replace').strip()[:200]}")
        deadline = time.monotonic() + SWEEP_S
        while time.monotonic() < deadline:
            new = self.log_since(since)
            if "SUBNET UP" in new or "Entering STANDBY" in new:
                return f"{verb}: {'SUBNET UP' if 'SUBNET UP' in new else 'standby'}"
            if verb == "reload" and "STANDBY" in self.last_role():
                return "reload: standby"
            time.sleep(0.1)
        raise Refused(f"OpenSM did not finish a sweep within {SWEEP_S} s after {verb}")

    def last_role(self) -> Any:
        """The last line of the log that tells this manager's role."""
        roles = re.findall(r"Entering (?:STANDBY|MASTER|DISCOVERING|NOT-ACTIVE) state", self.log_since(0))
        return roles[-1] if roles else ""

    @staticmethod
    def log_since(position: Any) -> Any:
        """The log, from there on; all of it where it was cut in between."""
        if not LOG.exists():
            return ""
        with LOG.open("rb") as file:
            file.seek(position if position <= LOG.stat().st_size else 0)
            return file.read().decode(errors="replace")

    @staticmethod
    def systemctl(verb: Any) -> Any:
        """Of the unit opensm."""
        return subprocess.run(["systemctl", verb, "opensm"], capture_output=True, check=False)  # noqa: S603, S607


VERBS = ("begin", "stage", "rehearse", "arm", "commit", "undo", "confirm", "tidy")


def main(arguments: Any) -> Any:
    """One verb. Exit status 1: refused, with the reason; 2: not understood."""
    if len(arguments) < 2 or arguments[0] not in VERBS:  # noqa: PLR2004
        sys.stderr.write(f"ib_change: one of {', '.join(VERBS)}, and a run id\n")
        return 2
    try:
        change = Change(arguments[1])
        sys.stdout.write(f"{getattr(change, arguments[0])(*arguments[2:3])}\n")
    except (Refused, OSError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"ib_change: {arguments[0]} refused: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
