"""What UFM's REST can't express is refused; what only OpenSM's own files say isn't asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fabric_drift.errors import Unsupported
from fabric_drift.platform import Rendered, Target
from fabric_drift.platforms.ufm import requests
from fabric_drift.platforms.ufm.pkeys import DEFAULT_PKEY, MEMBERSHIPS, MTU_BYTES, RATE_CODES
from fabric_drift.state.device import DeviceState
from fabric_drift.state.infiniband import Infiniband, Manager, Partition, Partitions
from fabric_drift.state.values import UNSAID, is_said

RELEASES = tuple(f"6.{minor}" for minor in range(12, 25))
"""Releases whose REST API guide has the resources that are read."""
OF_FILES = (
    "guid", "routing_engine", "root_guid_file", "cn_guid_file", "io_guid_file", "partition_config_file",
    "qos_policy_file",
)  # fmt: skip
"""Where things lie on an SM node is UFM's business; of the engine, the one at work is compared."""


def localise(expected: DeviceState, target: Target) -> DeviceState:
    """``expected`` as a UFM would show it. Names of partitions are adopted. Raises Unsupported."""
    state = expected.infiniband
    if not isinstance(state, Infiniband):
        return expected
    manager = state.manager
    if isinstance(manager, Manager):  # the log isn't in the REST API; the priority is the option sm_priority
        manager = Manager(state=manager.state, routing_engine=manager.routing_engine)
    return replace(
        expected,
        infiniband=replace(
            state,
            manager=manager,
            options=_options(state.options),
            partitions=_partitions(state.partitions, target),
            qos_policy=state.qos_policy or UNSAID if is_said(state.qos_policy) else state.qos_policy,
            guid_files=state.guid_files or UNSAID if is_said(state.guid_files) else state.guid_files,
        ),
    )


def _options(wanted: Any) -> Any:
    """``qos`` off is what an intent without a section says; only a section of it is asked for."""
    if not is_said(wanted):
        return wanted
    return {name: value for name, value in wanted.items() if name not in OF_FILES and (name, value) != ("qos", False)}


def _partitions(wanted: Any, target: Target) -> Any:
    if not is_said(wanted):
        return wanted
    found = {pkey: _partition(pkey, item, target) for pkey, item in wanted.items()}
    return Partitions(found, getattr(wanted, "others", ()))


def _partition(pkey: str, wanted: Partition, target: Target) -> Partition:
    members: Mapping[str, str] = wanted.members if is_said(wanted.members) else {}  # type: ignore[assignment]
    if pkey == DEFAULT_PKEY:
        named = sorted(set(members) - {"ALL"})
        if named:
            raise _refuse(target, pkey, f"{named[0]} can't be made a member of the management partition over REST",
                          "Name only the managers, or use partitions.conf.user_ext on the UFM server")  # fmt: skip
        return replace(wanted, name=UNSAID, index0=UNSAID)
    for member, membership in members.items():
        if membership not in MEMBERSHIPS:
            raise _refuse(target, pkey, f"{member} is {membership}: UFM has full and limited members", "Choose one")
    _qos(pkey, wanted, target)
    return replace(wanted, name=target.names.get(pkey, UNSAID))


def _qos(pkey: str, wanted: Partition, target: Target) -> None:
    if isinstance(wanted.mtu_bytes, int) and wanted.mtu_bytes not in MTU_BYTES.values():
        raise _refuse(target, pkey, f"an MTU of {wanted.mtu_bytes} bytes", "UFM has 2048 B and 4096 B: choose one")
    if isinstance(wanted.rate_code, int) and wanted.rate_code not in RATE_CODES.values():
        rates = ", ".join(f"{rate:g}" for rate in sorted(RATE_CODES))
        raise _refuse(target, pkey, f"UFM has no rate of code {wanted.rate_code}", f"Use one of {rates} Gb/s")


def _refuse(target: Target, pkey: str, problem: str, remedy: str) -> Unsupported:
    return Unsupported(problem, where=target.device, what=f"partitions/{pkey}", remedy=remedy, code="FD-UFM-001")


def render(expected: DeviceState, _target: Target) -> tuple[Rendered, ...]:
    """The requests that make the partitions what they should be: for people, nothing here sends them."""
    state = expected.infiniband
    if not isinstance(state, Infiniband) or not is_said(state.partitions):
        return ()
    partitions: Mapping[str, Partition] = state.partitions  # type: ignore[assignment]
    sent = [request for pkey, item in sorted(partitions.items()) for request in requests.all_of(pkey, item)]
    return (Rendered("ufm.http", requests.HEAD + "\n".join(request.text() for request in sent)),)
