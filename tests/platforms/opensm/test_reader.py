"""The reader's manners: its pace, when it gives up, where its keys come from, and what it calls unseen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric_drift.platforms.opensm.commands import PROGRAMS
from fabric_drift.platforms.opensm.routing import Topology, walk
from fabric_drift.state.infiniband import Routing
from fabric_drift.state.values import Unobserved
from tests.platforms.opensm import recorded
from tests.platforms.opensm.recorded import program


class Clock:
    """Time that passes only when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


def pace(rate: int, counts: list[int | None], patience_s: float = 1.0) -> tuple[Any, Clock]:
    """A pace under a manager whose ActCount is told look by look; the last value is told for ever."""
    clock = Clock()

    def look() -> int | None:
        return counts.pop(0) if len(counts) > 1 else counts[0]

    return program("ib_pace").Pace(rate, look, patience_s, clock, clock.sleep), clock


def test_a_rate_is_kept() -> None:
    found, clock = pace(1000, [5])
    for _ in range(2000):
        found.step()
    assert 1.9 <= clock.slept <= 2.1


def test_it_sleeps_seldom_and_long_enough_that_a_sleep_lasts_as_asked() -> None:
    found, clock = pace(20_000, [5])
    sleeps: list[float] = []

    def nap(seconds: float) -> None:
        sleeps.append(seconds)
        clock.sleep(seconds)

    found.nap = nap
    for _ in range(20_000):
        found.step()
    assert sum(sleeps) == pytest.approx(1, abs=0.06)  # NAP_S may be made up for at the start
    assert min(sleeps) >= 0.002


def test_no_rate_is_no_waiting() -> None:
    found, clock = pace(0, [5])
    for _ in range(2000):
        found.step()
    assert clock.slept == 0


def test_time_that_was_lost_is_not_made_up_for_by_a_burst() -> None:
    found, clock = pace(1000, [5])
    found.step()
    clock.now += 10
    before = clock.slept
    for _ in range(1000):
        found.step()
    assert clock.slept - before >= 0.9


def test_a_sweep_is_waited_for_until_the_count_stands_still() -> None:
    found, clock = pace(0, [0, 400, 800, 801])
    found.step()
    clock.now += 0.2
    found.step()
    assert (round(found.paused_s, 2), found.sweeping) == (0.1, False)


def test_a_sweep_without_end_is_waited_for_as_long_as_patience_lasts() -> None:
    found, clock = pace(0, list(range(0, 10**6, 1000)), patience_s=0.5)
    for _ in range(100):
        clock.now += 0.2
        found.step()
    assert found.sweeping
    assert found.paused_s == pytest.approx(0.5, abs=0.06)


def test_a_light_sweep_of_a_few_switches_is_none() -> None:
    found, clock = pace(0, [0, 10, 20, 30])
    for _ in range(3):
        clock.now += 0.2
        found.step()
    assert found.paused_s == 0


def test_a_manager_that_does_not_say_how_busy_it_is_is_told_as_such() -> None:
    found, _ = pace(0, [None])
    found.step()
    assert (found.blind, found.paused_s) == (True, 0)


def silent_fabric() -> Any:
    mad = program("ib_mad")
    fabric = object.__new__(mad.Fabric)
    fabric.pace = pace(0, [0])[0]
    fabric.sent = fabric.silent = 0
    fabric.buffer = mad.ctypes.create_string_buffer(256)
    return fabric


def test_who_keeps_silent_thrice_is_not_asked_again_and_others_are() -> None:
    fabric, target = silent_fabric(), program("ib_mad").by_route((1, 2))
    for _ in range(1000):
        assert fabric.ask(target, lambda _to: 0) is None
    assert (fabric.sent, fabric.silent) == (3, 1000)
    assert fabric.ask(program("ib_mad").by_route((1, 3)), lambda _to: 1) == bytes(64)


def test_an_answer_between_silences_starts_the_count_anew() -> None:
    fabric, target = silent_fabric(), program("ib_mad").by_route((1,))
    for number in range(30):
        fabric.ask(target, lambda _to, number=number: number % 3 == 2)
    assert fabric.sent == 30


@pytest.mark.parametrize(
    ("text", "key"),
    [("m_key 0x1234\nsa_key 7\n", 0x1234), ("sa_key 7\n", 0), ("m_key 5\nm_key 6\n", 6), ("m_key\n", 0), (None, 0)],
)
def test_the_m_key_is_the_one_of_the_vault_or_none(tmp_path: Path, text: str | None, key: int) -> None:
    path = tmp_path / "keys.conf"
    if text is not None:
        path.write_text(text)
    assert program("ib_mad").m_key_of_vault(str(path)) == key


def test_an_m_key_that_is_no_number_is_never_taken_for_none(tmp_path: Path) -> None:
    (tmp_path / "keys.conf").write_text("m_key {{ vault_ib_m_key }}\n")
    with pytest.raises(ValueError, match="invalid literal"):
        program("ib_mad").m_key_of_vault(str(tmp_path / "keys.conf"))


def test_every_module_of_the_reader_is_installed_and_none_sends_a_set() -> None:
    assert sorted(PROGRAMS) == sorted(path.name for path in recorded.PROGRAMS.glob("ib_*.py"))
    writing = {"smp_set_via", "pma_set_via", "performance_reset_via", "mad_rpc_set_via"}
    texts = {name: (recorded.PROGRAMS / name).read_text() for name in PROGRAMS}
    assert [name for name, text in texts.items() if any(word in text for word in writing)] == []


TABLES = {"leaf": bytes([255, 1, 2, 9, 9]), "spine": bytes([255, 1, 1, 2, 2])}
PEERS: dict[str, dict[int, str]] = {"leaf": {1: "h1", 2: "h2", 9: "spine"}, "spine": {1: "leaf"}}
HCAS = {"h1/1": (1, "leaf", 1), "h2/1": (2, "leaf", 2)}


def walked(unseen: frozenset[str], lids_per_port: int = 1) -> Routing | Unobserved:
    return walk(Topology(TABLES, PEERS, HCAS, unseen, lids_per_port))


def test_a_silent_hca_is_on_nobody_elses_way() -> None:
    assert walked(frozenset({"leaf/7"})) == Routing({}, {}, {})


def test_a_silent_switch_behind_which_lids_are_leaves_the_routes_unobserved() -> None:
    assert walked(frozenset({"spine/2"})) == Unobserved("a switch behind spine/2 did not answer")


def test_two_lids_behind_a_port_are_one_hca_where_every_port_has_two() -> None:
    assert walked(frozenset({"spine/2"}), lids_per_port=2) == Routing({}, {}, {})


def test_a_way_that_leads_behind_a_silent_node_is_not_judged() -> None:
    found = walked(frozenset({"leaf/2"}))
    assert found == Unobserved("the way to h2/1 leads behind leaf/2, where nobody answered")
