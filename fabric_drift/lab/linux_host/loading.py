"""Booting with rendered files: what the roce-qos service applies, mlxconfig's next boot, the jobs' environment.

Their format: the page of the host platform, "Configuration files it renders".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import defaults, firmware
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host.nic import Nic
from fabric_drift.lab.linux_host.writes import ROCE_MODES, set_rdma_cm

PER_NIC = re.compile(r"(roce-qos|mlxconfig)/([0-9a-f:.]+)\.conf")
JOB_FILES = {"nccl.conf": "/etc/nccl.conf", "ucx.conf": "/etc/ucx/ucx.conf"}
FEC = {"rs": "RS", "fc": "BaseR", "none": "Off", "auto": "RS"}
KEYS = re.compile(r"\d{1,2}(-\d{1,2})?", re.ASCII)


def load(store: Store, rendered: Mapping[str, str]) -> None:
    """Raises ValueError, with nothing changed, for a file or a line that is not taken."""
    draft = deepcopy(store)
    if any(name.startswith("roce-qos/") for name in rendered):
        draft["files"] = {path: text for path, text in draft["files"].items() if not path.startswith("/etc/roce-qos/")}
    for name, text in sorted(rendered.items()):
        match = PER_NIC.fullmatch(name)
        if name in JOB_FILES:
            draft["files"][JOB_FILES[name]] = text
        elif match and "dcb" in draft["nics"].get(match[2], {}):
            _load_nic(draft, match[1], draft["nics"][match[2]], name, text)
        else:
            raise ValueError(f"{name}: no such NIC or file on {store['hostname']}")
    store.update({"nics": draft["nics"], "files": draft["files"], "services": dict(defaults.SERVICES)})


def _load_nic(draft: Store, kind: str, nic: Nic, name: str, text: str) -> None:
    if kind == "roce-qos":
        draft["files"][f"/etc/{name}"] = text
        _boot(nic)
    for number, key, value in _pairs(name, text):
        try:
            if kind == "roce-qos":
                _apply(nic, key, value)
            else:
                ((parameter, shown),) = firmware.parsed(nic, [f"{key}={value}"])
                nic["firmware_parameters"][parameter] |= {"current": shown, "next": shown}
        except OSError as error:
            raise ValueError(f"{name}:{number}: {key}={value}: {error.strerror}") from error
        except ValueError as error:
            raise ValueError(f"{name}:{number}: {key}={value}: {error}") from error


def _pairs(name: str, text: str) -> Iterator[tuple[int, str, str]]:
    """(line number, key, value) of the lines that aren't comments."""
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        key, equals, value = line.partition("=")
        if not equals or key in seen:
            raise ValueError(f"{name}:{number}: {line}: {'given twice' if key in seen else 'no KEY=VALUE'}")
        seen.add(key)
        yield number, key, value


def _boot(nic: Nic) -> None:
    """A NIC before the service ran."""
    nic |= {
        "dcb": defaults.dcb(),
        "ecn": defaults.ecn(),
        "traffic_class": None,
        "rdma_cm": {"folder": False, "mode": "RoCE v2", "tos": 0},
        "pause": {"rx": True, "tx": True},
        "mtu_bytes": 1500,
        "admin_up": True,
        "fec": "RS",
    }


def _apply(nic: Nic, key: str, value: str) -> None:
    """One line of the service's file. Raises ValueError or OSError."""
    if key in SETTERS:
        SETTERS[key](nic, value)
        return
    side, _, parameter = key.partition("_")
    ecn_side = {"notification": "roce_np", "reaction": "roce_rp"}.get(side)
    if ecn_side is None:
        raise ValueError("unknown key")
    if parameter == "priorities":
        nic["ecn"][ecn_side]["enable"] = [int(priority in _numbers(value)) for priority in range(8)]
    else:
        mlx5.set_ecn(nic, ecn_side, parameter, int(value))


def _numbers(value: str) -> set[int]:
    numbers = set() if value == "none" else {int(item) for item in value.split(",")}
    if not numbers <= set(range(8)):
        raise ValueError("a priority is 0 to 7")
    return numbers


