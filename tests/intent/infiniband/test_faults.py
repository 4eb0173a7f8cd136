"""One fault of the intent of a subnet is one error with its code; OpenSM would have said nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric_drift.errors import IntentErrors
from fabric_drift.expect.infiniband_options import check
from fabric_drift.intent.infiniband import load

INTENT = Path(__file__).parents[3] / "intent" / "ibpod" / "infiniband"
FAULTS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("faults.yml").read_text())


def written(folder: Path, text: str, plan: str | None = None) -> Path:
    (folder / "subnet.yml").write_text(text)
    (folder / "fabric.topo").write_text((INTENT / "fabric.topo").read_text() if plan is None else plan)
    return folder


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault['code']} {fault['by'][:30]}")
def test_one_fault_is_one_error(tmp_path: Path, fault: dict[str, Any]) -> None:
    good = (INTENT / "subnet.yml").read_text()
    assert fault["replace"] in good
    with pytest.raises(IntentErrors) as raised:
        check(load(written(tmp_path, good.replace(fault["replace"], fault["by"], 1))))
    errors = raised.value.errors
    assert [error.code for error in errors] == [fault["code"]] * fault.get("times", 1)
    assert fault["says"] in errors[0].text()


def test_a_plan_whose_ends_disagree_is_refused(tmp_path: Path) -> None:
    plan = (INTENT / "fabric.topo").read_text().replace('"S-b8cef60300100200"[1]', '"S-b8cef60300100200"[9]', 1)
    with pytest.raises(IntentErrors) as raised:
        load(written(tmp_path, (INTENT / "subnet.yml").read_text(), plan))
    assert {error.code for error in raised.value.errors} == {"FD-INT-064"}


def test_members_are_port_guids_by_host_and_rail() -> None:
    fabric = load(INTENT)
    assert fabric.partitions["tenant_c"].members == {
        "0x0c42a10300000101": "full", "0x0c42a10300000111": "full",
        "0x0c42a10300000121": "full", "0x0c42a10300000131": "full",
        "0x0c42a10300000141": "limited", "0x0c42a10300000151": "limited",
    }  # fmt: skip
    assert fabric.master.name == "sm1"
    assert fabric.roots == ("0xb8cef60300100000", "0xb8cef60300100100")
