"""Preview and apply as an Ansible play asks for them: hosts and their variables in, plain dictionaries out.

All raise our errors for usage, intent and inventory only; what happens to a device is in the result.
"""

from __future__ import annotations

import getpass
import socket
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from fabric_drift.errors import IntentError
from fabric_drift.inventory import Host, agree, host_from_variables
from fabric_drift.inventory.host import VARIABLES
from fabric_drift.report.harmless import clean, cleaned
from fabric_drift.transport.limits import Limits
from fabric_drift.workflow import plan_file, told
from fabric_drift.workflow.apply import apply
from fabric_drift.workflow.consent import known
from fabric_drift.workflow.cut import cut_parts, visited
from fabric_drift.workflow.expectations import Expectations, from_intent
from fabric_drift.workflow.live import LiveAccess
from fabric_drift.workflow.order import BATCH
from fabric_drift.workflow.outcome import Approval, Consent, Part, PreviewResult
from fabric_drift.workflow.preview import preview
from fabric_drift.workflow.scene import Patience, Scene

CHANGE_ACCOUNT = {
    "fabric_drift_change_user": "ansible_user",
    "fabric_drift_change_password": "ansible_password",
    "fabric_drift_change_key_file": "ansible_ssh_private_key_file",
}
"""Variables of the account that may change devices, where the usual one may only read them."""

NATIVE = frozenset(("devices", "shapes", "diff", "before", "after", "by_hand"))
"""Parts of a result that hold text of many lines."""


def preview_hosts(
    variables: Mapping[str, Mapping[str, Any]],
    play_hosts: Sequence[str],
    inventory: Iterable[str],
    arguments: Mapping[str, Any],
) -> dict[str, Any]:
    """Previews the hosts of the play that the intent knows; run once.

    ``arguments``: intent (path), allow (list), drained (list), unseen (list), batch (int),
    plan (path; written, 0600, where given), run_log (directory; devices of runs that were cut are in ``parts`` too,
    whatever is planned for them), concurrency, command_timeout, device_timeout.

    Result: ``summary`` (lines, by shape) · ``devices`` {name: {status, disruption, shape, parts: [names],
    steps: [{part, title, paths, disruption, undo_disruption, evidence, forward, undo, ports}], refusals:
    [{path, problem, remedy}], problems, diff, notes, approval}} · ``shapes`` [{shape, devices, disruption, diff}] ·
    ``waves`` [{number, part, devices, is_canary}] · ``parts`` {part: {devices: [in order], serial: [sizes]}} ·
    ``ok`` (no device refused or failed) · ``changed`` (something is planned) · ``warnings``.
    """
    expectations = from_intent(FilePath(arguments["intent"]))
    chosen = [name for name in map(str, play_hosts) if name in expectations.devices]
    scene, warnings = scene_for(expectations, variables, chosen, inventory, arguments)
    batch = int(arguments.get("batch") or BATCH)
    if batch < 1:
        raise IntentError(f"{batch} devices at a time", what="batch", remedy="Use 1 or more", code="FD-CHG-009")
    result = preview(scene, only=chosen, batch=batch) if chosen else PreviewResult(expectations.name, ())
    if arguments.get("plan"):
        plan_file.write(FilePath(arguments["plan"]), result)
    plain = told.previewed(result)
    if arguments.get("run_log"):
        plain = visited(plain, cut_parts(FilePath(arguments["run_log"]), chosen))
    return clean_lines({**plain, "warnings": list(warnings)})


