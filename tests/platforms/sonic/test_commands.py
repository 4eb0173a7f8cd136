"""What is asked: nothing but the listed reads, and device text never makes a command of its own."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

import fabric_drift.platforms.sonic as package
from fabric_drift.platform import Output
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.platforms.sonic import commands as c

READERS = ("cat", "sonic-cfggen", "sonic-db-dump")


def _running(platform: str, hwsku: str) -> dict[str, Output]:
    text = json.dumps({"DEVICE_METADATA": {"localhost": {"platform": platform, "hwsku": hwsku}}})
    return {c.RUNNING.text: Output(text)}


def test_the_first_round_needs_no_answers() -> None:
    assert PLATFORM.commands({}) == c.FIRST_ROUND


def test_the_headroom_table_of_the_hwsku_is_the_second_round_and_the_last() -> None:
    outputs = _running("x86_64-arista_7060x6_64pe", "Arista-7060X6-64PE")
    (command,) = PLATFORM.commands(outputs)
    assert command.text == (
        "cat /usr/share/sonic/device/x86_64-arista_7060x6_64pe/Arista-7060X6-64PE/pg_profile_lookup.ini"
    )
    assert re.fullmatch(command.pattern, command.text)
    assert PLATFORM.commands({**outputs, command.text: Output(exit_status=1)}) == ()


@pytest.mark.parametrize("name", ["..", "a/b", "a b", "$(reboot)", "a;reboot", "a\nreboot", "", "'", "a" * 65, ".x"])
def test_a_name_that_is_no_plain_word_makes_no_command(name: str) -> None:
    assert PLATFORM.commands(_running("x86_64-kvm", name)) == ()
    assert PLATFORM.commands(_running(name, "Force10-S6000")) == ()


def test_every_command_only_reads() -> None:
    for command in c.FIRST_ROUND:
        words = shlex.split(command.text)
        assert words[0] in READERS
        assert not {"-o", "--output", "--write-to-db"} & set(words)


def test_no_command_holds_a_star_that_a_shell_or_sudo_would_expand() -> None:
    for command in c.FIRST_ROUND:
        assert not re.search(r"(?<!\\)[*?\[\]]", command.text)


def test_the_readme_lists_every_command() -> None:
    readme = (Path(package.__file__).parent / "README.md").read_text()
    for command in c.FIRST_ROUND:
        assert f"| `{command.text}` |" in readme
