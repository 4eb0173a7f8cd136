"""One fabric, two planes: jobs compute over InfiniBand, storage goes over RoCE on the same hosts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fabric_drift.cli import main
from fabric_drift.diff import diff
from fabric_drift.errors import IntentError
from fabric_drift.finding import Verdict
from fabric_drift.intent.infiniband import load
from fabric_drift.lab.emulator import LabDevice, LabPort, Store
from fabric_drift.lab.linux_host import EMULATOR
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host import CHANGER, PLATFORM
from fabric_drift.transport import Recording, captures
from fabric_drift.workflow.expectations import Expectations, from_intent
from fabric_drift.workflow.render import rendered, target
from tests.intent.infiniband.editing import INDEX, JOB, edited

ETHERNET = Path(__file__).parents[1] / "intent" / "infiniband" / "two_planes.yml"
STORAGE = "0000:29:00.0"
HOST = LabDevice(
    "gpu001", "linux_host", "22.04", "HGX-H100",
    (LabPort(STORAGE, 200_000, alias="enp41s0np0", role="storage"), LabPort("0000:cc:00.0", 10_000, alias="eno1")),
)  # fmt: skip


def intent(folder: Path, more: str = "") -> Path:
    """Both planes in one directory."""
    edited(folder / "infiniband", INDEX, more=JOB)
    shutil.copy(ETHERNET, folder / "fabric.yml")
    if more:
        (folder / "more.yml").write_text(more)
    return folder


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Expectations:
    return from_intent(intent(tmp_path_factory.mktemp("planes")))


def answers(store: Store) -> dict[str, Output]:
    outputs: dict[str, Output] = {}
    while commands := PLATFORM.commands(outputs):
        for command in commands:
            answer = EMULATOR.run(store, command.wire)
            outputs[command.text] = Output(answer.stdout, answer.stderr, answer.exit_status)
    return outputs


def drifted(planes: Expectations, store: Store) -> set[str]:
    expected = PLATFORM.localise(planes.expect("gpu001"), target(planes, planes.devices["gpu001"]))
    found = diff(expected, PLATFORM.parse(answers(store)).states).differences
    return {"/".join(item.path) for _, item in found if item.verdict is Verdict.DRIFT}


def booted(planes: Expectations) -> Store:
    store = EMULATOR.start(HOST)
    EMULATOR.load(store, {file.name: file.text for file in rendered(planes, planes.devices["gpu001"])})
    return store


def test_a_host_of_both_planes_has_the_ports_of_one_and_the_jobs_of_the_other(planes: Expectations) -> None:
    assert {"sm1", "sm2", "gpu001"} <= planes.devices.keys()
    state = planes.expect("gpu001")
    assert list(state.ports) == [STORAGE]  # type: ignore[arg-type]
    assert state.job["NCCL_IB_PKEY"] == "1"  # type: ignore[index]


def test_the_files_of_the_jobs_are_rendered_beside_those_of_the_storage_nic(planes: Expectations) -> None:
    files = {file.name: file.text for file in rendered(planes, planes.devices["gpu001"])}
    assert "NCCL_IB_PKEY=1\nNCCL_IB_SL=1\n" in files["nccl.conf"]
    assert "UCX_IB_PKEY=0x0010\n" in files["ucx.conf"]
    assert any(STORAGE in name for name in files)


def test_a_host_with_these_files_is_in_sync(planes: Expectations) -> None:
    assert drifted(planes, booted(planes)) == set()


def test_a_wrong_index_in_the_environment_of_jobs_is_drift(planes: Expectations) -> None:
    store = booted(planes)
    EMULATOR.run(store, "sudo -n sed -i 's/^NCCL_IB_PKEY=.*/NCCL_IB_PKEY=0/' /etc/nccl.conf")
    assert drifted(planes, store) == {"job/NCCL_IB_PKEY"}
    found = planes.sources("gpu001", ("job", "NCCL_IB_PKEY"))[0]
    assert found.file.endswith("infiniband/subnet.yml")


def test_a_host_whose_jobs_are_stale_is_planned_for(planes: Expectations) -> None:
    store = booted(planes)
    EMULATOR.run(store, "sudo -n sed -i 's/^NCCL_IB_SL=.*/NCCL_IB_SL=7/' /etc/nccl.conf")
    place = target(planes, planes.devices["gpu001"])
    expected = PLATFORM.localise(planes.expect("gpu001"), place)
    plan = CHANGER.plan(PLATFORM.parse(answers(store)), expected, place)
    assert (plan.refusals, [step.title for step in plan.steps]) == ((), ["environment of jobs: change NCCL_IB_SL"])


def test_facts_of_ports_and_of_jobs_are_explained_by_their_own_plane(planes: Expectations) -> None:
    assert planes.explain("gpu001", ("ports", STORAGE, "qos", "trust"))
    assert planes.explain("gpu001", ("job", "NCCL_IB_SL")) == ()


def test_a_variable_that_both_planes_say_is_refused(tmp_path: Path) -> None:
    more = 'job: {class: storage, derived: [], environment: {NCCL_IB_TIMEOUT: "20"}}\n'
    with pytest.raises(IntentError, match="NCCL_IB_TIMEOUT is said by the jobs of both planes"):
        from_intent(intent(tmp_path, more))


def test_variables_of_different_planes_join(tmp_path: Path) -> None:
    joined = from_intent(intent(tmp_path, "job: {class: storage, derived: [UCX_IB_TRAFFIC_CLASS]}\n"))
    job = joined.expect("gpu001").job
    assert (job["UCX_IB_TRAFFIC_CLASS"], job["NCCL_IB_SL"]) == ("106", "1")  # type: ignore[index]


def test_hosts_of_a_subnet_alone_are_devices_too(tmp_path: Path) -> None:
    edited(tmp_path / "infiniband", INDEX, more=JOB)
    alone = from_intent(tmp_path)
    assert alone.expect("gpu004").job == load(tmp_path / "infiniband").hosts["gpu004"].environment
    assert alone.devices["gpu004"].platform == "linux_host"


def told(folder: Path, store: Store, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and report of ``fabric-drift check gpu001`` on what the host answers."""
    captures.write(folder / "captures", Recording("gpu001", "linux_host", answers(store)))
    words = ["check", "gpu001", "--intent", str(folder), "--captures", str(folder / "captures"), "--no-colour"]
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0), capsys.readouterr().out


def test_check_reads_both_planes_of_a_host_and_names_the_line_of_the_subnet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planes = from_intent(intent(tmp_path))
    store = booted(planes)
    assert told(tmp_path, store, capsys)[0] == 0
    EMULATOR.run(store, "sudo -n sed -i 's/^NCCL_IB_PKEY=.*/NCCL_IB_PKEY=0/' /etc/nccl.conf")
    code, report = told(tmp_path, store, capsys)
    assert code == 4
    assert "NCCL_IB_PKEY" in report
    assert "infiniband/subnet.yml:" in report
