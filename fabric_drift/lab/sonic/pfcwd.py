"""``pfcwd``: the PFC watchdog's own command (sonic-utilities pfcwd/main.py)."""

from __future__ import annotations

from collections.abc import Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.sonic.answers import RefusedError, simple_table, usage
from fabric_drift.lab.sonic.configdb import delete_row, row, set_fields, table

ACTIONS = {"drop", "forward", "alert"}
_DETECTION_MS = range(100, 5001)
_RESTORATION_MS = range(100, 60001)
_FIRST_WITH_HISTORY = 202511


def pfcwd(store: Store, words: Sequence[str]) -> Answer:
    """``pfcwd start|stop|interval|show config``."""
    match list(words):
        case ["show", "config"]:
            return Answer(_show(store))
        case ["start", *rest]:
            return _start(store, rest)
        case ["stop", *ports]:
            for port in ports or [port for port in table(store, "PFC_WD") if port != "GLOBAL"]:
                delete_row(store, "PFC_WD", port)
            return Answer()
        case ["interval", interval] if interval.isdigit():
            return _interval(store, interval)
    raise usage("pfcwd", f"No such command '{' '.join(words)}'.")


def longest_poll_ms(store: Store) -> int:
    """Upper end of the polling interval; it shrank in 202511."""
    return 1000 if _release(store) >= _FIRST_WITH_HISTORY else 3000


def _release(store: Store) -> int:
    return int(store["device"]["release"])


def _start(store: Store, words: Sequence[str]) -> Answer:
    options = {"-a": "drop", "-r": ""}
    names = {"--action": "-a", "--restoration-time": "-r"}
    rest = list(words)
    plain = []
    while rest:
        word = rest.pop(0)
        if names.get(word, word) in options and rest:
            options[names.get(word, word)] = rest.pop(0)
        else:
            plain.append(word)
    *ports, detection = plain or [""]
    restoration = options["-r"] or (str(2 * int(detection)) if detection.isdigit() else "")
    if options["-a"] not in ACTIONS:
        raise usage("pfcwd start", f"Invalid value for '--action' / '-a': {options['-a']!r}")
    _check_time("detection-time", detection, _DETECTION_MS)
    _check_time("--restoration-time", restoration, _RESTORATION_MS)
    known = [port for port in table(store, "PORT") if row(store, "PORT_QOS_MAP", port)]
    output = ""
    for port in known if ports in ([], ["all"]) else ports:
        if not row(store, "PORT", port):
            raise RefusedError(f"Failed to run command, invalid options:\n{port}")
        if not row(store, "PORT_QOS_MAP", port).get("pfc_enable"):
            output += f"SKIPPED: PFC is not enabled on port: {port}\n"
            continue
        fields = {"action": options["-a"], "detection_time": detection, "restoration_time": restoration}
        set_fields(store, "PFC_WD", port, fields)
    return Answer(output)


def _check_time(name: str, value: str, allowed: range) -> None:
    if not value.isdigit() or int(value) not in allowed:
        raise usage(
            "pfcwd start", f"Invalid value for '{name}': {value} is not in the range {allowed[0]}<=x<={allowed[-1]}."
        )


def _interval(store: Store, interval: str) -> Answer:
    if int(interval) not in range(100, longest_poll_ms(store) + 1):
        raise usage("pfcwd interval", f"Invalid value for 'POLL_INTERVAL': {interval} is not in the range")
    times = [
        int(fields[name])
        for port, fields in table(store, "PFC_WD").items()
        if port != "GLOBAL"
        for name in ("detection_time", "restoration_time")
        if name in fields
    ]
    if times and int(interval) > min(times):
        raise RefusedError(
            f"unable to use polling interval = {interval}ms, value is bigger than one of the configured"
            " detection or restoration times, please choose a smaller polling interval"
        )
    set_fields(store, "PFC_WD", "GLOBAL", {"POLL_INTERVAL": interval})
    return Answer()


def _show(store: Store) -> str:
    poll = row(store, "PFC_WD", "GLOBAL").get("POLL_INTERVAL", "")
    head = f"Changed polling interval to {poll}ms\n" if poll else ""
    headers = ["PORT", "ACTION", "DETECTION TIME", "RESTORATION TIME"]
    history = _release(store) >= _FIRST_WITH_HISTORY
    rows = []
    for port, fields in table(store, "PFC_WD").items():
        if port != "GLOBAL":
            rows.append(
                [port, fields.get("action", "N/A"), fields.get("detection_time", "N/A")]
                + [fields.get("restoration_time", "infinite")]
                + ([fields.get("pfc_stat_history", "disable")] if history else [])
            )
    return head + simple_table(headers + (["HISTORY"] if history else []), rows, right=True)
