"""Eight changes of the example fabric, from Git to the comment on the pull request, against golden Markdown.

Golden files are read by people before they are committed: `pytest tests/review --update-golden` writes them.
"""

from __future__ import annotations

import json as stdlib_json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric_drift.platform import Disruption
from fabric_drift.review import review
from fabric_drift.review.document import json_schema
from fabric_drift.review.json import json
from fabric_drift.review.markdown import markdown
from fabric_drift.review.model import Review
from tests.report.meeting import meets

REPO = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
EXAMPLES: dict[str, list[dict[str, str]]] = yaml.safe_load((HERE / "examples.yml").read_text())
GIT = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(REPO / "intent", folder / "intent")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        subprocess.run(["git", "-C", str(folder), *GIT, *command], check=True, capture_output=True)
    return folder


def reviewed(checkout: Path, name: str) -> Review:
    """The review of one example as a working tree that isn't committed; the checkout is clean afterwards."""
    try:
        for edit in EXAMPLES[name]:
            apply(checkout / "intent/pod1" / edit["file"], edit)
        return review(checkout, "HEAD", None, "intent/pod1")
    finally:
        subprocess.run(["git", "-C", str(checkout), "checkout", "-q", "."], check=True)


def apply(file: Path, edit: dict[str, str]) -> None:
    text = file.read_text()
    if "old" in edit:
        assert text.count(edit["old"]) == 1, f"{edit['old']!r} isn't once in {file.name}"
        file.write_text(text.replace(edit["old"], edit["new"]))
    else:
        file.write_text(text + edit["new"])


def all_rows(found: Review) -> dict[str, tuple[Any, Any]]:
    return {"/".join(item.row.pattern): (item.row.before, item.row.after) for s in found.shapes for item in s.changes}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_comment_is_golden_and_the_json_meets_its_schema(checkout: Path, name: str, update_golden: bool) -> None:
    found = reviewed(checkout, name)
    meets(stdlib_json.loads(json(found)), json_schema())
    document = re.sub(r"HEAD \([0-9a-f]{12}\)", "HEAD (COMMIT)", markdown(found))
    golden = HERE / "golden" / f"{name}.md"
    if update_golden:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(document)
    assert document == golden.read_text()


def test_no_change_changes_nothing(checkout: Path) -> None:
    assert review(checkout, "HEAD", "HEAD", "intent/pod1").shapes == ()


def test_a_second_lossless_dscp_changes_one_entry_of_every_map(checkout: Path) -> None:
    rows = all_rows(reviewed(checkout, "add_lossless_dscp"))
    assert rows["ports/*/qos/maps/dscp_to_tc/28"] == (0, 3)
    assert rows["ports/*/qos/maps/dscp_to_priority/28"] == (0, 3)


def test_a_class_that_becomes_lossy_takes_pfc_off_every_device(checkout: Path) -> None:
    found = reviewed(checkout, "remove_priority")
    assert all_rows(found)["ports/*/qos/pfc/priorities"] == ((3,), ())
    concern = next(item for item in found.concerns if "taken off priority 3" in item.text)
    assert len(concern.devices) == 14


def test_the_switch_mtu_changes_on_the_six_switches_alone(checkout: Path) -> None:
    found = reviewed(checkout, "mtu_change")
    assert all_rows(found) == {"ports/*/mtu_bytes": (9100, 9216)}
    assert sorted(name for shape in found.shapes for name in shape.devices) == [
        "leaf1", "leaf2", "leaf3", "leaf4", "spine1", "spine2"
    ]  # fmt: skip


def test_an_ecn_threshold_changes_on_the_asics_it_is_for(checkout: Path) -> None:
    found = reviewed(checkout, "ecn_threshold")
    assert all_rows(found) == {"ports/*/qos/queues/3/ecn/kmin_bytes": (1_600_000, 2_000_000)}
    assert sorted(name for shape in found.shapes for name in shape.devices) == ["leaf1", "leaf2", "spine1"]


def test_a_buffer_row_changes_the_ports_with_that_cable(checkout: Path) -> None:
    found = reviewed(checkout, "buffer_row")
    (pattern, values), *more = all_rows(found).items()
    assert (pattern, values, more) == ("ports/*/qos/priority_groups/3/xoff_bytes", (446_024, 480_000), [])
    assert sum(change.port_count for shape in found.shapes for change in shape.changes) == 16


def test_a_watchdog_timer_changes_on_every_switch(checkout: Path) -> None:
    found = reviewed(checkout, "watchdog_timer")
    assert all_rows(found)["ports/*/qos/pfc/watchdog/detect_ms"] == (200, 300)
    assert len({name for shape in found.shapes for name in shape.devices}) == 6


def test_a_new_leaf_is_new_and_its_spines_get_ports(checkout: Path) -> None:
    found = reviewed(checkout, "new_leaf")
    assert {(shape.kind.value, shape.devices) for shape in found.shapes} == {
        ("added", ("leaf5",)),
        ("changed", ("spine1",)),
        ("changed", ("spine2",)),
    }


def test_pfc_leaves_the_ports_of_the_role_alone(checkout: Path) -> None:
    found = reviewed(checkout, "pfc_off_on_a_role")
    lost = [item for s in found.shapes for item in s.changes if item.row.pattern[-2:] == ("pfc", "priorities")]
    assert sum(item.port_count for item in lost) == 64
    assert not any(name.startswith("gpu") for shape in found.shapes for name in shape.devices)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_disruption_is_known_only_with_a_row_of_the_table(checkout: Path, name: str) -> None:
    proofs = [proof for shape in reviewed(checkout, name).shapes for step in shape.steps for proof in step.proofs]
    assert proofs
    for proof in proofs:
        if proof.disruption is not Disruption.UNKNOWN:
            assert proof.capability is not None
            assert proof.capability.source
