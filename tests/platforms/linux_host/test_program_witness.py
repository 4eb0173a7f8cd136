"""The real kernel and the real ``dcb``, ``ip`` and ``rdma`` as witnesses of the program: one virtual machine, one boot.

The machine (tools/dcbvm) has an in-memory DCB driver with mlx5's rules for the APP table, and soft RoCE. It has no
``ecn/`` and ``tc/`` folders, no PCI devices and no global pause, so those keys are left out here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.platforms.linux_host.commands import DCB_OBJECTS, dcb_text
from fabric_drift.state.device import DeviceState, Port, PortQos
from tests.platforms.linux_host.emulation import all_outputs
from tests.platforms.linux_host.policies import DESIGNS, RAILS, host

pytestmark = pytest.mark.witness

TREE = Path(__file__).parents[3] / "fabric_drift" / "platforms" / "linux_host" / "files" / "tree"
LEFT_OUT = (
    "fec=",
    "global_pause=",
    "roce_mode=",
    "rdma_cm_tos=",
    "traffic_class=",
    "cnp_",
    "notification_",
    "reaction_",
)
DEVICE, NETDEV = "fdcb0", "enp24s0np0"
BLOCK = re.compile(r"^=== (.*)\n((?:(?!===).*\n)*?)=rc (\d+)$", re.MULTILINE)
SCRIPT = """\
exec 2>&1
here=$(dirname "$0")
mkdir -p /tmp/bin
for tool in dcb ip ethtool rdma; do
    real=$(command -v $tool) || continue
    printf '#!/bin/sh\\necho "%s $*" >>/tmp/calls\\nexec %s "$@"\\n' $tool $real >/tmp/bin/$tool
    chmod +x /tmp/bin/$tool
done
export PATH=/tmp/bin:$PATH
modprobe rdma_rxe
ask() { label=$1; shift; echo "=== $label"; "$@"; echo "=rc $?"; }
qos() { python3 -I -B "$here/roce-qos" "$@"; }
writes() { grep -c -E ' (set|replace|add|flush|del) ' /tmp/calls || true; }
gate() { printf '#!/bin/sh\\nexit %s\\n' $1 >/etc/roce-qos-drain-gate; chmod +x /etc/roce-qos-drain-gate; }
show() { for kind in pfc ets app buffer dcbx; do ask "$1 $kind" dcb -j $kind show dev fdcb0; done; }
ip link set dev fdcb0 up
qos show fdcb0 >/tmp/before.conf
ask before qos check fdcb0 --conf /tmp/before.conf
for design in nvidia oci; do
    ask "$design check" qos check fdcb0 --conf "$here/$design.conf"
    rm -f /etc/roce-qos-drain-gate
    ask "$design without a gate" qos apply fdcb0 --conf "$here/$design.conf"
    gate 1; ask "$design refused" qos apply fdcb0 --conf "$here/$design.conf"
    gate 0; ask "$design apply" qos apply fdcb0 --conf "$here/$design.conf"
    show "$design"
    ask "$design link" ip -j link show dev fdcb0
    ask "$design writes" writes
    ask "$design again" qos apply fdcb0 --conf "$here/$design.conf"
    ask "$design writes after" writes
    ask "$design checked" qos check fdcb0 --conf "$here/$design.conf"
done
dcb app replace dev fdcb0 dscp-prio 46:7
dcb ets set dev fdcb0 prio-tc 6:1
ask "drifted" qos check fdcb0 --conf "$here/oci.conf"
ask "repaired" qos apply fdcb0 --conf "$here/oci.conf"
show oci-repaired
ask log cat /var/lib/roce-qos/corrections.log
ask undone qos apply fdcb0 --conf /tmp/before.conf
ask "as before" qos check fdcb0 --conf /tmp/before.conf
"""


def conf_of(name: str) -> str:
    """The rendered file of a design, without the keys that this machine doesn't have."""
    target = Target("gpu1", "22.04")
    files = PLATFORM.render(PLATFORM.localise(host(DESIGNS[name]), target), target)
    text = next(file.text for file in files if file.name == f"roce-qos/{RAILS[0]}.conf")
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(LEFT_OUT))


