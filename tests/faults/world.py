"""A small world on disk: devices with a lock, a dead-man timer and saved configuration, links, and one clock.

Every command reads and writes the file, so a killed process leaves behind what a real one would.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fabric_drift.platform import Output

PORTS = {"Ethernet0": {"mtu": 9100, "pfc": [3]}, "Ethernet8": {"mtu": 9100, "pfc": [3]}}
LINKS = (("leaf1", "Ethernet0", "spine1", "Ethernet0"), ("leaf1", "Ethernet8", "gpu1", "Ethernet0"))
BOOT_SECONDS = 60.0


class World:
    """The devices' side of a test. Times are seconds of the world's own clock."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def fresh(cls, path: Path, *names: str) -> World:
        devices = {name: _device(name) for name in names or ("leaf1", "spine1", "gpu1")}
        world = cls(path)
        world.write({"now": 0.0, "devices": devices})
        return world

    def state(self) -> dict[str, Any]:
        return dict(json.loads(self.path.read_text()))

    def write(self, state: Mapping[str, Any]) -> None:
        self.path.write_text(json.dumps(state))

    def change(self, edit: Callable[[dict[str, Any]], None]) -> None:
        state = self.state()
        edit(state)
        self.write(state)

    def device(self, name: str) -> dict[str, Any]:
        return dict(self.state()["devices"][name])

    def edit(self, name: str, **values: Any) -> None:
        self.change(lambda state: state["devices"][name].update(values))

    def now(self) -> float:
        return float(self.state()["now"])

    def pass_time(self, seconds: float) -> None:
        """Timers fire when their time comes, whoever is or isn't connected."""

        def later(state: dict[str, Any]) -> None:
            state["now"] += seconds
            for device in state["devices"].values():
                timer = device["timer"]
                if timer and timer["at"] <= state["now"] and not device["broken_timer"]:
                    _restore(device, timer["run"])

        self.change(later)

    def reachable(self, name: str) -> bool:
        device = self.device(name)
        return self.now() >= float(device["up_at"]) and not device["unreachable"]

    def run(self, name: str, command: str, stdin: str = "") -> Output:
        """One command on the device's exec channel."""
        state = self.state()
        device = state["devices"][name]
        words = command.split()
        handler = COMMANDS.get(" ".join(words[:2])) or COMMANDS.get(words[0])
        output = handler(state, device, words[1:], stdin) if handler else _no("unknown command")
        self.write(state)
        return output

    def reboot(self, name: str) -> None:
        """Comes back with what was saved; locks and timers live in memory."""

        def boot(state: dict[str, Any]) -> None:
            device = state["devices"][name]
            device.update(running=device["saved"], lock="", timer=None, up_at=state["now"] + BOOT_SECONDS)

        self.change(boot)


def _device(name: str) -> dict[str, Any]:
    return {
        "hostname": name, "release": "1.2", "running": PORTS, "saved": PORTS, "lock": "", "timer": None, "backup": {},
        "up_at": 0.0, "unreachable": False, "down": [], "drops": 0, "broken_timer": False,
        "broken_undo": False, "full_disk": False, "deaf_hardware": False, "storm_after": [], "blind": False,
        "refuses": "", "timer_in_commit": False,
    }  # fmt: skip


def _restore(device: dict[str, Any], run: str) -> None:
    device["running"] = device["backup"].get(run, device["running"])
    _tidy(device, run)


def _tidy(device: dict[str, Any], run: str) -> None:
    device["backup"].pop(run, None)
    if device["timer"] and device["timer"]["run"] == run:
        device["timer"] = None
    if device["lock"] == run:
        device["lock"] = ""


def _yes(text: str = "ok\n") -> Output:
    return Output(text)


def _no(text: str) -> Output:
    return Output(stderr=f"% {text}\n", exit_status=1)


def _show_identity(_state: Any, device: dict[str, Any], _words: list[str], _stdin: str) -> Output:
    return _yes(json.dumps({"hostname": device["hostname"], "release": device["release"]}))


