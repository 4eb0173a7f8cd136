"""Counters of an emulated NIC show what a job sends, in the priority that the NIC gives its mark."""

from __future__ import annotations

import re

import pytest

from fabric_drift.lab.emulator import Store
from tests.lab.linux_host.conftest import RAIL1, Run

COUNTERS = "ethtool -S enp24s0np0"


def moved(store: Store, run: Run) -> set[str]:
    """Counters that are more at the second look, by at least a megabyte."""
    looks = [dict(re.findall(r"(\w+): (\d+)", run(store, COUNTERS).stdout)) for _ in range(2)]
    return {name for name, value in looks[1].items() if int(value) - int(looks[0][name]) >= 1_000_000}


def test_an_idle_nic_counts_nothing(fresh: Store, run: Run) -> None:
    assert moved(fresh, run) == set()


@pytest.mark.parametrize(("dscp", "priority"), [(26, 3), (0, 0)])
def test_a_job_is_counted_in_the_priority_of_its_mark(configured: Store, run: Run, dscp: int, priority: int) -> None:
    configured["nics"][RAIL1]["dcb"] |= {"dscp_entries": [26]}
    configured["nics"][RAIL1]["dcb"]["dscp_to_priority"][26] = 3
    assert run(configured, f"lab traffic {RAIL1} {dscp}").exit_status == 0
    assert moved(configured, run) == {"tx_vport_rdma_unicast_bytes", f"tx_prio{priority}_bytes"}


@pytest.mark.parametrize("words", ["0000:99:00.0 0", f"{RAIL1} 64", f"{RAIL1} x"])
def test_traffic_that_makes_no_sense_is_refused(fresh: Store, run: Run, words: str) -> None:
    assert run(fresh, f"lab traffic {words}").exit_status == 1
