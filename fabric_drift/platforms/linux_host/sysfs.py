"""sysfs, configfs and debugfs files of one mlx5 NIC -> facts.

Sources: MLNX_OFED en_sysfs.c (``ecn/``), ``tc/1/traffic_class`` (``Global tclass=N``), Linux
drivers/infiniband/core/cma_configfs.c, drivers/infiniband/hw/mlx5/cong.c (names of ``cc_params``).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host.answers import Problem
from fabric_drift.platforms.linux_host.commands import cc_params_text, sysfs_text
from fabric_drift.platforms.linux_host.dcb import Read
from fabric_drift.platforms.linux_host.discovery import MlxNic
from fabric_drift.platforms.linux_host.files import Files, number_of, read_files
from fabric_drift.state.device import Dcqcn
from fabric_drift.state.values import ABSENT, Missing, Unobserved

NOTIFICATION = ("min_time_between_cnps",)
REACTION = (
    "clamp_tgt_rate",
    "clamp_tgt_rate_after_time_inc",
    "dce_tcp_g",
    "dce_tcp_rtt",
    "initial_alpha_value",
    "rate_reduce_monitor_period",
    "rate_to_set_on_first_cnp",
    "rpg_ai_rate",
    "rpg_byte_reset",
    "rpg_gd",
    "rpg_hai_rate",
    "rpg_max_rate",
    "rpg_min_dec_fac",
    "rpg_min_rate",
    "rpg_threshold",
    "rpg_time_reset",
)
DEBUGFS = {
    "rp_clamp_tgt_rate": "clamp_tgt_rate",
    "rp_clamp_tgt_rate_ati": "clamp_tgt_rate_after_time_inc",
    "rp_dce_tcp_g": "dce_tcp_g",
    "rp_dce_tcp_rtt": "dce_tcp_rtt",
    "rp_initial_alpha_value": "initial_alpha_value",
    "rp_rate_reduce_monitor_period": "rate_reduce_monitor_period",
    "rp_rate_to_set_on_first_cnp": "rate_to_set_on_first_cnp",
    "rp_ai_rate": "rpg_ai_rate",
    "rp_byte_reset": "rpg_byte_reset",
    "rp_gd": "rpg_gd",
    "rp_hai_rate": "rpg_hai_rate",
    "rp_max_rate": "rpg_max_rate",
    "rp_min_dec_fac": "rpg_min_dec_fac",
    "rp_min_rate": "rpg_min_rate",
    "rp_threshold": "rpg_threshold",
    "rp_time_reset": "rpg_time_reset",
    "np_min_time_between_cnps": "min_time_between_cnps",
    "np_cnp_dscp": "cnp_dscp",
    "np_cnp_prio": "cnp_802p_prio",
}
NO_RDMA_DEVICE = Unobserved("no single RDMA device of the NIC is seen")

UNUSED = ("np_cnp_prio_mode", "rtt_resp_dscp_valid", "rtt_resp_dscp")
"""Files of cc_params that no fact stands for."""

FAMILIES = {
    "MT4115": "connectx-4",
    "MT4117": "connectx-4-lx",
    "MT4119": "connectx-5",
    "MT4121": "connectx-5-ex",
    "MT4123": "connectx-6",
    "MT4125": "connectx-6-dx",
    "MT4127": "connectx-6-lx",
    "MT4129": "connectx-7",
    "MT4131": "connectx-8",
    "MT41682": "bluefield",
    "MT41686": "bluefield-2",
    "MT41692": "bluefield-3",
}
"""``hca_type`` is MT and the PCI device id. Source: Linux mlx5/core/main.c, mlx5_core_pci_table."""

_SYSFS_LINE = re.compile(r"^(/sys/[^:\s]{1,300}):(.*)$", re.MULTILINE)
_DEBUGFS_LINE = re.compile(r"^(/sys/kernel/debug/mlx5/[0-9a-f:.]{12}/cc_params/[a-z0-9_]{1,64}):(.*)$", re.MULTILINE)
_ROCE_MODES = {"RoCE v2": "v2", "IB/RoCE v1": "v1"}
_TCLASS = re.compile(r"Global tclass=(\d{1,3})")


def nic_files(nic: MlxNic, output: Output | None) -> Files:
    """Files of the sysfs command of ``nic``."""
    return read_files(sysfs_text(nic.netdev, nic.rdma_device), output, _SYSFS_LINE)


def debug_files(nic: MlxNic, output: Output | None) -> Files:
    """Files of the debugfs command of ``nic``."""
    return read_files(cc_params_text(nic.pci), output, _DEBUGFS_LINE)


def read_identity(nic: MlxNic, files: Files) -> Read:
    """``guid``, ``firmware``, ``family``, ``link_layer`` and ``speed_mbps`` of a NIC."""
    device = f"/sys/class/infiniband/{nic.rdma_device}"
    problems: list[Problem] = []
    facts: dict[str, Any] = dict.fromkeys(("guid", "firmware", "family"), NO_RDMA_DEVICE)
    if nic.rdma_device:
        facts["guid"] = _guid(_text(files, f"{device}/node_guid", ("nic", "guid"), problems), problems)
        facts["firmware"] = _text(files, f"{device}/fw_ver", ("nic", "firmware"), problems)
        hca = _text(files, f"{device}/hca_type", ("nic", "family"), problems)
        facts["family"] = FAMILIES.get(hca, hca) if isinstance(hca, str) else hca
        facts["link_layer"] = _text(files, f"{device}/ports/1/link_layer", (), problems)
    facts["speed_mbps"] = _speed(nic, files, problems)
    return Read(facts, tuple(problems))


def _speed(nic: MlxNic, files: Files, problems: list[Problem]) -> Any:
    """Mb/s; the kernel says -1, or refuses the read, while the link has no speed."""
    path = f"/sys/class/net/{nic.netdev}/speed"
    if files.lines.get(path) == ("-1",):
        return Unobserved("the link has no speed: it is down")
    speed = _number(files, path, ("speed_mbps",), problems)
    return Unobserved("the driver gives no speed") if speed is ABSENT else speed


def _guid(text: Any, problems: list[Problem]) -> Any:
    """``b83f:d203:0000:0000`` as 0xb83fd20300000000."""
    if not isinstance(text, str):
        return text
    guid = "0x" + text.replace(":", "").lower()
    if re.fullmatch(r"0x[0-9a-f]{16}", guid):
        return guid
    problems.append(Problem(text, "not a GUID", ("nic", "guid")))
    return Unobserved("the GUID isn't readable")


def _text(files: Files, path: str, below: tuple[str, ...], problems: list[Problem]) -> str | Missing:
    """The only line of a file; a second one is told, and then nobody is believed."""
    lines = files.lines.get(path, ())
    if len(lines) > 1:
        problems.append(Problem(f"{path}:{lines[1]}", "a second line of a file of one", below))
        return Unobserved(f"{path} shows more than one line")
    return lines[0].strip() if lines else files.why_not(path)


def _number(files: Files, path: str, below: tuple[str, ...], problems: list[Problem], limit: int = 2**32 - 1) -> Any:
    text = _text(files, path, below, problems)
    try:
        return number_of(text, limit)
    except ValueError as error:
        problems.append(Problem(f"{path}:{text}", str(error), below))
        return Unobserved(str(error))


def read_rdma_cm(nic: MlxNic, files: Files) -> Read:
    """``roce_mode``, ``rdma_cm_tos`` (configfs) and ``traffic_class`` (sysfs) of a NIC's RDMA device."""
    if not nic.rdma_device:
        return Read(dict.fromkeys(("roce_mode", "rdma_cm_tos", "traffic_class"), NO_RDMA_DEVICE))
    folder = f"/sys/kernel/config/rdma_cm/{nic.rdma_device}/ports/1"
    problems: list[Problem] = []
    tos = _number(files, f"{folder}/default_roce_tos", ("nic", "rdma_cm_tos"), problems, 255)
    mode = _text(files, f"{folder}/default_roce_mode", ("nic", "roce_mode"), problems)
    if isinstance(mode, str) and mode not in _ROCE_MODES:
        problems.append(Problem(mode, "not a RoCE mode", ("nic", "roce_mode")))
    closed = Unobserved(f"nobody keeps the configfs folder {folder}, and a check doesn't make folders")
    return Read(
        {
            "rdma_cm_tos": closed if tos is ABSENT else tos,
            "roce_mode": _mode(mode, closed),
            "traffic_class": _traffic_class(nic, files, problems),
        },
        tuple(problems),
    )


