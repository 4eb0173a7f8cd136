"""The program that runs on hosts, as a library."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PLATFORM = Path(__file__).parents[3] / "fabric_drift" / "platforms" / "linux_host"
LIBRARY = PLATFORM / "files" / "tree" / "usr" / "lib" / "roce-qos"


@pytest.fixture(scope="module")
def program() -> Iterator[Any]:
    """The program's own modules."""
    sys.path.insert(0, str(LIBRARY))
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    from roce_qos import conf, host, nic, settings  # noqa: PLC0415 - only on the path now

    yield {"library": str(LIBRARY), "conf": conf, "host": host, "nic": nic, "settings": settings}
    sys.path.remove(str(LIBRARY))
    sys.dont_write_bytecode = writes
