"""Health of a host: links and neighbours by PCI address; what can't be read says so."""

from __future__ import annotations

import pytest

from fabric_drift.change import Health, worse
from fabric_drift.lab.emulator import Store
from fabric_drift.platform import Output
from fabric_drift.platforms.linux_host import CHANGER
from tests.platforms.linux_host.changing import fresh, run
from tests.platforms.linux_host.policies import RAILS


def outputs(store: Store) -> dict[str, Output]:
    answers = {command.text: run(store, command.wire) for command in CHANGER.health_commands()}
    return {text: Output(answer.stdout, answer.stderr, answer.exit_status) for text, answer in answers.items()}


def health(store: Store) -> Health:
    return CHANGER.health(outputs(store))


def test_a_healthy_host_has_its_links_and_neighbours() -> None:
    found = health(fresh())
    assert found.ports_up == {*RAILS, "0000:29:00.0", "0000:cc:00.0"}
    assert found.neighbours == {f"{RAILS[0]} leaf1 Ethernet0", f"{RAILS[1]} leaf1 Ethernet8"}
    assert found.unreadable == ()


def test_a_link_that_went_down_is_worse() -> None:
    store = fresh()
    before = health(store)
    run(store, "sudo -n ip link set dev enp24s0np0 down")
    assert worse(before, health(store)) == (
        f"port {RAILS[0]} went down",
        f"neighbour lost: {RAILS[0]} leaf1 Ethernet0",
    )


def test_a_host_without_lldpd_is_no_worse_for_it() -> None:
    store = fresh()
    run(store, "lab uninstall lldpctl")
    before = health(store)
    assert (before.neighbours, before.unreadable) == (frozenset(), ())
    assert worse(before, health(store)) == ()


@pytest.mark.parametrize("output", [Output(error="timeout"), Output("", "", 127), Output("nonsense", "", 0)])
def test_links_that_cannot_be_read_are_unreadable(output: Output) -> None:
    found = CHANGER.health({**outputs(fresh()), "ip -j -d link show": output})
    assert found.unreadable
    assert worse(Health(), found)


def test_no_answers_at_all_are_unreadable() -> None:
    assert CHANGER.health({}).unreadable
