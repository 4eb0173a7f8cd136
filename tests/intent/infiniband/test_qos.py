"""Levels and rules of QoS: typed, rendered in the words of OpenSM, refused where they point to nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fabric_drift.errors import IntentErrors
from fabric_drift.expect.infiniband import expect
from fabric_drift.intent.infiniband import load
from fabric_drift.platform import Target
from fabric_drift.platforms.opensm import PLATFORM
from fabric_drift.state.infiniband import Infiniband
from tests.intent.infiniband.editing import QOS, edited

FAULTS: list[dict[str, str]] = yaml.safe_load(Path(__file__).with_name("qos_faults.yml").read_text())


def test_levels_and_rules_are_written_as_opensm_reads_them(tmp_path: Path) -> None:
    state = expect(load(edited(tmp_path, QOS)), "sm1")
    assert isinstance(state.infiniband, Infiniband)
    lines = state.infiniband.qos_policy
    assert isinstance(lines, tuple)
    assert lines[:3] == ("port-groups", "port-group", "name: compute")
    assert lines[lines.index("qos-levels") :] == (
        "qos-levels",
        "qos-level", "name: DEFAULT", "sl: 0", "end-qos-level",
        "qos-level", "name: bulk", "sl: 2", "mtu-limit: 3", "rate-limit: 16", "end-qos-level",  # 1024 B, 100 Gb/s
        "qos-level", "name: control", "sl: 3", "packet-life: 16", "pkey: 0x0010", "end-qos-level",
        "end-qos-levels",
        "qos-match-rules",
        "qos-match-rule", "qos-class: 7", "service-id: 24576-24831", "pkey: 0x0010", "qos-level-name: control",
        "end-qos-match-rule",
        "qos-match-rule", "source: compute", "destination: compute", "pkey: 0x0010", "qos-level-name: bulk",
        "end-qos-match-rule",
        "end-qos-match-rules",
        "qos-ulps", "default : 0", "any, pkey 0x0010 : 1", "end-qos-ulps",
    )  # fmt: skip
    assert PLATFORM.localise(state, Target("sm1", "3.3.23")) == state


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["says"])
def test_a_rule_that_points_to_nothing_is_refused_with_its_line(tmp_path: Path, fault: dict[str, str]) -> None:
    with pytest.raises(IntentErrors) as raised:
        load(edited(tmp_path, QOS, (fault["replace"], fault["by"])))
    for error in raised.value.errors:
        assert any(words in error.text() for words in fault["says"].split("|"))
        assert "subnet.yml:" in error.text()
