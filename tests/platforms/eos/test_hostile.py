"""Law 11: whatever a device answers, nothing is raised, nothing takes long, and damage is never clean."""

from __future__ import annotations

import os
import random

import pytest

from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.platform import Output
from fabric_drift.platforms.eos import PLATFORM
from fabric_drift.state import DeviceState, Unobserved
from tests.platforms.eos.pod import TARGET, leaf
from tests.platforms.eos.reading import answers, data
from tests.scaling import reads_in_linear_time

ROUNDS = int(os.environ.get("FABRIC_DRIFT_FUZZ", "1500"))
NOISE = [
    "leaf9#",
    '{"interfaceStatuses": {',
    "%LINEPROTO-5-UPDOWN: Line protocol changed",
    "\x1b[2J\x00",
    "!",
    "end",
    "",
]


def base() -> tuple[DeviceState, str]:
    expected = PLATFORM.localise(leaf(ports=4), TARGET)
    foreign = "hostname leaf3\n!\nrouter bgp 65009\n   neighbor 192.0.2.1 remote-as 65000\n"
    return expected, f"! Command: show running-config\n!\n{foreign}{PLATFORM.render(expected, TARGET)[0].text}!\nend\n"


def is_clean(expected: DeviceState, text: str) -> bool:
    reading = PLATFORM.parse({"show running-config": Output(text)})
    result = diff(expected, {Layer.RUNNING: reading.states[Layer.RUNNING]})
    told = [line for line in reading.unparsed if line.layer is Layer.RUNNING]
    identity = [item for item in result.differences if item[1].path[0] == "identity"]
    return len(result.differences) == len(identity) and not told


def owned_characters(text: str) -> list[int]:
    """Positions of visible characters of the lines we rendered (not of foreign sections, separators, ``end``)."""
    start = text.index("qos profile")
    return [index for index in range(start, len(text) - len("!\nend\n")) if text[index] not in "\n! "]


def test_the_undamaged_configuration_is_clean() -> None:
    assert is_clean(*base())


def test_a_garbled_character_of_an_owned_line_is_never_clean() -> None:
    expected, text = base()
    chance = random.Random(26)
    for position in chance.choices(owned_characters(text), k=ROUNDS):
        damaged = text[:position] + chance.choice("~#\x00\x7f\u2028\u00e9$") + text[position + 1 :]
        assert not is_clean(expected, damaged), damaged[position - 40 : position + 40]


def test_a_truncated_configuration_is_never_clean() -> None:
    expected, text = base()
    for position in random.Random(3).choices(range(len(text) - 1), k=ROUNDS // 3):
        assert not is_clean(expected, text[:position])


def test_two_interleaved_answers_are_never_clean() -> None:
    expected, text = base()
    other = data("leaf.cfg")
    chance = random.Random(48)
    lines = text.splitlines(keepends=True)
    for position in chance.choices(range(lines.index("qos profile ROCE\n"), len(lines) - 1), k=ROUNDS // 10):
        mixed = "".join(lines[:position]) + other + "".join(lines[position:])
        assert not is_clean(expected, mixed)


def test_noise_inside_of_an_owned_section_is_never_clean() -> None:
    expected, text = base()
    lines = text.splitlines(keepends=True)
    inside = [index for index, line in enumerate(lines) if line.startswith("   ") and index > 8 and "!" not in line]
    for index in inside:
        for noise in NOISE[:4]:
            assert not is_clean(
                expected, "".join(lines[:index]) + noise + lines[index][3:] + "".join(lines[index + 1 :])
            )


@pytest.mark.parametrize("line", ["qos map dscp 8 to traffic-class 1", "dcbx application udp 4791 priority 5"])
@pytest.mark.parametrize("noise", ["%LINK-3-UPDOWN: x\n", "sudo: no tty\n", "\n"])
def test_a_line_nobody_asked_for_that_noise_broke_in_two_is_told(line: str, noise: str) -> None:
    expected, text = base()
    for position in range(1, len(line)):
        broken = text.replace("!\nend\n", f"{line[:position]}{noise}{line[position:]}\n!\nend\n")
        assert broken != text
        assert not is_clean(expected, broken), line[:position]


def test_nothing_is_raised_whatever_is_answered() -> None:
    _, text = base()
    chance = random.Random(64)
    whole = answers(text)
    for _ in range(ROUNDS):
        command = chance.choice(list(whole))
        characters = list(whole[command].stdout)
        for _ in range(chance.randint(1, 8)):
            position = chance.randrange(len(characters))
            action = chance.randrange(4)
            if action == 0:
                characters[position] = chr(chance.randrange(0x250))
            elif action == 1:
                del characters[position : position + chance.randrange(1, 40)]
                characters += ["x"]
            elif action == 2:
                characters.insert(position, chance.choice(NOISE))
            else:
                characters[position:position] = characters[position : position + chance.randrange(200)]
        reading = PLATFORM.parse({**whole, command: Output("".join(characters))})
        assert set(reading.states) == {Layer.SAVED, Layer.RUNNING, Layer.NOS}


@pytest.mark.parametrize(
    "junk",
    [
        "qos map dscp " + "1 " * 500_000 + "to traffic-class 1",
        "\n".join("interface Ethernet1/1\n   mtu 9" for _ in range(30_000)),
        "\n".join(f"   random-detect ecn minimum-threshold {n}" for n in range(20_000)),
        "\n".join(f"qos profile {n}" for n in range(60_000)),
        "qos map dscp " + "0-63 " * 190 + "to traffic-class 1",
        "interface Ethernet1/1\n" + "\n".join(f"   {'a' * (n % 50)}{n} x" for n in range(50_000)),
        "\n".join(f"{'qo' * 15}{n} x" for n in range(20_000)),
        " " * 1_000_000,
        "\n" * 1_000_000,
        "priority-flow-control pause watchdog default timeout " + "9" * 1_000_000,
    ],
    ids=range(10),
)
def test_a_megabyte_of_junk_is_read_in_linear_time(junk: str) -> None:
    assert reads_in_linear_time(lambda text: PLATFORM.parse({"show running-config": Output(f"{text}\nend\n")}), junk)


def test_an_answer_of_200_megabytes_is_refused_unread() -> None:
    states = PLATFORM.parse({"show running-config": Output("x" * 200_000_000)}).states
    assert isinstance(states[Layer.RUNNING].ports, Unobserved)
