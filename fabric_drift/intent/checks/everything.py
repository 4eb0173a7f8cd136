"""Runs all checks over all managed ports and links, in one pass each."""

from __future__ import annotations

from fabric_drift.intent.checks import classes, links, switch_ports
from fabric_drift.intent.checks.nics import check_host, check_nic
from fabric_drift.intent.fabric import Fabric, TreePath
from fabric_drift.intent.faults import Faults
from fabric_drift.intent.ports import views


def check(fabric: Fabric, faults: Faults) -> None:
    """Every contradiction of ``fabric``."""
    classes.check_dscps(fabric, faults)
    for device in fabric.devices.values():
        polls: dict[int, TreePath] = {}
        ports = list(views(fabric, device))
        for view in ports:
            if faults.once(("policy", id(view.policy))):
                classes.check_policy(fabric, view, faults)
                check_nic(view, faults)
            switch_ports.check_port(fabric, view, faults)
            path = view.resolved.path_of("watchdog", "poll")
            if path is not None and not device.is_host:
                polls[view.resolved.get("watchdog", "poll")] = path
        switch_ports.check_device(fabric, device, polls, faults)
        check_host(fabric, device, ports, faults)
    for link in fabric.links:
        links.check_link(fabric, link, faults)
