"""``mlnx_qos`` of mlnx-tools 26.07: the text it prints and the options it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.nic import Nic

UNSUPPORTED = """\
Priority trust state is not supported on your system
Buffers commands are not supported on your system
Rate limit is not supported on your system!
ETS features are not supported on your system
"""
LLDPAD = "****** WARNING: lldpad service is running and may overwrite your settings ******\n\n"
PER_LINE = 8
ITEMS = 8
PRIORITY_WORDS = tuple(str(priority) for priority in range(8))
KBPS_PER_GBPS = 1_000_000

OPTIONS = {
    "-f": "--pfc",
    "-F": "--specific_pfc",
    "-P": "--get_pfc",
    "-p": "--prio_tc",
    "-s": "--tsa",
    "-t": "--tcbw",
    "-r": "--ratelimit",
    "-d": "--dcbx",
    "-i": "--interface",
}
KNOWN = frozenset(OPTIONS.values()) | {"--trust", "--dscp2prio", "--cable_len", "--prio2buffer", "--buffer_size"}


class UsageError(Exception):
    """The script's own complaint."""


def run(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``mlnx_qos -i X [options]``. Options are applied in the script's own order, then everything is printed."""
    warning = LLDPAD if store["services"].get("lldpad") == "active" else ""
    try:
        options = _options(args)
        nic = mlx5.with_dcb(store, options["--interface"][0])
    except UsageError as error:
        return Answer(stderr=f"{error}\n", exit_status=1)
    except OSError:
        return Answer(warning + UNSUPPORTED, exit_status=1)
    if options.keys() - {"--interface", "-a", "--get_pfc"} and not root:
        return Answer(f"{warning}Operation not permitted\n", exit_status=1)
    if "--get_pfc" in options:
        return _get_pfc(nic, options["--get_pfc"][0])
    try:
        _apply(store, nic, options)
    except (UsageError, OSError, ValueError) as error:
        return Answer(f"{warning}{error}\n", exit_status=1)
    return Answer("" if "--specific_pfc" in options else warning + text(nic, every_tc="-a" in options))


def _get_pfc(nic: Nic, word: str) -> Answer:
    if word not in PRIORITY_WORDS:
        return Answer(f"Invalid priority: {word}\n", exit_status=1)
    return Answer(f"{int(nic['dcb']['pfc'][int(word)])}\n")


def _options(args: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    words = list(args)
    while words:
        word, _, value = words.pop(0).partition("=")
        name = OPTIONS.get(word, word)
        if name == "-a":
            found["-a"] = []
        elif name in KNOWN and (value or words):
            found.setdefault(name, []).append(value or words.pop(0))
        else:
            raise UsageError(f"mlnx_qos: error: no such option: {word}")
    if "--interface" not in found:
        raise UsageError("Interface name is required")
    if "--trust" in found and "--dscp2prio" in found:
        raise UsageError("--trust and --dscp2prio can't be used together")
    return found


def _items(text: str) -> list[str]:
    items = text.rstrip(",").split(",")
    if len(items) != ITEMS:
        raise UsageError(f"Invalid number of items in list: {len(items)}, expected {ITEMS}")
    return items


def _apply(store: Store, nic: Nic, options: dict[str, list[str]]) -> None:
    setters: dict[str, Callable[[str], None]] = {
        "--dcbx": lambda value: _dcbx(nic, value),
        "--trust": lambda value: mlx5.set_trust(nic, value),
        "--dscp2prio": lambda value: _dscp2prio(nic, value),
        "--cable_len": lambda value: mlx5.set_delay(nic, int(value)),
        "--prio2buffer": lambda value: mlx5.set_priority_to_buffer(nic, [int(item) for item in _items(value)]),
        "--buffer_size": lambda value: mlx5.set_buffers(nic, [int(item) for item in _items(value)]),
        "--pfc": lambda value: mlx5.set_pfc(store, nic, [item == "1" for item in _items(value)]),
        "--specific_pfc": lambda value: _specific_pfc(store, nic, value),
        "--ratelimit": lambda value: _ratelimit(nic, value),
    }
    for name, setter in setters.items():
        for value in options.get(name, ()):
            setter(value)
    if options.keys() & {"--tsa", "--tcbw", "--prio_tc"}:
        _ets(nic, options)


def _dcbx(nic: Nic, word: str) -> None:
    if word not in {"fw", "os", "get"}:
        raise UsageError("DCBX mode is fw, os or get")
    if word != "get":
        nic["dcb"]["dcbx"] = word


def _dscp2prio(nic: Nic, text: str) -> None:
    match text.split(","):
        case ["flush"]:
            mlx5.set_trust(nic, "pcp")
        case ["set", dscp, priority]:
            mlx5.add_dscp(nic, int(dscp), int(priority))
        case ["del", dscp, priority]:
            mlx5.delete_dscp(nic, int(dscp), int(priority))
        case _:
            raise UsageError("dscp2prio command failed")


def _specific_pfc(store: Store, nic: Nic, text: str) -> None:
    pairs = zip(_items(text), nic["dcb"]["pfc"], strict=True)
    mlx5.set_pfc(store, nic, [old if item == "x" else item == "1" for item, old in pairs])


def _ratelimit(nic: Nic, text: str) -> None:
    nic["dcb"]["maxrate_kbps"] = [int(item) * KBPS_PER_GBPS for item in _items(text)]


def _ets(nic: Nic, options: dict[str, list[str]]) -> None:
    dcb = nic["dcb"]
    tsa = _items(options["--tsa"][-1]) if "--tsa" in options else dcb["tc_tsa"]
    bandwidth = [int(item) for item in _items(options["--tcbw"][-1])] if "--tcbw" in options else dcb["tc_bw"]
    to_tc = (
        [int(item) for item in _items(options["--prio_tc"][-1])] if "--prio_tc" in options else dcb["priority_to_tc"]
    )
    if "--tcbw" in options and any(share and kind != "ets" for kind, share in zip(tsa, bandwidth, strict=True)):
        raise UsageError("ETS bandwidth is only for TCs with tsa ets")
    mlx5.set_ets(nic, tsa, bandwidth, to_tc)


def text(nic: Nic, *, every_tc: bool = False) -> str:
    """The whole report; a TC appears only where a priority maps to it, unless ``every_tc``."""
    dcb = nic["dcb"]
    lines = [f"DCBX mode: {'OS' if dcb['dcbx'] == 'os' else 'Firmware'} controlled"]
    lines.append(f"Priority trust state: {mlx5.trust(nic)}")
    if mlx5.trust(nic) == "dscp":
        lines += ["dscp2prio mapping:", *_dscp_lines(dcb["dscp_to_priority"])]
    sizes = ",".join(str(size) for size in dcb["buffer_bytes"])
    lines += [
        f"Receive buffer size (bytes): {sizes},max_buffer_size={dcb['total_bytes']}",
        f"Cable len: {dcb['delay']}",
        "PFC configuration:",
        "\tpriority    0   1   2   3   4   5   6   7",
        "\tenabled     " + "".join(f"{int(is_on)}   " for is_on in dcb["pfc"]),
        "\tbuffer      " + "".join(f"{number}   " for number in dcb["priority_to_buffer"]),
    ]
    for tc in range(8):
        priorities = [priority for priority, to in enumerate(dcb["priority_to_tc"]) if to == tc]
        if priorities or every_tc:
            lines.append(_tc_line(nic, tc))
            lines += [f"\t priority:  {priority}" for priority in priorities]
    return "\n".join(lines) + "\n"


def _dscp_lines(priorities: Sequence[int]) -> list[str]:
    lines = []
    for priority in range(8):
        dscps = [dscp for dscp in reversed(range(64)) if priorities[dscp] == priority]
        for start in range(0, len(dscps), PER_LINE):
            shown = "".join(f"{dscp:02d}," for dscp in dscps[start : start + PER_LINE])
            lines.append(f"\tprio:{priority} dscp:{shown}")
    return lines


def _tc_line(nic: Nic, tc: int) -> str:
    dcb = nic["dcb"]
    kbps = dcb["maxrate_kbps"][tc]
    rate = f"{kbps / KBPS_PER_GBPS} Gbps" if kbps else "unlimited"
    share = f", bw: {dcb['tc_bw'][tc]}%" if dcb["tc_tsa"][tc] == "ets" else ""
    return f"tc: {tc} ratelimit: {rate}, tsa: {dcb['tc_tsa'][tc]}{share}"
