"""The commands of a recorded session of real tools, in their order: the same answers, where mlx5 isn't special."""

from __future__ import annotations

import json

import pytest

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import EMULATOR
from tests.lab.linux_host.conftest import RAIL1, RAIL2, Block

NAMES = {"fdcb0": "enp24s0np0", "fdcb1": "enp42s0np0"}
# mlx5 takes DSCP entries only, replaces an entry of a DSCP itself, and reads 100 % back for a TC that isn't ets.
OTHER_ON_MLX5 = ("default-prio", "ethtype-prio", "--dscp2prio set,48,6", "dcb -j app show dev fdcb1")


def native(command: str) -> str:
    for name, netdev in NAMES.items():
        command = command.replace(name, netdev)
    return command.removeprefix("python3 ./")


def answer(store: Store, command: str) -> tuple[str, int]:
    given = EMULATOR.run(store, f"sudo -n {native(command)}")
    return given.stderr + given.stdout, given.exit_status


def lines(text: str) -> list[str]:
    return sorted(line for line in text.splitlines() if line)


@pytest.mark.witness
def test_mlnx_qos_prints_what_the_real_one_prints(fresh: Store, session: list[Block]) -> None:
    compared = 0
    for command, output, status in session:
        if "mlnx_qos" not in command or "fdcb0" in command or any(word in command for word in OTHER_ON_MLX5):
            continue
        assert answer(fresh, command) == (output, status), command
        compared += 1
    assert compared == 15


@pytest.mark.witness
def test_dcb_shows_a_fresh_port_like_the_real_one(fresh: Store, session: list[Block]) -> None:
    """Up to the first change, text and JSON."""
    compared = 0
    for command, output, status in session:
        if " set " in command:
            break
        if not command.startswith("dcb") or "dev fdcb0" not in command:
            continue
        if "-p" in command.split():
            pretty = json.loads(output) if status == 0 else {}
            plain = EMULATOR.run(fresh, native(command.replace(" -p", "")))
            assert (json.loads(plain.stdout) if status == 0 else {}) == pretty, command
        elif status == 0:
            assert answer(fresh, command) == (output, status), command
        compared += 1
    assert compared == 16


@pytest.mark.witness
def test_dcb_sets_and_shows_like_the_real_one(fresh: Store, session: list[Block]) -> None:
    compared = 0
    started = False
    for command, output, status in session:
        started = started or " set " in command
        if not started or not command.startswith("dcb") or any(word in command for word in OTHER_ON_MLX5):
            continue
        if command == "dcb -j pfc":
            break
        text, code = answer(fresh, command)
        assert code == status, command
        if "ets show" not in command and "app show" not in command:
            assert lines(text) == lines(output), command
            compared += 1
    assert compared == 18


@pytest.mark.witness
def test_ets_differs_from_the_real_session_only_in_shares_of_tcs_without_ets(
    fresh: Store, session: list[Block]
) -> None:
    command = "dcb ets set dev fdcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3 6:6"
    assert answer(fresh, command) == ("", 0)
    real = next(json.loads(output) for shown, output, _ in session if shown == "dcb -j ets show dev fdcb0")
    ours = json.loads(answer(fresh, "dcb -j ets show dev fdcb0")[0])
    assert ours["tc_bw"] == [50, 100, 100, 50, 100, 100, 100, 100]
    assert list(ours) == list(real)
    assert ours | {"tc_bw": real["tc_bw"]} == real


@pytest.mark.witness
def test_the_app_table_is_shown_like_the_real_one(fresh: Store, session: list[Block]) -> None:
    answer(fresh, "dcb app add dev fdcb0 dscp-prio 26:3 48:6")
    text = answer(fresh, "dcb app show dev fdcb0")[0]
    real = next(output for shown, output, _ in session if shown == "dcb app show dev fdcb0" and output)
    assert text in real
    answer(fresh, "dcb app replace dev fdcb0 dscp-prio CS6:7")
    real = next(output for shown, output, _ in session if shown == "dcb -j app show dev fdcb0 dscp-prio")
    assert answer(fresh, "dcb -j app show dev fdcb0 dscp-prio")[0] == real


def test_the_session_has_both_ports_of_the_lab(fresh: Store) -> None:
    assert [fresh["nics"][pci]["netdev"] for pci in (RAIL1, RAIL2)] == list(NAMES.values())
