"""Who answered: hostname, distribution release, board."""

from __future__ import annotations

import re
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host.answers import Problem, Problems, clip
from fabric_drift.platforms.linux_host.discovery import IDENTITY
from fabric_drift.platforms.linux_host.files import Files, read_files
from fabric_drift.state.device import Identity
from fabric_drift.state.values import ABSENT, Unobserved

_VERSION_ID = re.compile(r"VERSION_ID=\"?([A-Za-z0-9._-]{1,20})\"?")
_LINE = re.compile(r"^(/(?:proc|etc|sys)/[^:\s]{1,100}):(.*)$", re.MULTILINE)


def read_identity_files(output: Output | None, problems: Problems) -> Identity:
    """Hostname, release (VERSION_ID of os-release: 22.04, 12) and board."""
    files = read_files(IDENTITY, output, _LINE)
    strays = tuple(Problem(line, "not a line of grep -H", (), number) for number, line in files.strays)
    problems.add(Layer.RUNNING, IDENTITY, ("identity",), strays)

    def fact(path: str) -> Any:
        if len(files.lines.get(path, ())) > 1:
            problems.add(
                Layer.RUNNING, IDENTITY, ("identity",), (Problem(f"{path}:{files.lines[path][1]}", "a second line"),)
            )
            return Unobserved(f"{path} shows more than one line")
        value = files.value(path)
        if value is ABSENT:
            return Unobserved(f"{path} isn't there")
        return value.strip() if isinstance(value, str) else value

    return Identity(
        hostname=fact("/proc/sys/kernel/hostname"),
        release=_release(files),
        hardware=fact("/sys/class/dmi/id/product_name"),
    )


def _release(files: Files) -> Any:
    lines = files.lines.get("/etc/os-release", ())
    found = [match[1] for line in lines if (match := _VERSION_ID.fullmatch(line.strip()))]
    if len(found) == 1:
        return found[0]
    reason = files.why_not("/etc/os-release")
    return reason if isinstance(reason, Unobserved) else Unobserved("/etc/os-release has no single VERSION_ID")


def kernel_note(output: Output | None) -> str:
    """Kernel and driver version for people; "" where neither was seen."""
    files = read_files(IDENTITY, output, _LINE)
    kernel = files.value("/proc/sys/kernel/osrelease")
    driver = files.value("/sys/module/mlx5_core/version")
    parts = [f"kernel {clip(kernel)}"] if isinstance(kernel, str) else []
    parts += [f"mlx5_core {clip(driver)}"] if isinstance(driver, str) else []
    return ", ".join(parts)
