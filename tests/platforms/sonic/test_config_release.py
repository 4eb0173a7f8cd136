"""A reading as a whole: in whatever order answers come, and of which release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fabric_drift.finding import Layer
from fabric_drift.platforms.sonic import PLATFORM
from fabric_drift.state.values import Unobserved
from tests.platforms.sonic.configs import leaf
from tests.platforms.sonic.devices import BROADCOM, outputs_of, read


def test_answers_in_another_order_give_the_same_reading() -> None:
    config = leaf()
    turned = {
        table: dict(reversed([(key, dict(reversed(row.items()))) for key, row in rows.items()]))
        for table, rows in reversed(config.items())
    }
    assert read(turned).states == read(config).states
    assert read(turned).names == read(config).names


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("build_version: '202411.716590-a1b2c3'\nasic_type: broadcom\n", "202411"),
        ("build_version: '20250510.05'\nasic_type: broadcom\n", "202505"),
        ("build_version: 'master.12-a'\nrelease: '202511'\nasic_type: broadcom\n", "202511"),
    ],
)
def test_the_release_is_read_from_community_and_other_builds(text: str, release: str) -> None:
    outputs = outputs_of(leaf())
    outputs["cat /etc/sonic/sonic_version.yml"] = replace(outputs["cat /etc/sonic/sonic_version.yml"], stdout=text)
    identity: Any = PLATFORM.parse(outputs).states[Layer.RUNNING].identity
    assert (identity.release, identity.asic, identity.hostname) == (release, "broadcom", BROADCOM.device)


def test_a_release_that_nobody_can_tell_is_unobserved() -> None:
    outputs = outputs_of(leaf())
    version = "cat /etc/sonic/sonic_version.yml"
    outputs[version] = replace(outputs[version], stdout="build_version: 'master.12-a'\nasic_type: broadcom\n")
    identity: Any = PLATFORM.parse(outputs).states[Layer.RUNNING].identity
    assert isinstance(identity.release, Unobserved)