def _show_running(_state: Any, device: dict[str, Any], _words: list[str], _stdin: str) -> Output:
    return _yes(json.dumps({"ports": device["running"]}))


def _show_saved(_state: Any, device: dict[str, Any], _words: list[str], _stdin: str) -> Output:
    return _yes(json.dumps({"ports": device["saved"]}))


def _show_hardware(_state: Any, device: dict[str, Any], _words: list[str], _stdin: str) -> Output:
    """What the ASIC does: what it was told, unless it doesn't listen."""
    return _yes(json.dumps({"ports": PORTS if device["deaf_hardware"] else device["running"]}))


def _show_health(state: Any, device: dict[str, Any], _words: list[str], _stdin: str) -> Output:
    if device["blind"]:
        return _no("counters are not available")
    up = [port for port in device["running"] if port not in device["down"]]
    return _yes(json.dumps({"up": up, "drops": device["drops"]}))


def _preflight(_state: Any, device: dict[str, Any], words: list[str], _stdin: str) -> Output:
    return _yes() if device["hostname"] == words[0] else _no(f"this is {device['hostname']}")


def _lock(_state: Any, device: dict[str, Any], words: list[str], _stdin: str) -> Output:
    if device["lock"] not in ("", words[0]):
        return _no(f"locked by {device['lock']}")
    device["lock"] = words[0]
    return _yes()


def _save(_state: Any, device: dict[str, Any], words: list[str], _stdin: str) -> Output:
    if device["full_disk"]:
        return _no("No space left on device")
    device["backup"][words[0]] = device["running"]
    return _yes()


def _rehearse(_state: Any, _device: Any, _words: list[str], stdin: str) -> Output:
    return _yes() if json.loads(stdin) else _no("nothing to do")


def _arm(state: Any, device: dict[str, Any], words: list[str], _stdin: str) -> Output:
    device["timer"] = {"run": words[0], "at": state["now"] + float(words[1])}
    return _yes()


def _commit(state: Any, device: dict[str, Any], words: list[str], stdin: str) -> Output:
    """Port by port, as devices do: a refused value leaves those before it in place."""
    if device["lock"] != words[0]:
        return _no("not your lock")
    for port, values in sorted(json.loads(stdin).items()):
        if port == device["refuses"]:
            return _no("Invalid input")
        device["running"] = {**device["running"], port: {**device["running"][port], **values}}
    for name in device["storm_after"]:
        state["devices"][name]["drops"] += 100
    if device["timer_in_commit"]:  # its undo waits for the commit, and then runs
        _restore(device, words[0])
    return _yes()


def _confirm(_state: Any, device: dict[str, Any], words: list[str], _stdin: str) -> Output:
    if device["timer"] is None or device["timer"]["run"] != words[0]:
        return _no("no change waits for a confirmation")
    if device["full_disk"]:
        return _no("No space left on device")
    device["saved"] = device["running"]
    _tidy(device, words[0])
    return _yes()


def _undo(_state: Any, device: dict[str, Any], words: list[str], _stdin: str) -> Output:
    if device["broken_undo"]:
        return _no("undo failed")
    if words[0] not in device["backup"]:
        return _no("nothing to undo")
    _restore(device, words[0])
    return _yes()


def _tidy_up(_state: Any, device: dict[str, Any], words: list[str], _stdin: str) -> Output:
    _tidy(device, words[0])
    return _yes()


COMMANDS: dict[str, Callable[[Any, dict[str, Any], list[str], str], Output]] = {
    "show identity": _show_identity,
    "show running": _show_running,
    "show saved": _show_saved,
    "show hardware": _show_hardware,
    "show health": _show_health,
    "preflight": _preflight,
    "lock": _lock,
    "save": _save,
    "rehearse": _rehearse,
    "arm": _arm,
    "commit": _commit,
    "confirm": _confirm,
    "undo": _undo,
    "tidy": _tidy_up,
}
