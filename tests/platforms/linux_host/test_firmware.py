"""Tables of mlxconfig and of register PPCC."""

from typing import Any

import pytest

from fabric_drift.platforms.linux_host.firmware import plain_value, read_mlxconfig, read_ppcc
from fabric_drift.state.values import Unobserved

HEAD = "\nDevice #1:\n----------\n\nDevice type:    ConnectX7\nName:           N/A\nDevice:         0000:18:00.0\n\n"
THREE = "Configurations:                              Default             Current             Next Boot\n"
ONE = "Configurations:                              Next Boot\n"
TRAILER = "The '*' shows parameters with next value different from default/current value.\n"


def test_with_e_the_table_has_current_and_next_boot() -> None:
    read = read_mlxconfig(f"{HEAD}{THREE}*        CNP_DSCP_P1        48      4      46\n{TRAILER}")
    assert (read.current, read.next_boot, read.problems) == ({"CNP_DSCP_P1": "4"}, {"CNP_DSCP_P1": "46"}, ())


def test_without_e_the_table_has_the_next_boot_only() -> None:
    read = read_mlxconfig(f"{HEAD}{ONE}         CNP_DSCP_P1                  46\n")
    assert (read.current, read.next_boot) == (None, {"CNP_DSCP_P1": "46"})


def test_a_starred_row_is_the_row_without_its_star() -> None:
    plain = read_mlxconfig(f"{THREE}         SRIOV_EN      False(0)   True(1)   True(1)\n")
    starred = read_mlxconfig(f"{THREE}*        SRIOV_EN      False(0)   True(1)   True(1)\n")
    assert plain.next_boot == starred.next_boot == {"SRIOV_EN": "1"}


def test_values_as_wide_as_their_column_are_told_apart() -> None:
    wide = "DEVICE_DEFAULT_LONG_WORD(0)"
    read = read_mlxconfig(f"{THREE}         SOME_PARAMETER      {wide} {wide} {wide}\n")
    assert read.next_boot == {"SOME_PARAMETER": "0"}


def test_an_array_is_unobserved_and_its_elements_are_read() -> None:
    rows = "         HAIRPIN      Array[0..7]  Array[0..7]  Array[0..7]\n         HAIRPIN[0]      128   128   128\n"
    found: Any = read_mlxconfig(THREE + rows).next_boot
    assert isinstance(found["HAIRPIN"], Unobserved)
    assert found["HAIRPIN[0]"] == "128"


@pytest.mark.parametrize(
    ("cell", "value"),
    [("True(1)", "1"), ("_8_TCs(0)", "0"), ("ETH(2)", "2"), ("6", "6"), ("0x10", "16"), ("0x0", "0"), ("N/A", "N/A")],
)
def test_a_value_is_its_number(cell: str, value: str) -> None:
    assert plain_value(cell) == value


@pytest.mark.parametrize(
    "text",
    [
        f"{THREE}         CNP_DSCP_P1        48      48\n",
        f"{THREE}         CNP_DSCP_P1 48 48 48\n         CNP_DSCP_P1 48 48 46\n",
        f"{THREE}-E- Failed to query the device\n",
        "Configurations:                              Default             Later\n",
        "-E- Failed to open device\n",
        f"something else\n{THREE}",
    ],
)
def test_a_line_that_is_no_row_is_told(text: str) -> None:
    read = read_mlxconfig(text)
    assert len(read.problems) >= 1
    assert not read.next_boot


def test_ppcc_0_is_dcqcn_and_1_is_programmable() -> None:
    assert read_ppcc("Field Name | Data\n====\nvalue    | 0x00000000\n")[0] == "dcqcn"
    assert read_ppcc("Field Name | Data\n====\nvalue    | 0x00000001\n")[0] == "pcc"


@pytest.mark.parametrize("text", ["", "value | 0x00000002\n", "value | 0x0\nvalue | 0x1\n", "status | 0x00000000\n"])
def test_ppcc_without_a_single_known_value_is_unobserved(text: str) -> None:
    value, problems = read_ppcc(text)
    assert isinstance(value, Unobserved)
    assert len(problems) == 1
