"""Sessions that may write: input, refusals, timeouts, and nothing more after a lost connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from fabric_drift.change import Action
from fabric_drift.errors import FabricDriftError, Unauthorised, Unreachable, Unsupported
from fabric_drift.platform import Output
from fabric_drift.transport.control import exec_control
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.shell import shell_control
from tests.transport.server import FakeDevice, Login, Password, half_then_drop, hang, serve

LIMITS = Limits(connect_seconds=5.0)


async def echo(process: asyncssh.SSHServerProcess[bytes]) -> None:
    """Gives back what it reads, to the end of its input."""
    process.stdout.write(await process.stdin.read())
    process.exit(0)


async def refuse(process: asyncssh.SSHServerProcess[bytes]) -> None:
    process.stdout.write(b"Failed to apply patch\n")
    process.stderr.write(b"Error: no\n")
    process.exit(2)


def exec_answers(tmp_path: Path, device: FakeDevice, *actions: Action) -> list[Output]:
    async def go() -> list[Output]:
        async with serve(tmp_path, device) as login, exec_control(login, LIMITS) as session:
            return [await session.act(action) for action in actions]

    return asyncio.run(go())


def test_input_reaches_the_command_whole(tmp_path: Path) -> None:
    text = "".join(f"line {n}\n" for n in range(50_000))
    (answer,) = exec_answers(tmp_path, FakeDevice({"tee f": echo}), Action("tee f", text))
    assert answer == Output(text)


def test_a_refusal_is_an_answer(tmp_path: Path) -> None:
    refused, fine = exec_answers(tmp_path, FakeDevice({"patch": refuse, "ok": "ok"}), Action("patch"), Action("ok"))
    assert refused == Output("Failed to apply patch\n", "Error: no\n", 2)
    assert fine == Output("ok")


@pytest.mark.parametrize("accident", [half_then_drop, hang], ids=["drop", "hang"])
def test_after_an_action_without_an_end_nothing_more_is_sent(tmp_path: Path, accident: Callable[..., Any]) -> None:
    device = FakeDevice({"commit": accident, "next": "ok"})
    lost, then = exec_answers(tmp_path, device, Action("commit", timeout_s=1), Action("next"))
    assert lost.exit_status is None
    assert lost.error
    assert then.error == "not sent: the connection was lost before"
    assert device.asked == ["commit"]


class Shell:
    """A small network device with a configuration mode."""

    def __init__(self, silent_at: str = "") -> None:
        self.lines: list[str] = []
        self.mode = ""
        self.silent_at = silent_at

    async def handle(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        process.stdout.write(b"leaf3>")
        self.enabled = False
        async for raw in process.stdin:
            line = raw.decode().strip()
            if line:
                self.lines.append(line)
            if self.silent_at and line == self.silent_at:
                await asyncio.sleep(3600)
            text = f"{line}\n{self.answer(line)}leaf3{self.mode}{'#' if self.enabled else '>'}"
            process.stdout.write(text.replace("\n", "\r\n").encode())

    def answer(self, line: str) -> str:
        if line == "enable":
            self.enabled = True
        if line.startswith("configure session"):
            self.mode = "(config-s-fabric)"
        if line == "end":
            self.mode = ""
        if line.startswith("terminal width"):
            return "Width set to 511 columns.\n"
        if line.startswith("terminal length"):
            return "Pagination disabled.\n"
        return "% Invalid input\n" if line == "nonsense" else "line # with a hash\n" if line == "show it" else ""


def shell_answers(
    tmp_path: Path, shell: Shell, *actions: Action, change: Callable[[Login], Login] = lambda login: login
) -> list[Output]:
    async def go() -> list[Output]:
        served = serve(tmp_path, shell)  # type: ignore[arg-type]  # anything with handle()
        async with served as login, shell_control(change(login), LIMITS, "arista_eos") as session:
            return [await session.act(action) for action in actions]

    return asyncio.run(go())


def test_a_shell_keeps_its_mode_and_gives_each_line_its_answer(tmp_path: Path) -> None:
    shell = Shell()
    lines = ("configure session fabric-drift-1", "qos map", "nonsense", "show it", "end", "show it")
    answers = shell_answers(tmp_path, shell, *(Action(line) for line in lines))
    assert [answer.stdout.strip() for answer in answers] == [
        "", "", "% Invalid input", "line # with a hash", "", "line # with a hash",
    ]  # fmt: skip
    assert all(answer.whole for answer in answers)
    assert shell.lines[-6:] == list(lines)
    assert "enable" in shell.lines


def test_a_prompt_that_isnt_seen_in_time_means_lost(tmp_path: Path) -> None:
    shell = Shell(silent_at="commit")
    lost, then = shell_answers(tmp_path, shell, Action("commit", timeout_s=2), Action("end"))
    assert lost.error.startswith("no prompt after the line")
    assert then.error == "not sent: the connection was lost before"
    assert shell.lines[-1] == "commit"


def test_a_shell_takes_no_second_line_in_disguise(tmp_path: Path) -> None:
    shell = Shell()
    (answer,) = shell_answers(tmp_path, shell, Action("show it\nreload"))
    assert answer.error == "not sent: a shell takes one line per action"
    assert "reload" not in shell.lines


def _stranger(login: Login) -> Login:
    Path(login.known_hosts[0]).write_text("")
    return login


def _other_key(login: Login) -> Login:
    key = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().split()
    Path(login.known_hosts[0]).write_text(f"[127.0.0.1]:{login.port} {key[0]} {key[1]}\n")
    return login


@pytest.mark.parametrize(
    ("change", "kind", "code"),
    [
        (_stranger, Unreachable, "FD-SSH-003"),
        (_other_key, Unreachable, "FD-SSH-003"),
        (lambda login: replace(login, password=Password("wrong")), Unauthorised, "FD-SSH-004"),
        (lambda login: replace(login, port=1), Unreachable, "FD-SSH-001"),
        (lambda login: replace(login, jump="a@b"), Unsupported, "FD-SSH-010"),
    ],
    ids=["unknown host key", "changed host key", "wrong password", "nobody there", "jump host"],
)
def test_a_shell_that_cant_be_opened_says_who_must_act(
    tmp_path: Path, change: Callable[[Login], Login], kind: type[FabricDriftError], code: str
) -> None:
    with pytest.raises(kind) as raised:
        shell_answers(tmp_path, Shell(), Action("show it"), change=change)
    assert raised.value.code == code
