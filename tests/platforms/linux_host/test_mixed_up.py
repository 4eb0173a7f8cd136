"""dcb that takes an answer for another one, as seen on a real kernel: the command is given again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

MIXED_UP = "Attribute write: Protocol error\nCould not add new APP entries\n"
FINE = (0, "", "")


class Host:
    """Gives one answer after the other."""

    def __init__(self, answers: Iterator[tuple[int, str, str]]) -> None:
        self.answers = answers
        self.asked = 0

    def run(self, _argv: list[str]) -> tuple[int, str, str]:
        self.asked += 1
        return next(self.answers)


def flushed(program: Any, *answers: tuple[int, str, str]) -> int:
    """How often dcb was run to flush the entries."""
    host = Host(iter(answers))
    program["nic"].Nic(host, "", "fdcb0", "").write_app({"trust": "pcp"}, {"trust"})
    return host.asked


@pytest.mark.parametrize("status", [0, 1])
def test_a_mixed_up_answer_is_asked_for_again_whatever_the_status(program: Any, status: int) -> None:
    assert flushed(program, (status, "", MIXED_UP), FINE) == 2


def test_a_refusal_is_not(program: Any) -> None:
    with pytest.raises(program["host"].Failed, match="Operation not supported"):
        flushed(program, (1, "", "Attribute write: Operation not supported"), FINE)


@pytest.mark.parametrize("status", [0, 1])
def test_answers_that_stay_mixed_up_are_a_failure_even_with_status_0(program: Any, status: int) -> None:
    with pytest.raises(program["host"].Failed, match="Protocol error"):
        flushed(program, *[(status, "", MIXED_UP)] * program["nic"].TRIES)