def _mode(mode: str | Missing, closed: Unobserved) -> str | Missing:
    if isinstance(mode, str):
        return _ROCE_MODES.get(mode, Unobserved("the RoCE mode isn't readable"))
    return closed if mode is ABSENT else mode


def _traffic_class(nic: MlxNic, files: Files, problems: list[Problem]) -> Any:
    """Value of tc/1/traffic_class; ABSENT when nothing is set, or the driver hasn't the file: then nothing sets it."""
    path = f"/sys/class/infiniband/{nic.rdma_device}/tc/1/traffic_class"
    lines = files.lines.get(path, ())
    if not lines:
        return files.why_not(path)
    found = _TCLASS.fullmatch(lines[0].strip())
    rules = lines[1:] if found else lines
    problems += [Problem(line, "a rule for some destinations, which no fact stands for", ("nic",)) for line in rules]
    if found and int(found[1]) <= 255:  # noqa: PLR2004 - a byte
        return int(found[1])
    return Unobserved("tc/1/traffic_class holds no global value that is readable")


def read_ecn(nic: MlxNic, files: Files) -> Read:
    """``cnp_dscp``, ``cnp_priority`` and ``dcqcn`` from the ``ecn/`` folder of MLNX_OFED and DOCA drivers."""
    found = files.below(f"/sys/class/net/{nic.netdev}/ecn")
    return _read_ecn(tuple(sorted(found.items()))) if len(found) <= MOST_FILES else _TOO_MANY


