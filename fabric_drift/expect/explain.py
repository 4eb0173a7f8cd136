"""``explain`` and ``sources``: which lines of the intent decide a fact. A table of path patterns to explainers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from fabric_drift.expect import explain_nic as nic
from fabric_drift.expect import explain_switch as switch
from fabric_drift.expect.device import expect, expected_port, find
from fabric_drift.expect.steps import Question, Step, inherited
from fabric_drift.finding import Source
from fabric_drift.intent.fabric import Fabric, TreePath
from fabric_drift.intent.ports import view, views
from fabric_drift.state.tree import child, is_subtree
from fabric_drift.state.values import UNSAID, Path


def _hardware(key: str) -> Callable[[Question], Iterator[Step]]:
    def explain_it(question: Question) -> Iterator[Step]:
        path: TreePath = ("hardware", question.device.hardware, "buffers", key)
        if question.path[0] == "pools" and len(question.path) > 1:
            path = (*path, question.path[1])
        yield question.said(f"{key} of {question.device.hardware}", question.value, path)

    return explain_it


def _poll(question: Question) -> Iterator[Step]:
    for port in views(question.fabric, question.device):
        if port.resolved.get("watchdog", "poll") is not None:
            yield from inherited(replace(question, view=port), "watchdog", "poll", name="watchdog")
            return


def _unreferenced(question: Question) -> Iterator[Step]:
    yield question.said("objects nobody points to must not exist", {}, ("devices", question.device.entry))


Explainer = Callable[[Question], Iterator[Step]]

TABLE: tuple[tuple[str, Any], ...] = (
    ("ports/*/admin_up", switch.setting("admin", "up")),
    ("ports/*/oper_up", switch.neighbour),
    ("ports/*/speed_mbps", switch.speed),
    ("ports/*/mtu_bytes", switch.setting("mtu")),
    ("ports/*/fec", switch.fec),
    ("ports/*/neighbour", switch.neighbour),
    ("ports/*/qos/trust", switch.setting("trust", "dscp")),
    ("ports/*/qos/global_pause", switch.setting("global_pause", "off")),
    ("ports/*/qos/dcbx_willing", switch.setting("dcbx_willing")),
    ("ports/*/qos/dcbx", switch.setting("dcbx")),
    ("ports/*/qos/cable_length_m", switch.cable),
    ("ports/*/qos/maps/dscp_to_tc", switch.dscp_map),
    ("ports/*/qos/maps/dscp_to_priority", switch.dscp_map),
    ("ports/*/qos/maps/pcp_to_tc", switch.class_numbers("priority", "traffic_class")),
    ("ports/*/qos/maps/tc_to_queue", switch.class_numbers("traffic_class", "queue")),
    ("ports/*/qos/maps/tc_to_priority_group", switch.class_numbers("traffic_class", "priority_group")),
    ("ports/*/qos/maps/tc_to_dscp", switch.setting("rewrite_dscp")),
    ("ports/*/qos/maps/pfc_priority_to_queue", switch.class_numbers("pfc_priority", "queue")),
    ("ports/*/qos/maps/pfc_priority_to_priority_group", switch.class_numbers("pfc_priority", "priority_group")),
    ("ports/*/qos/maps/priority_to_tc", switch.class_numbers("priority", "nic_traffic_class")),
    ("ports/*/qos/maps/priority_to_buffer", switch.class_numbers("priority", "nic_receive_buffer")),
    ("ports/*/qos/pfc/asymmetric", switch.setting("pfc_asymmetric")),
    ("ports/*/qos/pfc/watchdog", switch.watchdog),
    ("ports/*/qos/pfc", switch.pfc),
    ("ports/*/qos/scheduling", switch.scheduling),
    ("ports/*/qos/queues/*/ecn", switch.ecn),
    ("ports/*/qos/queues/*/buffer", _hardware("egress_lossless")),
    ("ports/*/qos/priority_groups/*", switch.priority_group),
    ("ports/*/qos/receive_buffers_bytes", nic.profile_key("receive_buffers")),
    ("ports/*/nic/family", nic.profile_key("family")),
    ("ports/*/nic/firmware", nic.profile_key("firmware")),
    ("ports/*/nic/dcb_owner", nic.profile_key("dcb_owner")),
    ("ports/*/nic/congestion_control", nic.profile_key("cc_mode")),
    ("ports/*/nic/rdma_without_pfc", nic.rdma_without_pfc),
    ("ports/*/nic/roce_mode", nic.profile_key("roce_mode")),
    ("ports/*/nic/rdma_cm_tos", nic.traffic_class),
    ("ports/*/nic/traffic_class", nic.traffic_class),
    ("ports/*/nic/cnp_dscp", nic.cnp),
    ("ports/*/nic/cnp_priority", nic.cnp),
    ("ports/*/nic/dcqcn", nic.dcqcn),
    ("ports/*/nic/firmware_parameters", nic.firmware),
    ("ports/*/nic", nic.rail),
    ("pools", _hardware("pools")),
    ("buffer_model", _hardware("model")),
    ("watchdog", _poll),
    ("unreferenced", _unreferenced),
    ("job", nic.job),
)
"""Path pattern -> explainer; the first that is a prefix of the path answers. ``*`` is any one part."""

_PATTERNS = tuple((tuple(pattern.split("/")), explainer) for pattern, explainer in TABLE)


def explain(fabric: Fabric, device_name: str, path: Path) -> tuple[Step, ...]:
    """Every layer that speaks of a fact, weakest first, and last the value itself with how it came about.

    () for a fact that the intent doesn't manage. Raises IntentError for an unknown device.
    """
    device = find(fabric, device_name)
    port = view(fabric, device, path[1]) if path[:1] == ("ports",) and path[1:2] and path[1] in device.ports else None
    value = _value(expected_port(fabric, port), path[2:]) if port else _value(expect(fabric, device_name), path)
    if not path or value is UNSAID:
        return ()
    question = Question(fabric, device, path, value, port)
    explainer = _explainer(path)
    steps = tuple(explainer(question)) if explainer else ()
    if not steps:
        default = port.intent.path if port else ("devices", device.entry)
        steps = (question.said("follows from the port's role", value, default),)
    return (*steps, Step("/".join(path), value, steps[-1].source, decides=False))


def sources(fabric: Fabric, device_name: str, path: Path) -> tuple[Source, ...]:
    """The lines of the intent that decide a fact, in the order of the explanation, each once."""
    steps = explain(fabric, device_name, path)
    return tuple(dict.fromkeys(step.source for step in steps if step.decides))


@lru_cache(maxsize=8192)  # asked for the same fact of every layer
def _explainer(path: Path) -> Explainer | None:
    for pattern, explainer in _PATTERNS:
        fits = len(pattern) <= len(path) and all(
            part in ("*", asked) for part, asked in zip(pattern, path, strict=False)
        )
        if fits:
            return explainer  # type: ignore[no-any-return]
    return None


def _value(value: Any, path: Path) -> Any:
    """The fact at ``path``; UNSAID where there is none. Above an absent subtree, the subtree's word."""
    for part in path:
        if not is_subtree(value):
            return value
        value = child(value, part)
    return value
