"""Options and engines by flavour: what NVIDIA's documents don't give with name and default is refused, not guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric_drift.errors import IntentErrors, Unsupported
from fabric_drift.expect.infiniband import expect
from fabric_drift.expect.infiniband_options import check
from fabric_drift.intent.infiniband import load
from fabric_drift.platform import Target
from fabric_drift.platforms.opensm import PLATFORM
from fabric_drift.state.infiniband import Infiniband
from tests.intent.infiniband.editing import edited

NVIDIA = ("flavour: upstream-3.3", "flavour: nvidia-5")


def refused(folder: Path, *edits: tuple[str, str]) -> str:
    with pytest.raises(IntentErrors) as raised:
        check(load(edited(folder, *edits)))
    return "\n".join(error.text() for error in raised.value.errors)


@pytest.mark.parametrize("name", ["virt_enabled", "m_key_per_port", "master_sm_lid", "key_mgr_seed"])
def test_an_option_that_nvidia_names_without_a_default_is_refused(tmp_path: Path, name: str) -> None:
    said = refused(tmp_path, NVIDIA, ("sweep_interval: 2", f"{name}: 2"))
    assert f"NVIDIA's documents name {name}, not its default" in said


@pytest.mark.parametrize("name", ["ar_mode", "sharp_enabled", "hm_unhealthy_ports_checks"])
def test_an_option_that_nobody_confirmed_is_unknown(tmp_path: Path, name: str) -> None:
    assert f"{name} is no option of OpenSM 3.3, nor any" in refused(
        tmp_path, NVIDIA, ("sweep_interval: 2", f"{name}: 1")
    )


def test_nvidias_default_engine_is_known_to_nvidias_flavour_alone(tmp_path: Path) -> None:
    fabric = load(edited(tmp_path, NVIDIA, ("engine: ftree", "engine: ar_updn")))
    state = expect(fabric, "sm1")
    assert PLATFORM.localise(state, Target("sm1", "3.3.23", "nvidia-5")) == state
    with pytest.raises(Unsupported, match="no routing engine ar_updn"):
        PLATFORM.localise(state, Target("sm1", "3.3.23", "upstream-3.3"))


def test_a_value_means_what_opensm_takes_it_for(tmp_path: Path) -> None:
    state = expect(load(edited(tmp_path, ("sweep_interval: 2", "packet_life_time: 0x13"))), "sm1")
    assert isinstance(state.infiniband, Infiniband)
    assert state.infiniband.options["packet_life_time"] == 19  # type: ignore[index]


def test_guid_files_follow_from_roles(tmp_path: Path) -> None:
    more = ("roots: spine", 'roots: spine\n  compute: [{hosts: ["gpu[001-005]"]}]\n  io: [{hosts: [gpu006]}]')
    state = expect(load(edited(tmp_path, more)), "sm2")
    assert isinstance(state.infiniband, Infiniband)
    files = {file.name: file.text for file in PLATFORM.render(state, Target("sm2", "3.3.23"))}
    assert files["io_guids.conf"].splitlines() == [  # port GUIDs, not node GUIDs
        "0x0c42a10300000141", "0x0c42a10300000151", "0x0c42a10300000161", "0x0c42a10300000171",
    ]  # fmt: skip
    assert len(files["cn_guids.conf"].splitlines()) == 20
    assert files["root_guids.conf"].splitlines() == ["0xb8cef60300100000", "0xb8cef60300100100"]  # node GUIDs
    assert "cn_guid_file /etc/opensm/cn_guids.conf\nio_guid_file /etc/opensm/io_guids.conf\n" in files["opensm.conf"]