def apply_host(
    host: str, variables: Mapping[str, Mapping[str, Any]], inventory: Iterable[str], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Applies one part to one host of the play.

    ``arguments``: intent, allow, drained, unseen, timeouts as above · part (name) · approval (the device's, of
    ``preview_hosts``) or plan (path of a plan file) · run_log (directory) · poll (seconds between two looks while a
    change is proven) · check_mode (bool: plan only).

    Result: ``status`` (one of ``Status``), ``ok``, ``changed``, ``message`` (one sentence), ``problems``,
    ``is_stale``, ``by_hand``, ``stages``, ``run_id``, ``log``, ``notes``, ``commands`` (native lines), ``before``,
    ``after`` and ``diff`` ({prepared: text}).
    """
    expectations = from_intent(FilePath(arguments["intent"]))
    if host not in expectations.devices:
        return told.not_ours(host)
    part = Part(arguments["part"]) if arguments.get("part") else None
    near = [name for name in expectations.topology().neighbours(host) if name in variables]
    scene, _ = scene_for(expectations, variables, [host, *near], inventory, arguments)
    if arguments.get("check_mode"):
        device = preview(scene, only=[host]).devices[0]
        return clean_lines(told.would_be(device, part))
    approval = _approval(host, arguments)
    outcome = apply(scene, host, run_log=FilePath(arguments["run_log"]), part=part, approval=approval)
    return clean_lines(told.ended(outcome))


def clean_lines(plain: dict[str, Any]) -> dict[str, Any]:
    """Device text without control characters; native text keeps its lines."""

    def one(value: Any) -> Any:
        if isinstance(value, str):
            return "\n".join(clean(line) for line in value.split("\n"))
        if isinstance(value, dict):
            return {clean(key): one(item) for key, item in value.items()}
        return [one(item) for item in value] if isinstance(value, list) else value

    return {key: one(item) if key in NATIVE else cleaned(item) for key, item in plain.items()}


def _approval(host: str, arguments: Mapping[str, Any]) -> Approval | None:
    if arguments.get("plan"):
        path = FilePath(arguments["plan"])
        approvals = plan_file.read(path)
        if host not in approvals:
            raise IntentError(
                "nothing was approved for it", where=str(path), what=host, remedy="Preview again", code="FD-CHG-002"
            )
        return approvals[host]
    if not arguments.get("approval"):
        return None
    try:
        return plan_file.approval_from_json(arguments["approval"])
    except (KeyError, ValueError, TypeError) as error:
        raise IntentError(
            "isn't the approval of a preview", what="approval", remedy="Preview again", code="FD-CHG-002"
        ) from error


def scene_for(
    expectations: Expectations,
    variables: Mapping[str, Mapping[str, Any]],
    chosen: Sequence[str],
    inventory: Iterable[str],
    arguments: Mapping[str, Any],
) -> tuple[Scene, tuple[str, ...]]:
    """What all devices of a play share, and warnings of the inventory. Raises our errors."""
    hosts = {str(name): Host(str(name), str(name)) for name in inventory}
    hosts |= {name: host_from_variables(name, _connection(variables[name])) for name in chosen}
    warnings = agree(hosts, expectations.devices.values())
    consent = Consent(*(frozenset(map(str, arguments.get(key) or ())) for key in ("allow", "drained", "unseen")))
    known(consent.allow)
    defaults = Limits()
    limits = Limits(
        command_seconds=float(arguments.get("command_timeout") or defaults.command_seconds),
        device_seconds=float(arguments.get("device_timeout") or defaults.device_seconds),
    )
    scene = Scene(
        expectations,
        LiveAccess({name: hosts[name] for name in chosen}, limits),
        consent=consent,
        patience=replace(Patience(), poll=float(arguments.get("poll") or Patience().poll)),
        who=f"{getpass.getuser()}@{socket.gethostname()}",
        revision=_revision(FilePath(arguments["intent"])),
    )
    return scene, tuple(warnings)


def _connection(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Only what is needed is looked up: Ansible templates at that moment."""
    found = {name: variables[name] for name in VARIABLES if name in variables}
    return found | {name: variables[own] for own, name in CHANGE_ACCOUNT.items() if own in variables}


def _revision(directory: FilePath) -> str:
    """The Git revision of the intent, with + where it has changes that aren't committed; "" outside of Git."""
    git = ["git", "-C", str(directory)]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10, check=False)  # noqa: S603  fixed words and a path of the operator's
        changes = subprocess.run(  # noqa: S603
            [*git, "status", "--porcelain", "--", "."], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    if head.returncode != 0:
        return ""
    return head.stdout.strip() + ("+" if changes.stdout.strip() else "")
