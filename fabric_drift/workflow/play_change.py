"""Preview and apply as an Ansible play asks for them: hosts and their variables in, plain dictionaries out.

Both raise our errors for usage, intent and inventory only; what happens to a device is in the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def preview_hosts(
    variables: Mapping[str, Mapping[str, Any]],
    play_hosts: Sequence[str],
    inventory: Iterable[str],
    arguments: Mapping[str, Any],
) -> dict[str, Any]:
    """Previews the hosts of the play that the intent knows; run once.

    ``arguments``: intent (path), allow (list), drained (list), unseen (list), batch (int),
    plan (path; written, 0600, where given), concurrency, command_timeout, device_timeout.

    Result: ``summary`` (lines, by shape) · ``devices`` {name: {status, disruption, shape, parts: [names],
    steps: [{part, title, paths, disruption, undo_disruption, evidence, forward, undo, ports}], refusals:
    [{path, problem, remedy}], problems, diff, notes, approval}} · ``shapes`` [{shape, devices, disruption, diff}] ·
    ``waves`` [{number, part, devices, is_canary}] · ``parts`` {part: {devices: [in order], serial: [sizes]}} ·
    ``ok`` (no device refused or failed) · ``changed`` (something is planned).
    """
    raise NotImplementedError


def apply_host(
    host: str, variables: Mapping[str, Mapping[str, Any]], inventory: Iterable[str], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Applies one part to one host of the play.

    ``arguments``: intent, allow, drained, unseen, timeouts as above · part (name) · approval (the device's, of
    ``preview_hosts``) or plan (path of a plan file) · run_log (directory) · check_mode (bool: plan only).

    Result: ``status`` (one of ``Status``), ``ok``, ``changed``, ``message`` (one sentence), ``problems``,
    ``by_hand``, ``stages``, ``run_id``, ``log``, ``notes``, ``commands`` (native lines), ``before``, ``after``
    and ``diff`` ({prepared: text}).
    """
    raise NotImplementedError