@pytest.fixture(scope="module")
def answers(shared: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Output]:
    """Answer by label."""
    tool = shared("tools/dcbvm/dcbvm")
    if shutil.which("qemu-system-x86_64") is None or shutil.which("dcb") is None:
        pytest.skip("needs qemu and dcb: apt-get install qemu-system-x86 iproute2")
    subprocess.run([tool, "prepare"], check=True, capture_output=True, timeout=280)
    folder = tmp_path_factory.mktemp("guest")
    shutil.copytree(TREE / "usr/lib/roce-qos", folder / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    launcher = (TREE / "usr/sbin/roce-qos").read_text()
    (folder / "roce-qos").write_text(launcher.replace("/usr/lib/roce-qos", f"{folder}/lib"))
    for name in ("nvidia", "oci"):
        (folder / f"{name}.conf").write_text(conf_of(name))
    (folder / "witness.sh").write_text(SCRIPT)
    run = subprocess.run(
        [tool, "run", "--timeout", "200", "--module-args", "mlx5_app=1", folder / "witness.sh"],
        check=True,
        capture_output=True,
        text=True,
        timeout=280,
    )
    return {label: Output(out, "", int(status)) for label, out, status in BLOCK.findall(run.stdout)}


def running(answers: dict[str, Output], label: str) -> Any:
    shown = {dcb_text(kind, NETDEV): answers[f"{label} {kind}"] for kind in DCB_OBJECTS}
    return PLATFORM.parse(all_outputs(shown)).states[Layer.RUNNING]


def expected(name: str) -> DeviceState:
    wanted: Any = PLATFORM.localise(host(DESIGNS[name]), Target("gpu1", "22.04"))
    qos: PortQos = wanted.ports[RAILS[0]].qos
    return DeviceState(ports={RAILS[0]: Port(qos=qos)})


@pytest.mark.parametrize(("design", "label"), [("nvidia", "nvidia"), ("oci", "oci"), ("oci", "oci-repaired")])
def test_what_the_program_wrote_is_what_the_kernel_shows(answers: dict[str, Output], design: str, label: str) -> None:
    found = diff(expected(design), {Layer.RUNNING: running(answers, label)})
    assert found.differences == []
    assert found.unread == ()
    assert found.matches > 80


@pytest.mark.parametrize("design", ["nvidia", "oci"])
def test_a_second_run_writes_nothing(answers: dict[str, Output], design: str) -> None:
    assert answers[f"{design} again"] == Output("", "", 0)
    assert int(answers[f"{design} writes"].stdout) > 4
    assert answers[f"{design} writes after"] == answers[f"{design} writes"]
    assert answers[f"{design} checked"] == Output("", "", 0)


@pytest.mark.parametrize("design", ["nvidia", "oci"])
def test_it_checks_first_and_refuses_without_a_gate_that_agrees(answers: dict[str, Output], design: str) -> None:
    assert answers[f"{design} check"].exit_status == 3
    assert (answers[f"{design} without a gate"].exit_status, answers[f"{design} refused"].exit_status) == (4, 4)
    assert answers[f"{design} apply"].exit_status == 0


def test_the_mtu_is_the_kernels(answers: dict[str, Output]) -> None:
    assert '"mtu":9000' in answers["nvidia link"].stdout


def test_drift_by_hand_is_seen_and_put_right_and_recorded(answers: dict[str, Output]) -> None:
    seen = answers["drifted"]
    assert seen.exit_status == 3
    assert [line.split()[1] for line in seen.stdout.splitlines()] == ["dscp_to_priority:", "priority_to_tc:"]
    assert answers["repaired"].exit_status == 0
    last = [line.split(" ", 1)[1] for line in answers["log"].stdout.splitlines()][-2:]
    assert [line.split(":")[0] for line in last] == ["fdcb0 priority_to_tc", "fdcb0 dscp_to_priority"]


def test_the_settings_of_before_come_back(answers: dict[str, Output]) -> None:
    assert answers["before"].exit_status == 0
    assert answers["undone"].exit_status == 0
    assert answers["as before"] == Output("", "", 0)
