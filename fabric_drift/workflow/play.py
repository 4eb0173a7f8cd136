"""A check as an Ansible play asks for it: hosts and their variables in, plain dictionaries out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from fabric_drift.finding import Severity, Verdict
from fabric_drift.inventory import Host, agree, host_from_variables
from fabric_drift.inventory.host import VARIABLES
from fabric_drift.report import outputs
from fabric_drift.report.harmless import cleaned
from fabric_drift.report.summary import devices_line, findings_line
from fabric_drift.report.text import text
from fabric_drift.result import CheckResult, DeviceResult
from fabric_drift.transport.limits import Limits
from fabric_drift.workflow import waivers as accepted
from fabric_drift.workflow.check import check
from fabric_drift.workflow.exit_code import exit_code
from fabric_drift.workflow.expectations import Expectations, from_intent
from fabric_drift.workflow.sources import Captured, Live, Source


def check_hosts(
    variables: Mapping[str, Mapping[str, Any]],
    play_hosts: Sequence[str],
    inventory: Iterable[str],
    arguments: Mapping[str, Any],
) -> dict[str, Any]:
    """Checks the hosts of the play that the intent knows. Raises our errors for usage, intent and inventory.

    ``variables``: templated variables by host (``hostvars``); ``inventory``: names of all its hosts.
    """
    places = outputs.destinations(arguments["output"]) if arguments["output"] else ()
    waived = accepted.load(FilePath(arguments["waivers"])) if arguments.get("waivers") else ()
    expectations = from_intent(FilePath(arguments["intent"]))
    hosts = {str(name): Host(str(name), str(name)) for name in inventory}
    chosen = [name for name in map(str, play_hosts) if name in expectations.devices]
    hosts |= {name: host_from_variables(name, _connection(variables[name])) for name in chosen}
    warnings = agree(hosts, expectations.devices.values())
    result = (
        check(expectations, _source(hosts, arguments), only=chosen, waivers=waived)
        if chosen
        else _nothing(expectations)
    )
    result = replace(result, warnings=(*warnings, *result.warnings))
    outputs.write(result, places, verbose=False, colour=False)
    return _as_plain(result, Severity[arguments["fail_on"].upper()])


def _connection(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Only what is needed is looked up: Ansible templates at that moment."""
    return {name: variables[name] for name in VARIABLES if name in variables}


def _source(hosts: Mapping[str, Host], arguments: Mapping[str, Any]) -> Source:
    if arguments.get("captures"):
        return Captured(FilePath(arguments["captures"]))
    limits = Limits(
        command_seconds=arguments["command_timeout"],
        device_seconds=arguments["device_timeout"],
        concurrency=arguments["concurrency"],
    )
    return Live(hosts, limits)


def _nothing(expectations: Expectations) -> CheckResult:
    return CheckResult(expectations.name, (), ("no host of the play is a device of the intent: nothing was checked",))


def _as_plain(result: CheckResult, fail_on: Severity) -> dict[str, Any]:
    plain: dict[str, Any] = cleaned(
        {
            "summary": [findings_line(result), devices_line(result)],
            "report": text(result).splitlines(),
            "devices": {device.name: _device(device, fail_on) for device in result.devices},
            "findings": {
                device.name: [f.as_json() for f in device.findings if f.verdict is not Verdict.INFORMATION]
                for device in result.devices
            },
            "exit_code": exit_code(result, fail_on=fail_on),
        }
    )
    return plain


def _device(device: DeviceResult, fail_on: Severity) -> dict[str, Any]:
    drifted = sum(finding.verdict is Verdict.DRIFT for finding in device.findings)
    unseen = device.facts.get(Verdict.UNOBSERVED, 0) + device.facts.get(Verdict.ERROR, 0)
    message = device.problem or f"{drifted} facts are not as intended, {unseen} were not seen"
    return {
        "status": device.status.value,
        "ok": exit_code(CheckResult("", (device,)), fail_on=fail_on) == 0,
        "drift": drifted,
        "unseen": unseen,
        "problem": device.problem,
        "message": message,
    }