def _mapping(value: str, count: int) -> list[Any]:
    """``0-25:0,26:3`` as a list of texts; every key from 0 to ``count`` - 1 exactly once."""
    found: dict[int, str] = {}
    for item in value.split(","):
        keys, _, entry = item.partition(":")
        if not KEYS.fullmatch(keys):
            raise ValueError(f"{item!r} is no KEYS:VALUE")
        first, _, last = keys.partition("-")
        for key in range(int(first), int(last or first) + 1):
            if key in found or key >= count:
                raise ValueError(f"key {key} is given twice or too large")
            found[key] = entry
    if len(found) != count:
        raise ValueError(f"{len(found)} of {count} keys")
    return [found[key] for key in range(count)]


def _choice(value: str, table: Mapping[str, Any]) -> Any:
    if value not in table:
        raise ValueError(f"not one of {', '.join(table)}")
    return table[value]


def _dscp(nic: Nic, value: str) -> None:
    if mlx5.trust(nic) == "pcp":
        raise ValueError("the port doesn't trust DSCP")
    for dscp, priority in enumerate(_mapping(value, 64)):
        mlx5.add_dscp(nic, dscp, int(priority))


def _scheduling(nic: Nic, value: str) -> None:
    tsa, shares = ["strict"] * 8, [0] * 8
    for item in value.split(","):
        tc, algorithm, *share = item.split(":")
        tsa[int(tc)] = _choice(algorithm, {"ets": "ets", "strict": "strict"})
        shares[int(tc)] = int(share[0]) if share else 0
    mlx5.set_ets(nic, tsa, shares, nic["dcb"]["priority_to_tc"])


def _pfc(nic: Nic, value: str) -> None:
    nic["dcb"]["pfc"] = [priority in _numbers(value) for priority in range(8)]


def _rdma_cm(nic: Nic, name: str, value: str) -> None:
    """The service makes the folder and leaves it in place."""
    nic["rdma_cm"]["folder"] = True
    set_rdma_cm(nic, name, value)


def _mtu(nic: Nic, value: str) -> None:
    if not 68 <= int(value) <= 9978:  # noqa: PLR2004 - what the driver takes
        raise ValueError("mtu out of range")
    nic["mtu_bytes"] = int(value)


SETTERS: dict[str, Callable[[Nic, str], None]] = {
    "admin_up": lambda nic, value: nic.update(admin_up=_choice(value, {"yes": True, "no": False})),
    "mtu_bytes": _mtu,
    "fec": lambda nic, value: nic.update(fec=_choice(value, FEC)),
    "dcbx": lambda nic, value: nic["dcb"].update(dcbx=_choice(value, {"off": "os", "firmware": "fw"})),
    "global_pause": lambda nic, value: nic.update(
        pause=dict.fromkeys(("rx", "tx"), _choice(value, {"on": True, "off": False}))
    ),
    "trust": mlx5.set_trust,
    "dscp_to_priority": _dscp,
    "priority_to_tc": lambda nic, value: nic["dcb"].update(priority_to_tc=[int(tc) for tc in _mapping(value, 8)]),
    "scheduling": _scheduling,
    "pfc_priorities": _pfc,
    "priority_to_buffer": lambda nic, value: mlx5.set_priority_to_buffer(nic, [int(b) for b in _mapping(value, 8)]),
    "receive_buffers_bytes": lambda nic, value: mlx5.set_buffers(nic, [int(size) for size in _mapping(value, 8)]),
    "cable_length_m": lambda nic, value: mlx5.set_delay(nic, int(value)),
    "roce_mode": lambda nic, value: _rdma_cm(nic, "mode", _choice(value, {"v1": ROCE_MODES[0], "v2": ROCE_MODES[1]})),
    "rdma_cm_tos": lambda nic, value: _rdma_cm(nic, "tos", value),
    "traffic_class": lambda nic, value: mlx5.set_traffic_class(nic, -1 if value == "none" else int(value)),
    "cnp_dscp": lambda nic, value: mlx5.set_ecn(nic, "roce_np", "cnp_dscp", int(value)),
    "cnp_priority": lambda nic, value: mlx5.set_ecn(nic, "roce_np", "cnp_802p_prio", int(value)),
}
