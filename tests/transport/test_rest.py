"""HTTPS: every end of a request is told apart, credentials go to nobody unproven, nothing is guessed."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from fabric_drift.errors import FabricDriftError, Unauthorised, Unreachable, Unsupported
from fabric_drift.inventory.host import Host, Secret
from fabric_drift.lab.ufm.server import PASSWORD, TOKEN, USER, Ufm, serve
from fabric_drift.platform import Command, Output
from fabric_drift.registry import platforms
from fabric_drift.transport import rest
from fabric_drift.transport.collect import read_device
from fabric_drift.transport.limits import Limits
from tests.workflow.toy import Toy

VERSION = Command("GET /ufmRest/app/ufm_version")
LIST = Command("GET /ufmRest/resources/pkeys?guids_data=true")
QUICK = Limits(connect_seconds=5, command_seconds=5, device_seconds=10)
PLATFORM = Toy(command_families=(VERSION, LIST))


@dataclass
class Served:
    ufm: Ufm
    host: Host

    def get(self, command: Command = VERSION, limits: Limits = QUICK, seconds: float = 5, **changed: object) -> Output:
        return asyncio.run(get(replace(self.host, **changed), command, limits, seconds))  # type: ignore[arg-type]


async def get(host: Host, command: Command, limits: Limits = QUICK, seconds: float = 5, verify: bool = True) -> Output:
    async with rest.connect(host, limits, verify=verify) as session:
        return await session.run(command, seconds, "the test's seconds")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("ufm")
    ufm = Ufm()
    with serve(ufm, folder, "ufm1") as port:
        yield Served(
            ufm,
            Host("ufm1", "127.0.0.1", port, USER, Secret(PASSWORD), tls_name="ufm1", ca_file=str(folder / "ca.pem")),
        )


@pytest.fixture
def served(running: Served) -> Iterator[Served]:
    running.ufm.fault("none")
    running.ufm.requests.clear()
    yield running
    running.ufm.fault("none")


def test_an_answer_is_its_body_and_says_who_was_verified(served: Served) -> None:
    output = served.get()
    assert output.whole
    assert output.stdout == '{"ufm_release_version": "6.19.3"}'
    assert output.stderr.splitlines() == [
        "HTTP 200 (/ufmRest/app/ufm_version)",
        "tls-server-name: ufm1",
        "tls-verified: yes",
    ]


def test_only_platforms_of_gets_are_read_over_https() -> None:
    assert {name for name, platform in platforms().items() if rest.is_rest(platform)} == {"ufm"}
    assert not rest.is_rest(Toy(command_families=()))
    assert not rest.is_rest(Toy(command_families=(VERSION, Command("show version"))))


def test_a_certificate_of_an_unknown_ca_gets_no_request(tmp_path: Path, served: Served) -> None:
    ufm = Ufm()
    with serve(ufm, tmp_path, "ufm1", signed=False) as port, pytest.raises(Unreachable) as caught:
        asyncio.run(get(replace(served.host, port=port, ca_file=str(tmp_path / "ca.pem")), VERSION))
    assert caught.value.code == "FD-TLS-001"
    assert "fabric_drift_ca_file" in caught.value.remedy
    assert ufm.requests == []


def test_a_certificate_of_another_name_gets_no_request(served: Served) -> None:
    with pytest.raises(Unreachable, match="isn't trusted") as caught:
        served.get(tls_name="ufm2")
    assert caught.value.code == "FD-TLS-001"
    assert served.ufm.requests == []


def test_without_a_ca_file_the_systems_list_decides(served: Served) -> None:
    with pytest.raises(Unreachable, match="isn't trusted"):
        served.get(ca_file="")


def test_an_unverified_peer_is_told_as_such(served: Served) -> None:
    output = asyncio.run(get(replace(served.host, tls_name="whoever"), VERSION, verify=False))
    assert output.whole
    assert "tls-verified: no" in output.stderr


@pytest.mark.parametrize("name", ["missing.pem", "empty.pem"])
def test_a_ca_file_that_cannot_be_used_is_named(served: Served, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty.pem").touch()
    with pytest.raises(Unreachable, match=name) as caught:
        served.get(ca_file=str(tmp_path / name))
    assert caught.value.code == "FD-TLS-002"


def test_a_refused_port_and_an_unknown_name_are_unreachable(served: Served) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(Unreachable, match=r"no HTTPS on 127\.0\.0\.1") as caught:
            served.get(port=free.getsockname()[1])
    assert caught.value.code == "FD-TLS-004"
    with pytest.raises(Unreachable):
        served.get(address="no-such-host.invalid")


def test_what_never_shakes_hands_is_left_in_time(served: Served) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        began = time.monotonic()
        with pytest.raises(Unreachable, match="in time"):
            served.get(port=silent.getsockname()[1], limits=replace(QUICK, connect_seconds=0.3))
        assert time.monotonic() - began < 3


def test_port_22_of_inventories_means_443() -> None:
    host = Host("ufm1", "127.0.0.1")  # no ansible_port
    with pytest.raises(Unreachable, match="port 443"):
        asyncio.run(get(host, VERSION, replace(QUICK, connect_seconds=1)))


def test_a_jump_host_is_not_silently_ignored(served: Served) -> None:
    with pytest.raises(Unsupported):
        served.get(jump="bastion")


def test_a_wrong_password_is_unauthorised_and_never_printed(served: Served) -> None:
    with pytest.raises(Unauthorised) as caught:
        served.get(password=Secret("hunter2"))
    assert caught.value.code == "FD-TLS-005"
    assert "hunter2" not in caught.value.text()


def test_without_credentials_nothing_is_sent_in_their_place(served: Served) -> None:
    with pytest.raises(Unauthorised):
        served.get(password=None)


def test_a_token_is_sent_below_its_own_prefix(served: Served) -> None:
    assert served.get(password=None, token=Secret(TOKEN)).whole
    assert served.ufm.requests == ["GET /ufmRestV3/app/ufm_version"]


@pytest.mark.parametrize(
    ("kind", "status", "words"),
    [
        ("forbidden", 403, "permission denied"),
        ("missing", 404, "HTTP 404"),
        ("broken", 500, "HTTP 500"),
        ("busy", 503, "HTTP 503"),
        ("html", 200, "in place of JSON"),
        ("html-as-json", 200, "in place of JSON"),
        ("redirect", 302, "redirected to /ufm_web/login"),
        ("next-page", 200, "one page of several"),
    ],
)
def test_an_answer_that_is_not_the_whole_json_is_not_whole(served: Served, kind: str, status: int, words: str) -> None:
    served.ufm.fault(kind)
    output = served.get()
    assert not output.whole
    assert output.exit_status == status
    assert words in output.stderr.splitlines()[0]
    assert len(served.ufm.requests) == 1, "nothing is followed or tried again"


def test_an_answer_shorter_than_promised_is_not_whole(served: Served) -> None:
    served.ufm.fault("short")
    output = served.get()
    assert "the connection failed" in output.error
    assert not output.whole


def test_an_answer_that_never_comes_ends_in_time(served: Served) -> None:
    served.ufm.fault("hang")
    began = time.monotonic()
    output = served.get(seconds=0.3)
    assert time.monotonic() - began < 3
    assert output.error == "no whole answer within the test's seconds"
    served.ufm.stopping.set()
    served.ufm.stopping.clear()


def test_an_answer_above_the_limit_is_cut_and_told(served: Served) -> None:
    output = served.get(limits=replace(QUICK, answer_bytes=10))
    assert "cut" in output.error
    assert len(output.stdout) <= 10


def test_an_answer_that_is_not_utf8_is_told(served: Served) -> None:
    served.ufm.fault("not-utf8")
    assert "UTF-8" in served.get().error


def test_a_refused_login_in_the_middle_is_the_devices_failure(served: Served) -> None:
    served.ufm.fault("unauthorised", "guids_data")

    @dataclass
    class Two(Toy):
        def commands(self, outputs: object) -> tuple[Command, ...]:
            return (VERSION, LIST)

    recording = asyncio.run(read_device(served.host, Two(command_families=(VERSION, LIST)), QUICK))
    assert isinstance(recording.failure, Unauthorised)
    assert recording.outputs == {}


def test_a_key_of_the_subnet_manager_does_not_pass_the_transport(served: Served) -> None:
    served.ufm.model.smconf["m_key"] = "0x00c0ffee00c0ffee"
    smconf = Command("GET /ufmRest/app/smconf")

    @dataclass
    class One(Toy):
        def commands(self, outputs: object) -> tuple[Command, ...]:
            return (smconf,)

    recording = asyncio.run(read_device(served.host, One(command_families=(smconf,)), QUICK))
    served.ufm.model.smconf["m_key"] = "0x0"
    assert "c0ffee" not in recording.outputs[smconf.text].stdout
    assert '"m_key": "<scrubbed>"' in recording.outputs[smconf.text].stdout
    assert '"sm_key": "0x1"' in recording.outputs[smconf.text].stdout


def test_errors_are_ours(served: Served) -> None:
    for changed in ({"ca_file": "/nowhere"}, {"port": 1}, {"tls_name": "x"}, {"password": Secret("x")}):
        with pytest.raises(FabricDriftError):
            served.get(**changed)
