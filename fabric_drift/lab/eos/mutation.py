"""Changes that a human makes by hand, one fact each, as native commands.

A name is the path of the fact that changes (``all`` stands for every port that shares it), or says what kind of
trouble it is: ``extra/``, ``deleted/``, ``unknown/``, ``stuck/``, ``saved/``, ``foreign/``. What depends on a setting
that isn't there (ECN of a port without) isn't offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import policy, tree
from fabric_drift.lab.eos.defaults import GLOBAL_DEFAULTS

Commands = tuple[str, ...]
Change = tuple[str, Commands]

WATCHDOG = "priority-flow-control pause watchdog"
GLOBAL_WATCHDOG = (
    ("watchdog/detect_ms", f"{WATCHDOG} default timeout", "0.70", "0.80"),
    ("watchdog/restore_ms", f"{WATCHDOG} default recovery-time", "0.70", "0.80"),
    ("watchdog/poll_ms", f"{WATCHDOG} default polling-interval", "0.050", "0.040"),
    ("watchdog/action", f"{WATCHDOG} action", "notify-only", "drop"),
)
ECN_FIELDS = (
    ("kmin_bytes", "minimum-threshold"),
    ("kmax_bytes", "maximum-threshold"),
    ("max_probability_percent", "max-mark-probability"),
    ("weight", "weight"),
)
# EOS wants to poll twice within the shorter of the two times, so polling gets shorter and the times get longer.
TIMER_FIELDS = (
    ("detect_ms", "timeout", "0.70", "0.80"),
    ("poll_ms", "polling-interval", "0.040", "0.050"),
    ("restore_ms", "recovery-time", "0.70", "0.80"),
)


def typed(*lines: str) -> Commands:
    """The one command that a human pastes: configuration mode, the lines, and out."""
    return ("\n".join(("configure", *lines, "end")),)


def mutations(store: Store) -> Mapping[str, Commands]:
    """Name -> commands, for what the switch has configured now."""
    port = _managed_port(store)
    profile = policy.own_lines(store, port).get("service-profile", "").removeprefix("service-profile ")
    changes = [*_maps(store), *_port(store, port), *_global_watchdog(store), *_odd(store, port, profile)]
    if profile:
        changes += _profile(store, profile)
    return dict(sorted(changes))


def _managed_port(store: Store) -> str:
    """The first port that has a profile, else the first port."""
    ports: list[str] = list(store["ports"])
    with_profile = [port for port in ports if "service-profile" in policy.own_lines(store, port)]
    return (with_profile or ports)[0]


def _current(store: Store, key: str) -> int:
    line = store["running"]["lines"].get(key) or GLOBAL_DEFAULTS[key]
    return int(re.findall(r"\d+", line.removeprefix(key))[0])


def _maps(store: Store) -> Iterator[Change]:
    for dscp in range(64):
        key = f"qos map dscp {dscp}"
        other = (_current(store, key) + 1) % 8
        yield f"ports/all/qos/maps/dscp_to_tc/{dscp}", typed(f"{key} to traffic-class {other}")
    for cos in range(8):
        key = f"qos map cos {cos}"
        other = (_current(store, key) + 1) % 8
        yield f"ports/all/qos/maps/pcp_to_tc/{cos}", typed(f"{key} to traffic-class {other}")
    for tc in range(7):  # traffic class 7 always leaves through queue 7
        key = f"qos map traffic-class {tc} to tx-queue"
        yield f"ports/all/qos/maps/tc_to_queue/{tc}", typed(f"{key} {(_current(store, key) + 1) % 7}")
    rewrite = "qos rewrite dscp"
    yield "ports/all/qos/maps/tc_to_dscp", typed(f"no {rewrite}" if rewrite in store["running"]["lines"] else rewrite)


def _port(store: Store, port: str) -> Iterator[Change]:
    own = policy.own_lines(store, port)
    interface = f"interface {port}"
    base = f"ports/{port}"
    mtu = "1501" if own.get("mtu") == "mtu 9000" else "9000"
    speed = "forced 200gfull" if own.get("speed") == "speed forced 100gfull" else "forced 100gfull"
    fec = "fire-code" if "reed-solomon" in own.get("error-correction encoding", "") else "reed-solomon"
    trust = "cos" if policy.trust(store, port) == "dscp" else "dscp"
    yield f"{base}/mtu_bytes", typed(interface, f"mtu {mtu}")
    yield f"{base}/admin_up", typed(interface, "no shutdown" if "shutdown" in own else "shutdown")
    yield f"{base}/speed_mbps", typed(interface, f"speed {speed}")
    yield f"{base}/fec", typed(interface, f"error-correction encoding {fec}")
    yield f"{base}/qos/global_pause", typed(interface, _flipped_pause(own))
    yield f"{base}/qos/trust", typed(interface, f"qos trust {trust}")
    yield (
        f"{base}/neighbour/device",
        (f"lab cable {port} strange-device {store['ports'][port]['peer_port'] or 'eth0'}",),
    )
    yield f"{base}/neighbour/port", (f"lab cable {port} {store['ports'][port]['peer_device'] or 'none'} strange-port",)


def _flipped_pause(own: Mapping[str, str]) -> str:
    is_on = own.get("flowcontrol receive") == "flowcontrol receive on"
    return "no flowcontrol receive" if is_on else "flowcontrol receive on"


def _global_watchdog(store: Store) -> Iterator[Change]:
    for name, key, value, other in GLOBAL_WATCHDOG:
        current = store["running"]["lines"].get(key, "")
        yield name, typed(f"{key} {other if current == f'{key} {value}' else value}")


def _profile(store: Store, profile: str) -> Iterator[Change]:
    header = f"qos profile {profile}"
    section = tree.find(store["running"], [header])
    lines = section["lines"]
    no_drop = [key for key, line in sorted(lines.items()) if line.endswith(" no-drop")]
    if no_drop:
        yield "ports/all/qos/pfc/priorities", typed(header, f"no {no_drop[0]}")
    yield from _port_watchdog(header, lines)
    for queue_header, queue in section["sections"].items():
        yield from _queue(header, queue_header, queue["lines"])


def _port_watchdog(header: str, lines: Mapping[str, str]) -> Iterator[Change]:
    base = "ports/all/qos/pfc/watchdog"
    yield base, typed(header, f"no {WATCHDOG}" if WATCHDOG in lines else WATCHDOG)
    action = lines.get(f"{WATCHDOG} port action", "")
    yield f"{base}/action", typed(header, f"{WATCHDOG} port action {'notify-only' if 'drop' in action else 'drop'}")
    timer = lines.get(f"{WATCHDOG} port timer", "")
    for name, word, first, second in TIMER_FIELDS:
        if timer:
            value = second if f"{word} {first}" in timer else first
            yield f"{base}/{name}", typed(header, re.sub(rf"{word} \S+", f"{word} {value}", timer))


def _queue(header: str, queue_header: str, lines: Mapping[str, str]) -> Iterator[Change]:
    queue = queue_header.split()[1]
    bandwidth = lines.get("bandwidth", "")
    if bandwidth.startswith("bandwidth percent "):
        percent = int(bandwidth.split()[2])
        other = percent - 1 if percent > 1 else percent + 1
        name = f"ports/all/qos/scheduling/{queue}/share"
        yield name, typed(header, queue_header, f"bandwidth percent {other}")
    is_strict = lines.get("priority") != "no priority"
    share = ["bandwidth percent 5"] * (is_strict and not bandwidth)
    priority = "no priority" if is_strict else "priority strict"
    yield f"ports/all/qos/scheduling/{queue}/strict", typed(header, queue_header, priority, *share)
    ecn = lines.get("random-detect ecn")
    if ecn is None:
        return
    base = f"ports/all/qos/queues/{queue}/ecn"
    yield base, typed(header, queue_header, "no random-detect ecn")
    for name, word in ECN_FIELDS:
        yield f"{base}/{name}", typed(header, queue_header, _other_ecn(ecn, word))


def _other_ecn(line: str, word: str) -> str:
    """``line`` with another number behind ``word``, which is added where it isn't there."""
    number = re.search(rf"{word} (\d+)", line)
    if number is None:
        return f"{line} {word} 7" if word == "weight" else re.sub(r"( weight|$)", rf" {word} 51\1", line, count=1)
    value = int(number[1])
    other = value + 1 if word == "maximum-threshold" or value == 1 or (word == "weight" and value == 0) else value - 1
    return line.replace(number[0], f"{word} {other}")


