"""What the next boot will bring: ``/etc/roce-qos/PCI.conf`` and the job files, as ``grep -Hn`` shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host.answers import Problem
from fabric_drift.platforms.linux_host.commands import JOB_FILES, ROCE_QOS
from fabric_drift.platforms.linux_host.conf import BY_NAME, KEYS
from fabric_drift.platforms.linux_host.discovery import PCI
from fabric_drift.platforms.linux_host.files import Files, read_files
from fabric_drift.state.device import Dcqcn, Nic, Pfc, Port, PortQos, QosMaps
from fabric_drift.state.values import ABSENT, Missing, Unobserved

FOLDER = "/etc/roce-qos"
MOST_LINES = 200
_CONF_LINE = re.compile(rf"^({FOLDER}/(?:{PCI}\.conf|[^:\n]{{1,200}})):(\d{{1,6}}:.*)$", re.MULTILINE)
_JOB_LINE = re.compile(r"^(/etc/(?:nccl|ucx/ucx)\.conf):(\d{1,6}:.*)$", re.MULTILINE)
_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]{0,63})=(?P<value>.{0,400})")


@dataclass(frozen=True, slots=True)
class SavedPorts:
    """Files of the folder by PCI address; ``others``: names of files that no NIC has."""

    files: Files
    by_pci: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    others: tuple[str, ...] = ()

    def port(self, pci: str) -> tuple[Port, tuple[Problem, ...]]:
        """Read the saved facts of one NIC."""
        lines = self.by_pci.get(pci)
        if lines is not None and len(lines) > MOST_LINES:
            return unsaved_port(Unobserved(f"{FOLDER}/{pci}.conf has {len(lines)} lines: not a file of ours")), ()
        if lines is not None:
            return read_conf(lines)
        folder_missing = self.files.complaints.get(FOLDER) is not None
        if self.files.trouble or folder_missing or f"{FOLDER}/{pci}.conf" in self.files.complaints:
            reason = self.files.why_not(f"{FOLDER}/{pci}.conf")
            if reason is ABSENT:
                reason = Unobserved(f"no {FOLDER} on this host: what sets the NIC at boot isn't known")
            return unsaved_port(reason), ()
        return unsaved_port(ABSENT), ()


def read_saved_ports(output: Output | None, known: frozenset[str]) -> SavedPorts:
    """Read the folder. ``known``: PCI addresses of the host's NICs."""
    files = read_files(ROCE_QOS, output, _CONF_LINE)
    by_pci: dict[str, tuple[str, ...]] = {}
    others: list[str] = []
    for path, lines in sorted(files.lines.items()):
        name = path.removeprefix(FOLDER + "/")
        pci = name.removesuffix(".conf")
        if name != pci and pci in known:
            by_pci[pci] = lines
        else:
            others.append(name)
    return SavedPorts(files, by_pci, tuple(others))


@lru_cache(maxsize=512)
def read_conf(lines: tuple[str, ...]) -> tuple[Port, tuple[Problem, ...]]:
    """Port of one file; ``lines`` as ``NUMBER:TEXT``. A key that isn't there is ABSENT: the boot won't set it."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for row in lines:
        number, _, text = row.partition(":")
        if text.lstrip().startswith("#"):
            continue
        found = _ASSIGNMENT.fullmatch(text.strip())
        key = BY_NAME.get(found["name"]) if found else None
        if not found or not key:
            problems.append(Problem(text, "not a key that is known", line_number=int(number)))
        elif key.name in values:
            problems.append(Problem(text, "a second value", _below(key.name), int(number)))
            values[key.name] = Unobserved("the file has two values for it")
        else:
            try:
                values[key.name] = key.read(found["value"])
            except ValueError as error:
                problems.append(Problem(text, str(error), _below(key.name), int(number)))
                values[key.name] = Unobserved(f"the file's value isn't readable: {error}")
    return port_of(values), tuple(problems)


PARTS: Mapping[str, tuple[str, ...]] = {
    "port": (),
    "qos": ("qos",),
    "maps": ("qos", "maps"),
    "pfc": ("qos", "pfc"),
    "nic": ("nic",),
    "dcqcn": ("nic", "dcqcn"),
    "notification": ("nic", "dcqcn", "notification"),
    "reaction": ("nic", "dcqcn", "reaction"),
}


def _below(name: str) -> tuple[str, ...]:
    key = BY_NAME[name]
    return (*PARTS[key.part], key.field)


def port_of(values: Mapping[str, Any]) -> Port:
    """Make a port whose keyed facts are ``values``, or ABSENT where there is none."""
    parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for key in KEYS:
        parts[key.part][key.field] = values.get(key.name, ABSENT)
    dcqcn = Dcqcn(notification=_side(parts["notification"]), reaction=_side(parts["reaction"]), **parts["dcqcn"])
    qos = PortQos(maps=QosMaps(**parts["maps"]), pfc=Pfc(**parts["pfc"]), **parts["qos"])
    return Port(qos=qos, nic=Nic(dcqcn=dcqcn, **parts["nic"]), **parts["port"])


def _side(parameters: dict[str, Any]) -> Any:
    """Parameters of one side; ABSENT ones are left out, as a mapping says absence."""
    return {name: value for name, value in sorted(parameters.items()) if value is not ABSENT}


def unsaved_port(missing: Missing) -> Port:
    """Make a port that no file speaks of: ``missing`` as whole subtrees, so that it is told once."""
    facts: dict[str, Any] = {key.field: missing for key in KEYS if key.part == "port"}
    nic = Nic(dcqcn=missing, **{key.field: missing for key in KEYS if key.part == "nic"})
    return Port(qos=missing, nic=nic, **facts)


def read_job(output: Output | None) -> tuple[Any, tuple[Problem, ...]]:
    """Job environment of /etc/nccl.conf and /etc/ucx/ucx.conf. A name that is there twice is Unobserved."""
    files = read_files(JOB_FILES, output, _JOB_LINE)
    if files.trouble:
        return Unobserved(files.trouble), ()
    for path in ("/etc/nccl.conf", "/etc/ucx/ucx.conf"):
        reason = files.why_not(path)
        if path not in files.lines and reason is not ABSENT:
            return reason, ()
    found: dict[str, Any] = {}
    problems = [Problem(line, "not a line of grep -Hn", line_number=number) for number, line in files.strays]
    for path, lines in sorted(files.lines.items()):
        for row in lines:
            problems += _job_line(path, row, found)
    return dict(sorted(found.items())), tuple(problems)


def _job_line(path: str, row: str, found: dict[str, Any]) -> list[Problem]:
    number, _, text = row.partition(":")
    if text.lstrip().startswith("#"):
        return []
    match = _ASSIGNMENT.fullmatch(text.strip())
    if not match:
        return [Problem(f"{path}:{text}", "not NAME=VALUE", (), int(number))]
    if match["name"] in found:
        found[match["name"]] = Unobserved("set twice, and which one a job sees depends on the library")
        return [Problem(f"{path}:{text}", "a second value", (match["name"],), int(number))]
    found[match["name"]] = match["value"]
    return []
