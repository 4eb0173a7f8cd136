"""Configuration mode as EOS has it: sections, defaults that vanish, refusals in the device's words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.eos import EMULATOR
from tests.lab.eos.conftest import LEAF_CFG, leaf

Running = Callable[[Store], list[str]]


def configure(store: Store, *lines: str) -> str:
    return EMULATOR.run(store, "\n".join(("configure", *lines, "end"))).stdout


def test_a_fresh_switch_has_routed_ports_with_addresses_and_no_qos(fresh: Store, running: Running) -> None:
    lines = running(fresh)
    assert "interface Ethernet3/1" in lines
    assert lines.count("   no switchport") == 3
    assert sum(line.startswith("   ip address 10.") for line in lines) == 3
    assert not [line for line in lines if "qos" in line or "priority-flow-control" in line or "mtu" in line]


def test_a_running_config_begins_with_its_command_and_device_and_ends_with_end(fresh: Store, running: Running) -> None:
    lines = running(fresh)
    assert lines[:2] == ["! Command: show running-config", "! device: leaf3 (DCS-7060DX5-64S, EOS-4.34.1F)"]
    assert lines[-1] == "end"


def test_a_map_entry_that_equals_the_default_vanishes(fresh: Store, running: Running) -> None:
    configure(fresh, "qos map dscp 26 to traffic-class 3", "qos map dscp 7 to traffic-class 1")
    assert not [line for line in running(fresh) if line.startswith("qos map")]


def test_map_entries_of_one_traffic_class_are_shown_on_one_line(fresh: Store, running: Running) -> None:
    configure(fresh, "qos map dscp 18 to traffic-class 3", "qos map dscp 10 26 to traffic-class 3")
    assert "qos map dscp 10 18 to traffic-class 3" in running(fresh)


def test_no_qos_map_brings_the_default_back(fresh: Store, running: Running) -> None:
    configure(fresh, "qos map dscp 10 18 to traffic-class 3", "no qos map dscp 10", "default qos map dscp 18")
    assert not [line for line in running(fresh) if line.startswith("qos map")]


def test_a_second_value_of_a_setting_replaces_the_first(fresh: Store, running: Running) -> None:
    configure(fresh, "interface Ethernet1/1", "mtu 9000", "mtu 9100")
    assert [line for line in running(fresh) if "mtu" in line] == ["   mtu 9100"]


def test_the_default_mtu_vanishes(fresh: Store, running: Running) -> None:
    configure(fresh, "interface Ethernet1/1", "mtu 9100", "mtu 1500")
    assert not [line for line in running(fresh) if "mtu" in line]


def test_no_qos_trust_is_a_setting_and_default_qos_trust_removes_it(fresh: Store, running: Running) -> None:
    configure(fresh, "interface Ethernet1/1", "no qos trust")
    assert "   no qos trust" in running(fresh)
    configure(fresh, "interface Ethernet1/1", "default qos trust")
    assert "   no qos trust" not in running(fresh)


def test_the_trust_that_a_routed_port_has_by_nature_vanishes(fresh: Store, running: Running) -> None:
    configure(fresh, "interface Ethernet1/1", "qos trust dscp", "interface Ethernet2/1", "switchport", "qos trust dscp")
    assert running(fresh).count("   qos trust dscp") == 1


def test_trust_over_a_profile_is_shown_even_where_it_is_the_default(configured: Store, running: Running) -> None:
    configure(configured, "interface Ethernet1/1", "qos trust dscp")
    assert running(configured).count("   qos trust dscp") == 2


def test_a_profile_name_is_shown_with_a_blank_behind_it(configured: Store, running: Running) -> None:
    assert "qos profile GPU-RAIL " in running(configured)


def test_no_pfc_removes_mode_and_priorities_but_not_the_watchdog(configured: Store, running: Running) -> None:
    configure(configured, "qos profile GPU-RAIL", "no priority-flow-control")
    kept = [line.strip() for line in running(configured) if line.startswith("   priority-flow-control")]
    assert all(line.startswith("priority-flow-control pause watchdog") for line in kept)
    assert len(kept) == 3


def test_a_line_of_an_outer_section_leaves_the_inner_one(fresh: Store, running: Running) -> None:
    configure(fresh, "qos profile A", "tx-queue 3", "priority-flow-control on", "interface Ethernet1/1", "mtu 9000")
    lines = running(fresh)
    start = lines.index("qos profile A ")
    assert lines[start : start + 2] == ["qos profile A ", "   priority-flow-control on"]
    assert "   mtu 9000" in lines


def test_exit_leaves_one_section_and_end_all_of_them(fresh: Store) -> None:
    command = "configure\nqos profile A\ntx-queue 3\nexit\nqos trust dscp\nend\nshow hostname"
    assert EMULATOR.run(fresh, command).stdout == "Hostname: leaf3\nFQDN:     leaf3\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("qos map dscp 26 to traffic-class 9", "% Invalid input (at token 6: '9')"),
        ("qos map dscp 64 to traffic-class 3", "% Invalid input (at token 3: '64')"),
        ("qos map dscp", "% Incomplete command"),
        ("no qos map dscp", "% Incomplete command"),
        ("no", "% Incomplete command"),
        ("qos frobnicate", "% Invalid input (at token 1: 'frobnicate')"),
        ("interface Ethernet99/1", "% Invalid input (at token 1: 'Ethernet99/1')"),
        ("priority-flow-control pause watchdog default timeout 0.005", "% Invalid input (at token 5: '0.005')"),
        ("priority-flow-control pause watchdog default timeout 0.205", "% Invalid input (at token 5: '0.205')"),
        ("priority-flow-control pause watchdog default polling-interval 31", "% Invalid input (at token 5: '31')"),
    ],
)
def test_a_line_that_eos_does_not_know_is_refused_at_its_token(fresh: Store, line: str, words: str) -> None:
    assert configure(fresh, line) == f"{words}\n"


def test_a_refused_line_fails_the_command_and_does_not_stop_the_next(fresh: Store, running: Running) -> None:
    answer = EMULATOR.run(fresh, "configure\nnonsense\nqos rewrite dscp\nend")
    assert answer.exit_status == 1
    assert "qos rewrite dscp" in running(fresh)


def test_seconds_are_shown_with_the_decimals_of_their_field(fresh: Store, running: Running) -> None:
    watchdog = "priority-flow-control pause watchdog default"
    configure(fresh, f"{watchdog} timeout 0.2", f"{watchdog} polling-interval 0.1")
    assert f"{watchdog} timeout 0.20" in running(fresh)
    assert f"{watchdog} polling-interval 0.100" in running(fresh)


def test_a_removed_profile_stays_attached(configured: Store, running: Running) -> None:
    configure(configured, "no qos profile GPU-RAIL")
    lines = running(configured)
    assert "qos profile GPU-RAIL " not in lines
    assert "   service-profile GPU-RAIL" in lines


def test_saving_copies_running_to_startup_and_nothing_else_does(fresh: Store) -> None:
    configure(fresh, "qos rewrite dscp")
    assert "qos rewrite dscp" not in EMULATOR.run(fresh, "show startup-config").stdout
    EMULATOR.run(fresh, "write memory")
    assert "qos rewrite dscp" in EMULATOR.run(fresh, "show startup-config").stdout


def test_releases_before_4_35_show_maps_first_and_the_action_before_the_timer() -> None:
    orders = {}
    for release in ("4.30.5M", "4.35.0F"):
        store = EMULATOR.start(leaf(release))
        EMULATOR.load(store, {"eos.cfg": LEAF_CFG})
        lines = [line.rstrip() for line in EMULATOR.run(store, "show running-config").stdout.splitlines()]
        timer = next(index for index, line in enumerate(lines) if "port timer" in line)
        action = next(index for index, line in enumerate(lines) if "port action" in line)
        maps, profile = lines.index("qos map dscp 10 18 to traffic-class 3"), lines.index("qos profile GPU-RAIL")
        orders[release] = (maps < profile, action < timer)
    assert orders == {"4.30.5M": (True, True), "4.35.0F": (False, False)}
