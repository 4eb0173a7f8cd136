"""The real kernel, ``dcb``, ``ip``, ``rdma`` and GNU grep as witnesses: what they were told to set is what we read.

One virtual machine for all (tools/dcbvm: an in-memory DCB driver with mlx5's rules for the APP table). It has no
``ecn/`` and ``tc/`` folders and no PCI devices, so those answers come from the captures.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fabric_drift.diff import diff
from fabric_drift.finding import Layer
from fabric_drift.platform import Output, Target
from fabric_drift.platforms.linux_host import PLATFORM
from fabric_drift.platforms.linux_host.commands import DCB_OBJECTS, dcb_text, sysfs_text
from fabric_drift.platforms.linux_host.discovery import IP_LINK, RDMA_LINK, MlxNic
from fabric_drift.platforms.linux_host.links import read_links
from fabric_drift.platforms.linux_host.sysfs import nic_files, read_rdma_cm
from fabric_drift.state.device import DeviceState, Port
from tests.platforms.linux_host.emulation import all_outputs
from tests.platforms.linux_host.policies import DESIGNS, RAILS, host

pytestmark = pytest.mark.witness

TARGET = Target("gpu1", "22.04")
DEVICE = "fdcb0"
NETDEV = "enp24s0np0"
RXE = MlxNic("0000:18:00.0", DEVICE, "rxe0")
BLOCK = re.compile(r"^=== (.*)\n((?:(?!===).*\n)*?)=!= *\n?((?:(?!===).*\n)*?)=rc (\d+)$", re.MULTILINE)


def conf_of(name: str) -> dict[str, str]:
    """Keys of the rendered file of the first rail."""
    files = PLATFORM.render(PLATFORM.localise(host(DESIGNS[name]), TARGET), TARGET)
    text = next(file.text for file in files if file.name == f"roce-qos/{RAILS[0]}.conf")
    return dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))


def pairs(text: str) -> Iterator[tuple[int, str]]:
    """``0-2:0,3:1`` as its pairs: written again here, so that a wrong reader of ours can't hide."""
    for word in text.split(","):
        keys, _, value = word.partition(":")
        first, _, last = keys.partition("-")
        for key in range(int(first), int(last or first) + 1):
            yield key, value


def applied(conf: dict[str, str]) -> list[str]:
    """What a service would run to put a file into effect."""
    shares = [word.split(":") for word in conf["scheduling"].split(",")]
    tsa = " ".join(f"{share[0]}:{share[1]}" for share in shares)
    percents = " ".join(f"{share[0]}:{share[2]}" for share in shares if share[1] == "ets")
    lossless = "" if conf["pfc_priorities"] == "none" else conf["pfc_priorities"].replace(",", ":on ") + ":on"
    tcs, dscps, buffers, sizes = (
        " ".join(f"{key}:{value}" for key, value in pairs(conf[name]))
        for name in ("priority_to_tc", "dscp_to_priority", "priority_to_buffer", "receive_buffers_bytes")
    )
    return [
        f"ip link set dev {DEVICE} mtu {conf['mtu_bytes']} up",
        f"dcb dcbx set dev {DEVICE} host ieee",
        f"dcb pfc set dev {DEVICE} prio-pfc all:off {lossless}",
        f"dcb pfc set dev {DEVICE} delay {conf['cable_length_m']}",
        f"dcb ets set dev {DEVICE} prio-tc {tcs} tc-tsa {tsa} tc-bw all:0 {percents}",
        f"dcb app replace dev {DEVICE} dscp-prio {dscps}",
        f"dcb buffer set dev {DEVICE} prio-buffer {buffers} buffer-size all:0 {sizes}",
    ]


TRIED = (
    "tried() { for n in 1 2 3 4; do \"$@\" 2>/tmp/err && ! grep -q 'Protocol error' /tmp/err && return; done;"
    " cat /tmp/err; return 1; }"
)
"""dcb of iproute2 6.1 fails where a second begins between two of its requests, at times with status 0: see nic.py."""


def asked(label: str, command: str) -> str:
    """A command whose streams and status come out apart, under ``label``."""
    return f'echo "=== {label}"; {command} 2>/tmp/err; rc=$?; echo "=!="; cat /tmp/err; echo "=rc $rc"'