def _odd(store: Store, port: str, profile: str) -> Iterator[Change]:
    where = f"qos profile {profile}" if profile else f"interface {port}"
    taken = policy.no_drop_priorities(store, port)
    free = next(priority for priority in (5, 4, 2, 1, 0, 3, 6, 7) if priority not in taken)
    yield (
        "extra/pfc_priority",
        typed(where, "priority-flow-control on", f"priority-flow-control priority {free} no-drop"),
    )
    lossless = taken[0] if taken else 3
    dscp = next(value for value in range(10, 64) if _current(store, f"qos map dscp {value}") != lossless)
    yield "extra/dscp_entry", typed(f"qos map dscp {dscp} to traffic-class {lossless}")
    yield "extra/qos_profile", typed("qos profile LEFT-BEHIND", "qos trust dscp")
    yield "stuck/bandwidth", (f"lab stuck {port} bandwidth 100000000000",)
    yield "stuck/link_status", (f"lab stuck {port} linkStatus errdisabled",)
    yield "unknown/global_line", typed("qos random-detect ecn allow non-ect")
    yield "saved/mtu_bytes", _only_saved(store, port)
    if profile:
        yield "deleted/qos_profile", typed(f"no qos profile {profile}")
        yield "unknown/queue_line", typed(where, "tx-queue 3", "shape rate 80 percent")
    foreign = [name for name, facts in store["ports"].items() if not facts["peer_device"]]
    if foreign:
        yield "foreign/port", typed(f"interface {foreign[0]}", "mtu 4000", "priority-flow-control on")


def _only_saved(store: Store, port: str) -> Commands:
    """Another MTU was saved, and then put right without saving."""
    interface = f"interface {port}"
    now = policy.own_lines(store, port).get("mtu", "no mtu")
    return (*typed(interface, "mtu 4001"), "write memory", *typed(interface, now))
