"""A row whose key was damaged is somebody's: until it is known whose, nobody's rows are whole."""

from __future__ import annotations

from typing import Any

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platform import Reading
from fabric_drift.platforms.sonic import PLATFORM
from tests.platforms.sonic.test_lower_layers import dumped, outputs

KEY = "BUFFER_PG_TABLE:Ethernet0:3-4"


NO_PORTS = ["BUFFER_PG_TABLE:Ethern\u00e9t0:3-4", "BUFFER_PG_TABLE:Ether~et0:3-4", "BUFFER_PG_TABLE:#:3-4"]
NO_TABLES = ["BUFFER\udcffPG_TABLE:Ethernet0:3-4", "~UFFER_PG_TABLE:Ethernet0:3-4", "BUFFER_PG_TABLE~Ethernet0:3-4"]


def read_with(key: str) -> Reading:
    """The switch, where the key of one row of a port's lossless group arrives as ``key``."""
    rows: dict[str, Any] = dumped("appl_buffers")
    assert KEY in rows
    return PLATFORM.parse(outputs(appl_buffers={key if name == KEY else name: row for name, row in rows.items()}))


def doubts(reading: Reading) -> set[tuple[str, ...]]:
    return {line.path for line in reading.unparsed if line.layer is Layer.NOS}


def test_the_whole_key_leaves_no_doubt() -> None:
    assert doubts(read_with(KEY)) == set()


@pytest.mark.parametrize("key", NO_PORTS)
def test_a_name_that_no_port_can_have_puts_every_port_in_doubt(key: str) -> None:
    assert ("ports",) in doubts(read_with(key))


@pytest.mark.parametrize("key", NO_TABLES)
def test_a_name_that_no_table_can_have_puts_the_layer_in_doubt(key: str) -> None:
    assert () in doubts(read_with(key))


def test_rows_of_a_port_that_is_gone_are_told_and_cloud_no_other() -> None:
    assert doubts(read_with("BUFFER_PG_TABLE:Ethernet999:3-4")) == {("ports", "Ethernet999")}
