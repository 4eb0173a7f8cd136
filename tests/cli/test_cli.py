"""The command line: what a user types, what comes out, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
import typer

from fabric_drift import registry
from fabric_drift.cli import lazy, main, schema
from fabric_drift.cli.options import intent_directory
from fabric_drift.errors import IntentError, IntentErrors, Refused
from fabric_drift.platform import Rendered
from fabric_drift.state import DeviceState
from fabric_drift.transport import Recording, captures
from fabric_drift.workflow import expectations as seam
from fabric_drift.workflow.paths import resolve
from fabric_drift.workflow.render import write
from tests.workflow.toy import Toy, ToyDevice, answers, changed, expectations, port

REPO = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def toyland(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An intent directory of two toy devices, as the only platform."""
    (tmp_path / "intent").mkdir()
    (tmp_path / "intent" / "fabric.yml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(seam, "from_intent", lambda _: expectations(ToyDevice("leaf1"), ToyDevice("leaf2")))
    monkeypatch.setattr(registry, "platforms", lambda: {"toy": Toy()})


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """(exit code, stdout, stderr)."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    out, err = capsys.readouterr()
    code = ended.value.code
    return (code if isinstance(code, int) else 0), out, err


def captured(tmp_path: Path, **changes: Any) -> str:
    """Captures of both devices; ``changes`` are made to leaf1."""
    for name in ("leaf1", "leaf2"):
        said = answers(name, **(changes if name == "leaf1" else {}))
        captures.write(tmp_path / "captures", Recording(name, "toy", said))
    return str(tmp_path / "captures")


Capsys = pytest.CaptureFixture[str]


def test_a_fabric_in_sync_exits_0_with_two_lines(capsys: Capsys, tmp_path: Path) -> None:
    code, out, err = run(capsys, "check", "--captures", captured(tmp_path))
    assert (code, out, err) == (0, "drift: 0; 42 facts as intended\nchecked 2 of 2\n", "")


def test_drift_exits_4_and_names_the_fact(capsys: Capsys, tmp_path: Path) -> None:
    code, out, _ = run(capsys, "check", "--captures", captured(tmp_path, running=changed(pfc=[])))
    assert code == 4
    assert out.startswith("~ ports/*/qos/pfc/priorities [running]  3 -> none  critical FD-PFC-001\n")


@pytest.mark.parametrize(
    ("options", "code"),
    [(["--detailed-exitcode"], 2), (["--exit-zero"], 0), (["--fail-on", "critical"], 4), (["leaf2"], 0)],
)
def test_options_change_the_exit_code(capsys: Capsys, tmp_path: Path, options: list[str], code: int) -> None:
    where = captured(tmp_path, running=changed(pfc=[]))
    assert run(capsys, "check", *options, "--captures", where)[0] == code


def test_a_missing_device_exits_3_and_is_counted(capsys: Capsys, tmp_path: Path) -> None:
    captures.write(tmp_path / "captures", Recording("leaf1", "toy", answers("leaf1")))
    code, out, _ = run(capsys, "check", "--captures", "captures")
    assert code == 3
    assert out.endswith("checked 1 of 2; 1 unreachable\n")


def test_several_reports_come_from_one_check(capsys: Capsys, tmp_path: Path) -> None:
    where = captured(tmp_path)
    code, out, _ = run(capsys, "check", "--captures", where, "-o", "json:r.json", "-o", "md:r.md", "-o", "text")
    assert (code, out) == (0, "drift: 0; 42 facts as intended\nchecked 2 of 2\n")
    assert json.loads((tmp_path / "r.json").read_text())["summary"]["drift"] == 0
    assert (tmp_path / "r.md").read_text().startswith("# Fabric toyland: in sync\n")


def test_waivers_are_read_from_a_file(capsys: Capsys, tmp_path: Path) -> None:
    (tmp_path / "w.yml").write_text(
        "waivers:\n- {fact: ports/*/qos/pfc, devices: leaf1, reason: test, owner: me, expires: 2999-01-01}\n"
    )
    where = captured(tmp_path, running=changed(pfc=[]))
    code, out, _ = run(capsys, "check", "--captures", where, "--waivers", "w.yml")
    assert (code, "1 waived" in out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["check", "lief1", "--captures", "captures"], "the intent knows no device lief1. Did you mean leaf1"),
        (["check", "--captures", "captures", "--fail-on", "bad"], "'bad' is no severity"),
        (["check", "--captures", "captures", "-o", "html"], "'html' is no format"),
        (["check", "--captures", "nowhere"], "nowhere"),
        (["check", "--intent", "nowhere"], "nowhere: there is no such directory"),
        (["check", "-i", "nowhere.yml"], "nowhere.yml doesn't exist"),
        (["commands", "--platform", "ios"], "'ios' is not a platform"),
        (["commands", "--format", "json"], "needed for this format"),
        (["explain", "leaf1", "ports/Ethernet0/mtu"], "leaf1: ports/Ethernet0/mtu: the intent says nothing about it."),
        (["schema", "--of", "report"], "'report' is no document. Use intent, infiniband, check, review"),
        (["nonsense"], "nonsense"),
    ],
)
def test_a_usage_error_exits_2_and_says_what_to_do(
    capsys: Capsys, tmp_path: Path, arguments: list[str], problem: str
) -> None:
    captured(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert problem in " ".join(err.split())
    assert "Traceback" not in err


def test_a_fault_of_ours_exits_1_without_a_traceback(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Path) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(seam, "from_intent", broken)
    code, _, err = run(capsys, "validate")
    assert (code, err) == (1, "a fault of fabric-drift: ZeroDivisionError: oops. Run with --debug. [FD-BUG-002]\n")


def test_every_error_of_the_intent_is_a_line_of_its_own(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(_: Path) -> None:
        raise IntentErrors([IntentError("bad", where="a.yml:1"), IntentError("worse\x1b", where="a.yml:2")])

    monkeypatch.setattr(seam, "from_intent", faulty)
    code, _, err = run(capsys, "validate")
    assert (code, err) == (2, "a.yml:1: bad. [FD-ERR-000]\na.yml:2: worse\\x1b. [FD-ERR-000]\n")


def test_an_option_can_come_from_the_environment(
    capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABRIC_DRIFT_FAIL_ON", "nonsense")
    assert run(capsys, "check", "--captures", captured(tmp_path))[0] == 2


def test_a_device_that_was_not_chosen_is_not_called_foreign(capsys: Capsys, tmp_path: Path) -> None:
    (tmp_path / "hosts.yml").write_text("all: {hosts: {leaf1: , leaf2: , ntp: }, vars: {ansible_host: 127.0.0.1}}\n")
    unlikely = ["--connect-timeout", "0.1", "-i", "hosts.yml"]
    for command in ("check", "capture"):
        _, _, err = run(capsys, command, "leaf1", *unlikely)
        assert "warning: the inventory has ntp, the intent has not: not checked\n" in err


def test_validate_says_how_many_devices_are_fine(capsys: Capsys) -> None:
    assert run(capsys, "validate") == (0, "toyland: 2 devices, no errors\n", "")


def test_render_prints_or_writes_each_devices_files(capsys: Capsys, tmp_path: Path) -> None:
    assert run(capsys, "render", "leaf1")[1] == "# leaf1/toy.cfg\nhostname leaf1\n"
    run(capsys, "render", "--output", "out")
    assert (tmp_path / "out" / "leaf2" / "toy.cfg").read_text() == "hostname leaf2\n"


def test_explain_without_a_leaf_lists_what_is_expected_below(capsys: Capsys) -> None:
    out = run(capsys, "explain", "leaf1", "ports/Ethernet0/qos")[1]
    assert "ports/Ethernet0/qos/pfc/priorities = 3\n" in out
    assert "ports/Ethernet0/qos/maps/dscp_to_tc/26 = 3\n" in out


def test_commands_prints_what_the_account_must_be_allowed(capsys: Capsys) -> None:
    assert run(capsys, "commands")[1] == "# toy: Toy OS\nshow identity\nshow running\nsudo -n show saved\n"
    listed = json.loads(run(capsys, "commands", "-p", "toy", "-f", "json")[1])
    assert listed == {"exact": ["show identity", "show running", "sudo -n show saved"], "patterns": []}


@pytest.mark.parametrize("document", schema.DOCUMENTS)
def test_the_schema_of_every_document_is_printed(capsys: Capsys, document: str) -> None:
    code, out, _ = run(capsys, "schema", "--of", document)
    assert code == 0
    assert json.loads(out)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_help_teaches_by_examples(capsys: Capsys) -> None:
    code, out, _ = run(capsys, "check", "--help")
    assert code == 0
    assert "fabric-drift check -i inventory.yml\n" in out


@pytest.mark.parametrize(
    ("words", "completed"),
    [("re", "render\nreview\n"), ("check --fail", "--fail-on\n"), ("lab dr", "drift\n"), ("review --ba", "--base\n")],
)
def test_a_shell_completes_commands_of_all_rooms(tmp_path: Path, words: str, completed: str) -> None:
    program = tmp_path / "fabric-drift"
    program.write_text(f"#!{sys.executable}\nfrom fabric_drift.cli import main\nmain()\n")
    program.chmod(0o755)
    environment = os.environ | {"PYTHONPATH": str(REPO), "_FABRIC_DRIFT_COMPLETE": "complete_bash"}
    environment |= {"COMP_WORDS": f"fabric-drift {words}", "COMP_CWORD": str(len(words.split()))}
    done = subprocess.run([program], capture_output=True, text=True, env=environment, check=False)
    assert done.stdout == completed


ROOMS = (["validate"], ["render"], ["explain"], ["schema"], ["check"], ["capture"], ["commands"], ["review"])
OF_LAB = (["lab", "up"], ["lab", "exec"], ["lab", "drift"], ["lab", "load"], ["lab", "fault"])


@pytest.mark.parametrize("command", [*ROOMS, *OF_LAB], ids=" ".join)
def test_the_help_of_every_command_has_an_example(capsys: Capsys, command: list[str]) -> None:
    code, out, _ = run(capsys, *command, "--help")
    assert code == 0
    assert f"fabric-drift {' '.join(command)}" in out.partition("\n")[2]


def test_help_lists_commands_of_other_rooms_without_loading_them() -> None:
    code = (
        "import sys\nfrom fabric_drift.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "slow = {'asyncssh', 'ansible', 'pydantic', 'netmiko', 'napalm', 'fabric_drift.lab.commands'}\n"
        "print(sorted(slow & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPO)
    lines = done.stdout.splitlines()
    assert lines[-1] == "[]"
    assert any(line.strip().startswith("lab ") for line in lines)
    assert any(line.strip().startswith("review ") for line in lines)


def test_a_command_of_another_room_is_loaded_when_it_is_called(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    room = types.ModuleType("toy_room")
    app = typer.Typer()

    @app.command()
    def up() -> None:
        typer.echo("lab is up")

    @app.command()
    def down() -> None:
        typer.echo("lab is down")

    def review(base: str = "HEAD") -> None:
        typer.echo(f"reviewed {base}")

    room.app, room.command = app, review  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "toy_room", room)
    monkeypatch.setattr(lazy, "LAZY", {"lab": ("toy_room", "app", ""), "review": ("toy_room", "command", "")})
    assert run(capsys, "lab", "up") == (0, "lab is up\n", "")
    assert run(capsys, "review", "--base", "main") == (0, "reviewed main\n", "")


def test_the_only_intent_below_a_directory_is_found(tmp_path: Path) -> None:
    (tmp_path / "all" / "pod1").mkdir(parents=True)
    (tmp_path / "all" / "pod1" / "fabric.yml").touch()
    assert intent_directory(tmp_path / "all") == tmp_path / "all" / "pod1"
    (tmp_path / "all" / "pod2").mkdir()
    (tmp_path / "all" / "pod2" / "fabric.yml").touch()
    with pytest.raises(IntentError, match=r"Choose one with --intent: .*pod1, .*pod2"):
        intent_directory(tmp_path / "all")


def test_a_rendered_name_can_not_leave_the_directory(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="leads out of"):
        write(tmp_path / "leaf1", [Rendered("../../etc/passwd", "x")])


def test_a_path_with_slashes_in_a_ports_name_is_found() -> None:
    state = DeviceState(ports={"Ethernet1/1": port({"mtu": 9100}), "Ethernet1": port({"mtu": 1500})})
    assert resolve(state, "ports/Ethernet1/1/mtu_bytes", "d") == (("ports", "Ethernet1/1", "mtu_bytes"), 9100)
    assert resolve(state, "ports/Ethernet1/mtu_bytes", "d") == (("ports", "Ethernet1", "mtu_bytes"), 1500)
