"""One run at a time: the lock on a switch names its run, from its first moment to its last."""

from __future__ import annotations

import pytest

from fabric_drift.change import Stage
from fabric_drift.platforms.sonic import PLATFORM
from tests.platforms.sonic.changing import Refused, Switch
from tests.platforms.sonic.test_plan import intent


def test_a_second_run_is_kept_out_and_does_not_take_the_lock_from_the_first(drifted: Switch) -> None:
    plan = drifted.plan(intent(drifted.name))
    first, second = PLATFORM.procedure(plan, "r2"), PLATFORM.procedure(plan, "r3")
    drifted.walk(first, Stage.PREFLIGHT, Stage.LOCK)
    with pytest.raises(Refused) as refused:
        drifted.walk(second, Stage.PREFLIGHT, Stage.LOCK)
    assert refused.value.args[0] is Stage.LOCK
    drifted.walk(second, Stage.TIDY)
    with pytest.raises(Refused):
        drifted.walk(second, Stage.LOCK)
    drifted.walk(first, Stage.SAVE, Stage.REHEARSE, Stage.ARM, Stage.COMMIT, Stage.CONFIRM)
    drifted.walk(second, Stage.LOCK)


def test_a_run_that_is_kept_out_is_told_who_holds_the_lock(drifted: Switch) -> None:
    plan = drifted.plan(intent(drifted.name))
    drifted.walk(PLATFORM.procedure(plan, "r2"), Stage.LOCK)
    with pytest.raises(Refused) as refused:
        drifted.walk(PLATFORM.procedure(plan, "r3"), Stage.LOCK)
    assert "Description=fabric-drift run r2" in refused.value.args[2].stdout


def test_a_run_that_was_cut_right_behind_any_command_of_its_lock_can_give_it_back(drifted: Switch) -> None:
    plan = drifted.plan(intent(drifted.name))
    first, second = PLATFORM.procedure(plan, "r2"), PLATFORM.procedure(plan, "r3")
    for cut in range(1, len(first.stages[Stage.LOCK]) + 1):
        for action in first.stages[Stage.LOCK][:cut]:
            drifted.run(action.command)
        drifted.walk(second, Stage.TIDY)
        assert drifted.store["timers"] != []  # a run gives back its own lock alone
        drifted.walk(first, Stage.TIDY, Stage.TIDY)
        assert drifted.store["timers"] == []
        assert not [path for path in drifted.store["files"] if "fabric-drift-r2" in path]


@pytest.mark.parametrize(("mine", "theirs"), [("r2", "r22"), ("r22", "r2"), ("r-2", "r_2")])
def test_a_lock_of_a_run_of_nearly_the_same_name_stays(drifted: Switch, mine: str, theirs: str) -> None:
    plan = drifted.plan(intent(drifted.name))
    drifted.walk(PLATFORM.procedure(plan, theirs), Stage.LOCK)
    drifted.walk(PLATFORM.procedure(plan, mine), Stage.TIDY)
    assert [timer["unit"] for timer in drifted.store["timers"]] == ["fabric-drift-lock"]


def test_a_lock_of_a_run_that_died_before_it_changed_anything_ends_by_itself(drifted: Switch) -> None:
    plan = drifted.plan(intent(drifted.name))
    drifted.walk(PLATFORM.procedure(plan, "r2"), Stage.LOCK)
    assert drifted.wait(plan.deadline_s + 900) == ["fabric-drift-lock"]
    drifted.walk(PLATFORM.procedure(plan, "r3"))
    assert drifted.drift(intent(drifted.name)) == []
