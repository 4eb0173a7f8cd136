"""The ``config`` command (sonic-utilities), as far as people use it on the lossless path."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic import badday, boot, files
from fabric_drift.lab.sonic.answers import RefusedError, usage
from fabric_drift.lab.sonic.cfggen import tables_of
from fabric_drift.lab.sonic.configdb import numbers, row, set_fields

_MTU = range(68, 9217)
_FEC = {"rs", "fc", "none", "auto"}
_PRIORITIES = range(8)


def config_command(store: Store, words: Sequence[str]) -> Answer:
    """``config ...``; follows the command groups of click."""
    match list(words):
        case ["save", "-y"]:
            if badday.trouble(store, "disk_full") is not None:
                raise RefusedError("Error: [Errno 28] No space left on device: '/etc/sonic/config_db.json'")
            boot.save(store)
            return Answer("Running command: /usr/local/bin/sonic-cfggen -d --print-data > /etc/sonic/config_db.json\n")
        case ["reload", *rest]:
            return _reload(store, [word for word in rest if not word.startswith("-")])
        case ["qos", "clear"]:
            boot.clear_qos(store)
            return Answer()
        case ["qos", "reload"]:
            boot.reload_qos(store)
            return Answer("Buffer calculation model updated, restarting swss is required to take effect\n")
        case ["interface", "pfc", *rest]:
            return _pfc(store, rest)
        case ["interface", verb, port, *rest] if verb in _INTERFACE:
            _check_port(store, port)
            return _INTERFACE[verb](store, port, rest)
    raise usage("config", f"No such command '{' '.join(words)}'.")


def _reload(store: Store, paths: Sequence[str]) -> Answer:
    path = paths[0] if paths else files.SAVED_CONFIG
    text = files.read(store, path)
    if text is None:
        raise RefusedError(f"Error: The config file {path} doesn't exist")
    boot.reload_config(store, tables_of(text))
    return Answer(f"Running command: /usr/local/bin/sonic-cfggen -j {path} --write-to-db\n")


def _check_port(store: Store, port: str) -> None:
    if not row(store, "PORT", port):
        raise usage("config interface", "Interface name is invalid. Please enter a valid interface name!!")


def _set(field: str, allowed: Callable[[str], bool]) -> Callable[[Store, str, Sequence[str]], Answer]:
    def command(store: Store, port: str, words: Sequence[str]) -> Answer:
        if len(words) != 1 or not allowed(words[0]):
            raise usage(f"config interface {field}", f"Invalid value for '<{field}>': {' '.join(words)}")
        set_fields(store, "PORT", port, {field: words[0]})
        return Answer()

    return command


def _admin(status: str) -> Callable[[Store, str, Sequence[str]], Answer]:
    def command(store: Store, port: str, _words: Sequence[str]) -> Answer:
        set_fields(store, "PORT", port, {"admin_status": status})
        return Answer()

    return command


def _cable(store: Store, port: str, words: Sequence[str]) -> Answer:
    if not store["dynamic_buffers"]:
        raise RefusedError("This command can only be executed on a system with dynamic buffer enabled", 2)
    if len(words) != 1 or not words[0].removesuffix("m").isdigit() or not words[0].endswith("m"):
        raise RefusedError("Invalid cable length", 2)
    set_fields(store, "CABLE_LENGTH", "AZURE", {port: words[0]})
    return Answer()


_INTERFACE: dict[str, Callable[[Store, str, Sequence[str]], Answer]] = {
    "mtu": _set("mtu", lambda value: value.isdigit() and int(value) in _MTU),
    "speed": _set("speed", str.isdigit),
    "fec": _set("fec", _FEC.__contains__),
    "shutdown": _admin("down"),
    "startup": _admin("up"),
    "cable-length": _cable,
}


def _pfc(store: Store, words: Sequence[str]) -> Answer:
    match list(words):
        case ["priority", port, priority, ("on" | "off") as state] if priority.isdigit():
            _check_port(store, port)
            if int(priority) not in _PRIORITIES:
                raise usage("config interface pfc priority", f"Invalid value for '<priority>': {priority}")
            now = set(numbers(row(store, "PORT_QOS_MAP", port).get("pfc_enable", "")))
            now = now | {int(priority)} if state == "on" else now - {int(priority)}
            listing = ",".join(str(number) for number in sorted(now))
            set_fields(store, "PORT_QOS_MAP", port, {"pfc_enable": listing})
            return Answer()
        case ["asymmetric", port, ("on" | "off") as state]:
            _check_port(store, port)
            set_fields(store, "PORT", port, {"pfc_asym": state})
            return Answer()
    raise usage("config interface pfc", f"No such command '{' '.join(words)}'.")


def pfc_command(store: Store, words: Sequence[str]) -> Answer:
    """``pfc config priority on|off PORT PRIORITY`` and ``pfc config asymmetric on|off PORT``."""
    match list(words):
        case ["config", "priority", state, port, priority]:
            return _pfc(store, ["priority", port, priority, state])
        case ["config", "asymmetric", state, port]:
            return _pfc(store, ["asymmetric", port, state])
    raise usage("pfc", f"No such command '{' '.join(words)}'.")
