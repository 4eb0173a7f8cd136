"""A change of a UFM is shown to the last byte and never made: no timer of its own would take it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric_drift.errors import Unsupported
from fabric_drift.lab.ufm.commands import requests_of
from fabric_drift.lab.ufm.server import PASSWORD, USER
from fabric_drift.platforms.ufm import PLATFORM
from fabric_drift.workflow.play_change import apply_host, preview_hosts
from tests.lab.ufm.conftest import INTENT, Lab
from tests.platforms.ufm.emulation import TARGET, expected, outputs_of, send

PKEYS = "/ufmRest/resources/pkeys"
ALLOWED = ["unknown", "traffic_loss", "restart", "reload"]


def variables(lab: Lab) -> dict[str, dict[str, Any]]:
    return {
        "ufm1": {
            "ansible_host": lab.host.address,
            "ansible_port": lab.host.port,
            "ansible_user": USER,
            "ansible_password": PASSWORD,
            "fabric_drift_ca_file": lab.host.ca_file,
            "fabric_drift_tls_name": "ufm1",
            "fabric_drift_platform": "ufm",
        }
    }


def previewed(lab: Lab, allow: list[str]) -> dict[str, Any]:
    return preview_hosts(variables(lab), ["ufm1"], ["ufm1"], {"intent": str(INTENT), "allow": allow})


def test_a_ufm_as_intended_has_nothing_to_preview(lab: Lab) -> None:
    result = previewed(lab, [])
    assert (result["ok"], result["changed"]) == (True, False)
    assert result["devices"]["ufm1"]["diff"] == ""


@pytest.mark.parametrize("allow", [[], ALLOWED], ids=["nothing allowed", "everything allowed"])
def test_drift_is_previewed_as_requests_and_refused_whatever_is_allowed(lab: Lab, allow: list[str]) -> None:
    send(lab.ufm, "DELETE", f"{PKEYS}/0x10/guids/0c42a10300000001")
    result = previewed(lab, allow)
    assert not result["ok"]
    device = result["devices"]["ufm1"]
    assert device["status"] == "refused"
    assert any("no timer that takes a change back" in item["problem"] for item in device["refusals"])
    ((verb, path, body),) = requests_of(device["diff"])
    assert (verb, path, body["pkey"], len(body["guids"])) == ("PUT", f"{PKEYS}/", "0x10", 8)
    assert device["diff"].startswith("# 0x0010: 1 members gained (0x0c42a10300000001)")
    assert set(body["memberships"]) == {"full"}


def test_apply_is_refused_before_anything_is_sent(lab: Lab, tmp_path: Path) -> None:
    send(lab.ufm, "DELETE", f"{PKEYS}/0x10/guids/0c42a10300000001")
    lab.ufm.requests.clear()
    arguments = {"intent": str(INTENT), "allow": ALLOWED, "run_log": str(tmp_path)}
    outcome = apply_host("ufm1", variables(lab), ["ufm1"], arguments)
    assert (outcome["status"], outcome["changed"], outcome["ok"]) == ("refused", False, False)
    assert "no timer that takes a change back" in str(outcome["problems"])
    assert {request.partition(" ")[0] for request in lab.ufm.requests} == {"GET"}


def test_the_requests_of_the_preview_bring_the_ufm_to_its_intent(lab: Lab) -> None:
    send(lab.ufm, "DELETE", f"{PKEYS}/0x20")
    send(lab.ufm, "POST", f"{PKEYS}/", {"pkey": "0x30", "guids": ["0c42a10300000141"]})
    send(lab.ufm, "POST", f"{PKEYS}/", {"pkey": "0x44", "guids": ["0c42a10300000141"]})
    send(lab.ufm, "POST", f"{PKEYS}/", {"pkey": "0x1044", "guids": ["0c42a10300000141"]})
    send(lab.ufm, "PUT", f"{PKEYS}/qos_conf", {"pkey": "0x10", "mtu_limit": 2})
    for verb, path, body in requests_of(previewed(lab, [])["devices"]["ufm1"]["diff"]):
        send(lab.ufm, verb, path, body)
    assert lab.told() == {}
    assert 0x1044 in lab.ufm.model.partitions, "what another owner has is never touched"


def test_what_no_request_changes_is_refused_with_its_remedy(lab: Lab) -> None:
    send(lab.ufm, "POST", "/_lab/smconf", {"routing_engine_active": "minhop"})
    send(lab.ufm, "POST", "/_lab/model", {"default_membership": "full"})
    refusals = {item["path"]: item for item in previewed(lab, [])["devices"]["ufm1"]["refusals"]}
    assert set(refusals) == {"infiniband/manager/routing_engine", "infiniband/partitions/0x7fff/members/ALL"}
    assert all(item["remedy"] for item in refusals.values())


def test_a_view_that_is_not_whole_is_never_planned_from(lab: Lab) -> None:
    lab.ufm.fault("lost-guids", "guids_data")
    device = previewed(lab, ALLOWED)["devices"]["ufm1"]
    assert device["steps"] == []
    assert "not known" in device["refusals"][0]["problem"]


def test_a_fact_that_was_not_seen_is_refused_not_guessed(lab: Lab) -> None:
    lab.ufm.fault("broken", "qos_conf")
    device = previewed(lab, ALLOWED)["devices"]["ufm1"]
    assert device["status"] == "refused"
    assert device["steps"] == []
    assert {item["path"] for item in device["refusals"]} == {
        *(f"infiniband/partitions/{pkey}/{fact}" for pkey in ("0x0010", "0x7fff") for fact in
          ("mtu_bytes", "rate_code", "service_level"))
    }  # fmt: skip


def test_no_procedure_exists(lab: Lab) -> None:
    send(lab.ufm, "DELETE", f"{PKEYS}/0x20")
    plan = PLATFORM.plan(PLATFORM.parse(outputs_of(lab.ufm)), expected(), TARGET)
    assert plan.steps
    with pytest.raises(Unsupported, match="no timer"):
        PLATFORM.procedure(plan, "run")
    assert PLATFORM.health(outputs_of(lab.ufm)).unreadable