def script() -> str:
    """Everything that the machine runs."""
    lines = ["exec 2>&1", TRIED, "modprobe rdma_rxe", "modprobe rdma_cm", f"ip link set dev {DEVICE} up"]
    lines += [asked(f"fresh {kind}", dcb_text(kind, DEVICE)) for kind in DCB_OBJECTS]
    lines += [asked("lo", dcb_text("pfc", "lo")), asked("nosuch", dcb_text("pfc", "nosuch"))]
    for name in DESIGNS:
        lines += [f"tried {command} || echo refused {name}" for command in applied(conf_of(name))]
        lines += [asked(f"{name} {kind}", dcb_text(kind, DEVICE)) for kind in DCB_OBJECTS]
        lines += [asked(f"{name} link", IP_LINK)]
    lines += [f"tried dcb app flush dev {DEVICE} dscp-prio", asked("flushed app", dcb_text("app", DEVICE))]
    lines += [f"rdma link add rxe0 type rxe netdev {DEVICE}", asked("rdma", RDMA_LINK)]
    lines += [asked("closed", sysfs_text(DEVICE, "rxe0")), "mkdir /sys/kernel/config/rdma_cm/rxe0"]
    lines += ["echo 106 > /sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"]
    lines += [asked("open", sysfs_text(DEVICE, "rxe0"))]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def answers(shared: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Output]:
    """Answer by label."""
    tool = shared("tools/dcbvm/dcbvm")
    if shutil.which("qemu-system-x86_64") is None:
        pytest.skip("needs qemu: apt-get install qemu-system-x86")
    if shutil.which("dcb") is None:
        pytest.skip("needs dcb: apt-get install iproute2")
    subprocess.run([tool, "prepare"], check=True, capture_output=True, timeout=280)
    guest = tmp_path_factory.mktemp("guest") / "witness.sh"
    guest.write_text(script())
    run = subprocess.run(
        [tool, "run", "--timeout", "200", "--module-args", "mlx5_app=1", guest],
        check=True,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert "refused" not in run.stdout
    return {label: Output(out, err, int(status)) for label, out, err, status in BLOCK.findall(run.stdout)}


def reading_of(answers: dict[str, Output], label: str) -> Any:
    """The captured host, with what the kernel says of our device as its first rail."""
    shown = {dcb_text(kind, NETDEV): answers[f"{label} {kind}"] for kind in DCB_OBJECTS}
    return PLATFORM.parse(all_outputs(shown))


@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_a_rendered_policy_is_read_back_from_the_kernel(answers: dict[str, Output], name: str) -> None:
    wanted: Any = PLATFORM.localise(host(DESIGNS[name]), TARGET)
    reading = reading_of(answers, name)
    expected = DeviceState(ports={RAILS[0]: Port(qos=wanted.ports[RAILS[0]].qos)})
    found = diff(expected, {Layer.RUNNING: reading.states[Layer.RUNNING]})
    assert reading.unparsed == ()
    assert found.differences == []
    assert found.unread == ()
    assert found.matches > 80


@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_the_mtu_is_read_back_from_the_kernel(answers: dict[str, Output], name: str) -> None:
    links, problems = read_links(answers[f"{name} link"].stdout)
    assert problems == ()
    assert (links[DEVICE].mtu_bytes, links[DEVICE].admin_up) == (9000, True)


def test_a_fresh_device_trusts_pcp_schedules_by_vendor_and_swaps_priorities_0_and_1(answers: dict[str, Output]) -> None:
    qos = reading_of(answers, "fresh").states[Layer.RUNNING].ports[RAILS[0]].qos
    assert qos.trust == "pcp"
    assert qos.pfc.priorities == ()
    assert qos.scheduling == tuple((tc, "vendor") for tc in range(8))
    assert (qos.maps.priority_to_tc[0], qos.maps.priority_to_tc[1]) == (1, 0)


def test_removing_all_dscp_entries_leaves_pcp(answers: dict[str, Output]) -> None:
    reading = PLATFORM.parse(all_outputs({dcb_text("app", NETDEV): answers["flushed app"]}))
    ports: Any = reading.states[Layer.RUNNING].ports
    assert ports[RAILS[0]].qos.trust == "pcp"


@pytest.mark.parametrize(("label", "words"), [("lo", "Operation not supported"), ("nosuch", "No such device")])
def test_what_the_kernel_refuses_is_unobserved_with_its_words(
    answers: dict[str, Output], label: str, words: str
) -> None:
    assert answers[label].exit_status != 0
    ports: Any = PLATFORM.parse(all_outputs({dcb_text("pfc", NETDEV): answers[label]})).states[Layer.RUNNING].ports
    assert words in ports[RAILS[0]].qos.pfc.priorities.reason


def test_rdma_cm_is_read_where_its_folder_is_kept_and_unobserved_before(answers: dict[str, Output]) -> None:
    before = read_rdma_cm(RXE, nic_files(RXE, answers["closed"]))
    after = read_rdma_cm(RXE, nic_files(RXE, answers["open"]))
    assert "configfs" in before.facts["rdma_cm_tos"].reason
    assert (after.facts["rdma_cm_tos"], after.facts["roce_mode"]) == (106, "v2")
    assert after.problems == ()
