"""Each fact changed by hand over REST, as an operator would: exactly that is found, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from fabric_drift.finding import Severity
from fabric_drift.result import DeviceStatus
from tests.lab.ufm.conftest import Lab
from tests.platforms.ufm.emulation import send

PKEYS = "/ufmRest/resources/pkeys"
A, B, C, D = "0c42a10300000001", "0c42a10300000081", "0c42a10300000101", "0c42a10300000141"
"""gpu001 in tenant_a, gpu003 in tenant_b, gpu005 full in tenant_c, gpu006 limited in tenant_c; first rail each."""
STRANGER = "0c42a10300000151"
Request = tuple[str, str, Any]

MUTATIONS: dict[str, tuple[list[Request], set[str]]] = {
    "a member is taken out": (
        [("DELETE", f"{PKEYS}/0x10/guids/{A}", None)],
        {f"partitions/0x0010/members/0x{A}"},
    ),
    "a stranger is added, and UFM makes it full": (
        [("POST", f"{PKEYS}/", {"pkey": "0x10", "guids": [B]})],
        {f"partitions/0x0010/members/0x{B}"},
    ),
    "a limited member is added again, and UFM makes it full whatever memberships says": (
        [("POST", f"{PKEYS}/", {"pkey": "0x30", "guids": [D], "memberships": ["limited"]})],
        {f"partitions/0x0030/members/0x{D}"},
    ),
    "a full member becomes limited": (
        [("POST", f"{PKEYS}/", {"pkey": "0x30", "guids": [C], "membership": "limited"})],
        {f"partitions/0x0030/members/0x{C}"},
    ),
    "index 0 of one member is lost": (
        [("POST", f"{PKEYS}/", {"pkey": "0x20", "guids": [B], "index0": False})],
        {"partitions/0x0020/index0"},
    ),
    "one member of another partition gets index 0": (
        [("POST", f"{PKEYS}/", {"pkey": "0x10", "guids": [A], "index0": True})],
        {"partitions/0x0010/index0"},
    ),
    "a partition is deleted": ([("DELETE", f"{PKEYS}/0x20", None)], {"partitions/0x0020"}),
    "a partition goes with its last member": (
        [("POST", f"{PKEYS}/", {"pkey": "0x40", "guids": [A]}), ("DELETE", f"{PKEYS}/0x40/guids/{A}", None)],
        set(),
    ),
    "a partition that nobody planned": (
        [("POST", f"{PKEYS}/", {"pkey": "0x40", "guids": [A]})],
        {"partitions/0x0040"},
    ),
    "an empty partition that nobody planned": ([("POST", f"{PKEYS}/add", {"pkey": "0x41"})], {"partitions/0x0041"}),
    "a partition in the span of another owner is theirs": (
        [("POST", f"{PKEYS}/", {"pkey": "0x1001", "guids": [A], "index0": True})],
        set(),
    ),
    "the MTU of a partition": (
        [("PUT", f"{PKEYS}/qos_conf", {"pkey": "0x10", "mtu_limit": 2})],
        {"partitions/0x0010/mtu_bytes"},
    ),
    "the rate of a partition": (
        [("PUT", f"{PKEYS}/qos_conf", {"pkey": "0x10", "rate_limit": 100})],
        {"partitions/0x0010/rate_code"},
    ),
    "the service level of a partition": (
        [("PUT", f"{PKEYS}/qos_conf", {"pkey": "0x10", "service_level": 3})],
        {"partitions/0x0010/service_level"},
    ),
    "the MTU of a partition that the intent gives no IPoIB": (
        [("PUT", f"{PKEYS}/qos_conf", {"pkey": "0x30", "mtu_limit": 4})],
        set(),
    ),
    "the default membership": ([("POST", "/_lab/model", {"default_membership": "full"})],
                               {"partitions/0x7fff/members/ALL"}),
    "the routing engine": ([("POST", "/_lab/smconf", {"routing_engine_active": "minhop"})], {"manager/routing_engine"}),
    "the priority": ([("POST", "/_lab/smconf", {"sm_priority": 14})], {"options/sm_priority"}),
    "the subnet prefix": ([("POST", "/_lab/smconf", {"subnet_prefix": "0xfe80000000000001"})],
                          {"options/subnet_prefix"}),
    "a key of the manager that the intent leaves open": ([("POST", "/_lab/smconf", {"sa_key": "0x123456"})],
                                                         {"options/sa_key"}),
    "an option that nobody manages": ([("POST", "/_lab/smconf", {"max_wire_smps": 16})], set()),
}  # fmt: skip


@pytest.mark.parametrize(("requests", "paths"), MUTATIONS.values(), ids=MUTATIONS)
def test_a_change_by_hand_is_found_and_nothing_else(lab: Lab, requests: list[Request], paths: set[str]) -> None:
    for verb, path, body in requests:
        send(lab.ufm, verb, path, body)
    assert lab.told() == dict.fromkeys((f"infiniband/{path}" for path in paths), "drift")


def test_ip_over_ib_of_a_partition(lab: Lab) -> None:
    whole = {"pkey": "0x20", "guids": [f"0c42a103000000{n:x}1" for n in range(8, 16)], "index0": True}
    send(lab.ufm, "PUT", f"{PKEYS}/", whole | {"ip_over_ib": True})
    assert lab.told() == {"infiniband/partitions/0x0020/ipoib": "drift"}


def test_as_intended_nothing_is_told_and_the_check_is_complete(lab: Lab) -> None:
    result = lab.device()
    assert lab.told() == {}
    assert result.status is DeviceStatus.CHECKED
    assert result.release == "6.19.3"


def test_a_finding_shows_the_line_of_the_intent_and_the_row_of_ufm(lab: Lab) -> None:
    send(lab.ufm, "DELETE", f"{PKEYS}/0x10/guids/{A}", None)
    (finding,) = (item for item in lab.device().findings if item.path[-1] == f"0x{A}")
    assert [source.file.rpartition("/")[2] for source in finding.sources] == ["subnet.yml"]
    assert finding.evidence[0].command == "GET /ufmRest/resources/pkeys?guids_data=true"
    assert finding.evidence[0].lines == (f"0x0010: 0x{A} is not among 7 members",)


def test_an_open_default_partition_is_critical(lab: Lab) -> None:
    send(lab.ufm, "POST", "/_lab/model", {"default_membership": "full"})
    (finding,) = lab.device().findings
    assert (finding.expected, finding.actual) == ("limited", "full")
    assert finding.severity is Severity.CRITICAL


def test_a_check_only_gets(lab: Lab) -> None:
    lab.check()
    assert lab.ufm.requests
    assert {request.partition(" ")[0] for request in lab.ufm.requests} == {"GET"}
