"""Every end of a login and of a command is told apart, and none of them looks like an answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from fabric_drift.errors import FabricDriftError, Unauthorised, Unreachable
from fabric_drift.platform import Command, Output
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.ssh import connect
from tests.transport.server import FakeDevice, Login, Password, endless, half_then_drop, hang, no_sudo, serve

SHOW = Command("show x")
LIMITS = Limits(connect_seconds=5, command_seconds=5, answer_bytes=1_000_000)


def ask(tmp_path: Path, answer: Any, *, seconds: float = 5, command: Command = SHOW) -> Output:
    async def go() -> Output:
        async with serve(tmp_path, FakeDevice({command.wire: answer})) as login, connect(login, LIMITS) as session:
            return await session.run(command, seconds, f"the command's {seconds:g} s")

    return asyncio.run(go())


def refused(tmp_path: Path, **changes: Any) -> FabricDriftError:
    async def go() -> None:
        async with serve(tmp_path, FakeDevice({})) as login, connect(replace(login, **changes), LIMITS):
            pytest.fail("the login should have been refused")

    with pytest.raises(FabricDriftError) as caught:
        asyncio.run(go())
    return caught.value


def trust_another(kind: str, login: Login) -> None:
    """known_hosts as it was before the device's key changed."""
    key = asyncssh.generate_private_key(kind).export_public_key().decode().split()
    Path(login.known_hosts[0]).write_text(f"[127.0.0.1]:{login.port} {key[0]} {key[1]}\n")


def test_an_answer_comes_back_whole_with_its_exit_status(tmp_path: Path) -> None:
    assert ask(tmp_path, "mtu 9100\r\n") == Output("mtu 9100\r\n", "", 0, "")


def test_a_privileged_command_goes_through_sudo_without_a_prompt(tmp_path: Path) -> None:
    assert ask(tmp_path, "ok", command=Command("show x", privileged=True)).stdout == "ok"


def test_an_unknown_command_keeps_its_exit_status_and_complaint(tmp_path: Path) -> None:
    async def go() -> Output:
        async with serve(tmp_path, FakeDevice({})) as login, connect(login, LIMITS) as session:
            return await session.run(Command("nope"), 5, "5 s")

    output = asyncio.run(go())
    assert (output.exit_status, output.stderr, output.whole) == (127, "sh: 1: nope: not found\n", False)


def test_a_refused_sudo_is_no_answer(tmp_path: Path) -> None:
    output = ask(tmp_path, no_sudo)
    assert (output.whole, output.stderr) == (False, "sudo: a password is required\n")


def test_a_command_that_hangs_ends_at_its_deadline(tmp_path: Path) -> None:
    output = ask(tmp_path, hang, seconds=0.3)
    assert (output.whole, output.error) == (False, "no whole answer within the command's 0.3 s")


def test_an_answer_of_200_mb_is_cut_and_told(tmp_path: Path) -> None:
    output = ask(tmp_path, endless, seconds=30)
    assert len(output.stdout) == LIMITS.answer_bytes
    assert (output.whole, output.error) == (False, "the answer is larger than 1000000 bytes and was cut")


def test_a_connection_that_drops_in_the_middle_is_told(tmp_path: Path) -> None:
    output = ask(tmp_path, half_then_drop)
    assert not output.whole
    assert output.error.startswith("the connection ")


def test_bytes_that_are_not_utf8_are_told_with_their_place(tmp_path: Path) -> None:
    output = ask(tmp_path, b"mtu \xff9100\n")
    assert (output.whole, output.error) == (False, "the answer isn't UTF-8 at byte 4")
    assert output.stdout == "mtu \\xff9100\n"


def test_a_closed_port_is_unreachable(tmp_path: Path) -> None:
    error = refused(tmp_path, port=1)
    assert isinstance(error, Unreachable)
    assert error.text() == (
        "leaf1: 127.0.0.1 port 1 refuses connections. "
        "Check ansible_host and ansible_port, and that SSH runs there. [FD-SSH-001]"
    )


def test_a_name_that_does_not_resolve_is_unreachable(tmp_path: Path) -> None:
    error = refused(tmp_path, address="nowhere.invalid")
    assert (type(error), error.code) == (Unreachable, "FD-SSH-002")


def test_a_wrong_password_is_unauthorised_and_not_printed(tmp_path: Path) -> None:
    error = refused(tmp_path, password=Password("wrong-and-secret"))
    assert isinstance(error, Unauthorised)
    assert error.text().startswith("leaf1: the device refused the login of user 'drift'.")
    assert "wrong-and-secret" not in error.text()


def test_a_changed_host_key_is_told_as_changed(tmp_path: Path) -> None:
    async def go() -> None:
        async with serve(tmp_path, FakeDevice({})) as login:
            trust_another("ssh-ed25519", login)
            async with connect(login, LIMITS):
                pytest.fail("another device was accepted")

    with pytest.raises(Unreachable, match=r"isn't the known one: another device answers.*\[FD-SSH-003\]"):
        asyncio.run(go())


def test_a_changed_host_key_of_another_kind_is_told_as_changed(tmp_path: Path) -> None:
    async def go() -> None:
        async with serve(tmp_path, FakeDevice({})) as login:
            trust_another("ecdsa-sha2-nistp256", login)
            async with connect(login, LIMITS):
                pytest.fail("another device was accepted")

    with pytest.raises(Unreachable, match=r"\[FD-SSH-003\]"):
        asyncio.run(go())


def test_an_unknown_host_key_is_refused_by_default(tmp_path: Path) -> None:
    error = refused(tmp_path, known_hosts=(str(tmp_path / "none"),))
    assert isinstance(error, Unreachable)
    assert "isn't known" in error.text()
    assert error.code == "FD-SSH-008"


def test_a_missing_key_file_is_unauthorised(tmp_path: Path) -> None:
    error = refused(tmp_path, key_files=(str(tmp_path / "no_key"),))
    assert (type(error), error.code) == (Unauthorised, "FD-SSH-006")