MOST_FILES = 100
_TOO_MANY = Read(
    {
        name: Unobserved("the ecn folder holds more files than a driver's")
        for name in ("cnp_dscp", "cnp_priority", "dcqcn")
    }
)


@lru_cache(maxsize=512)
def _read_ecn(found: tuple[tuple[str, tuple[str, ...]], ...]) -> Read:
    """Cached: NICs that are set alike share one object."""
    problems: list[Problem] = []
    sides: dict[str, dict[str, int]] = {"roce_np": {}, "roce_rp": {}}
    for path, lines in found:
        side, _, name = path.partition("/")
        if side not in sides or not _known(side, name):
            problems.append(Problem(f"{path}: {lines[0]}", "a file that isn't known", ("nic", "dcqcn")))
            continue
        try:
            sides[side][name] = _one_number(lines)
        except ValueError as error:
            problems.append(Problem(f"{path}: {lines[0]}", str(error), ("nic", "dcqcn")))
    return Read(_ecn_facts(sides["roce_np"], sides["roce_rp"]), tuple(problems))


def _known(side: str, name: str) -> bool:
    if re.fullmatch(r"enable/[0-7]", name):
        return True
    return name in ((*NOTIFICATION, "cnp_dscp", "cnp_802p_prio") if side == "roce_np" else REACTION)


def _one_number(lines: tuple[str, ...]) -> int:
    number = number_of(lines[0])
    if len(lines) > 1 or not isinstance(number, int):
        raise ValueError("more than one value")
    return number


def _ecn_facts(notification: dict[str, int], reaction: dict[str, int]) -> dict[str, Any]:
    missing: Any = Unobserved("the driver's files don't show it")
    return {
        "cnp_dscp": notification.get("cnp_dscp", missing),
        "cnp_priority": notification.get("cnp_802p_prio", missing),
        "dcqcn": Dcqcn(
            notification_priorities=_enabled(notification),
            reaction_priorities=_enabled(reaction),
            notification={name: notification.get(name, missing) for name in NOTIFICATION},
            reaction={name: reaction.get(name, missing) for name in REACTION},
        ),
    }


def _enabled(side: dict[str, int]) -> tuple[int, ...] | Unobserved:
    switches = [side.get(f"enable/{priority}") for priority in range(8)]
    if any(switch not in (0, 1) for switch in switches):
        return Unobserved("not all eight enable files are readable")
    return tuple(priority for priority, switch in enumerate(switches) if switch)


def read_cc_params(files: Files) -> Read:
    """As ``read_ecn``, from debugfs of the inbox driver, which has no enable files."""
    folder = files.command.split()[-1]
    found = files.below(folder)
    if not found:
        reason = files.why_not(folder)
        if reason is ABSENT:
            reason = Unobserved(f"no {folder}: kernel lockdown, an unmounted debugfs, or firmware without the right")
        return Read({"cnp_dscp": reason, "cnp_priority": reason, "dcqcn": reason})
    values: dict[str, int] = {}
    problems: list[Problem] = []
    for name, lines in sorted(found.items()):
        if name in UNUSED:
            continue
        try:
            values[DEBUGFS[name]] = _one_number(lines)
        except KeyError:
            problems.append(Problem(f"{name}: {lines[0]}", "a file that isn't known", ("nic", "dcqcn")))
        except ValueError as error:
            problems.append(Problem(f"{name}: {lines[0]}", str(error), ("nic", "dcqcn")))
    facts = _ecn_facts(values, values)
    unseen = Unobserved("the inbox driver doesn't show which priorities DCQCN is on for")
    dcqcn = facts["dcqcn"]
    facts["dcqcn"] = Dcqcn(unseen, unseen, dcqcn.notification, dcqcn.reaction)
    return Read(facts, tuple(problems))
