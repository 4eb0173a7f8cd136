"""Who answered: hostname, kernel, distribution, board."""

from __future__ import annotations

import re
from typing import Any

from fabric_drift.finding import Layer
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host.answers import Problem, Problems
from fabric_drift.platforms.linux_host.discovery import IDENTITY
from fabric_drift.platforms.linux_host.files import read_files
from fabric_drift.state.device import Identity
from fabric_drift.state.values import ABSENT, Unobserved

_LINE = re.compile(r"^(?P<path>/(?:proc|etc|sys)/[^:\s]{1,100}):")


def read_identity_files(output: Output | None, problems: Problems) -> Identity:
    """Hostname, kernel release and board, as the kernel says them."""
    files = read_files(IDENTITY, output, _LINE)
    strays = tuple(Problem(line, "not a line of grep -H", (), number) for number, line in files.strays)
    problems.add(Layer.RUNNING, IDENTITY, ("identity",), strays)

    def fact(path: str) -> Any:
        value = files.value(path)
        if value is ABSENT:
            return Unobserved(f"{path} isn't there")
        return value.strip() if isinstance(value, str) else value

    return Identity(
        hostname=fact("/proc/sys/kernel/hostname"),
        release=fact("/proc/sys/kernel/osrelease"),
        hardware=fact("/sys/class/dmi/id/product_name"),
    )
