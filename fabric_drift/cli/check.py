"""``fabric-drift check``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from fabric_drift.cli import options
from fabric_drift.cli.options import DEFAULTS
from fabric_drift.cli.progress import progress
from fabric_drift.cli.source import Reach, captured, live
from fabric_drift.finding import Severity
from fabric_drift.result import CheckResult
from fabric_drift.transport.limits import Limits

LEVELS = {severity.name.lower(): severity for severity in Severity}

Captures = Annotated[
    Path | None, typer.Option("--captures", help="Read captures instead of devices.", exists=True, file_okay=False)
]
Output = Annotated[
    list[str] | None,
    typer.Option("--output", "-o", help="text, json or md; FORMAT:FILE writes a file. Repeatable.", show_default=False),
]
Waivers = Annotated[
    Path | None, typer.Option("--waivers", envvar="FABRIC_DRIFT_WAIVERS", help="Accepted drift (YAML).", dir_okay=False)
]
FailOn = Annotated[
    str,
    typer.Option("--fail-on", envvar="FABRIC_DRIFT_FAIL_ON", help=f"Lowest severity for exit 4: {', '.join(LEVELS)}."),
]
Detailed = Annotated[bool, typer.Option("--detailed-exitcode", help="Terraform's: 0 none, 1 error, 2 drift.")]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit 0 for drift and for unchecked devices.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Also waived findings, foreign ports, notes.")]
Colour = Annotated[bool | None, typer.Option("--colour/--no-colour", help="Default: on a terminal, unless NO_COLOR.")]


def check(  # noqa: PLR0917  options of a command line
    devices: options.Devices = None,
    intent: options.Intent = Path("intent"),
    inventory: options.Inventory = None,
    captures: Captures = None,
    output: Output = None,
    waivers: Waivers = None,
    fail_on: FailOn = "low",
    detailed_exitcode: Detailed = False,
    exit_zero: ExitZero = False,
    verbose: Verbose = False,
    colour: Colour = None,
    concurrency: options.Concurrency = DEFAULTS.concurrency,
    connect_timeout: options.ConnectTimeout = DEFAULTS.connect_seconds,
    command_timeout: options.CommandTimeout = DEFAULTS.command_seconds,
    device_timeout: options.DeviceTimeout = DEFAULTS.device_seconds,
    vault_password_file: options.VaultFiles = None,
    ask_vault_password: options.AskVault = False,
    insecure_host_keys: options.Insecure = False,
) -> None:
    """Say what differs from the intent.

    Reads live devices or captures, and shows the evidence. Writes to no device.

    \b
    fabric-drift check -i inventory.yml
    fabric-drift check 'leaf*' -i inventory.yml -o text -o json:report.json -o md:report.md
    fabric-drift check --captures captures/ --waivers waivers.yml --fail-on high

    Marks: ~ differs, + there but not intended, - intended but not there, ? not seen, w waived, i not managed.

    Exit: 0 in sync, 1 internal error, 2 usage or intent error, 3 something unchecked, 4 drift (outranks 3).
    """  # noqa: D301  click reads the backspace
    from fabric_drift.report import outputs  # noqa: PLC0415
    from fabric_drift.workflow import exit_code  # noqa: PLC0415

    places, severity = outputs.destinations(output or ()), level(fail_on)
    limits = Limits(connect_timeout, command_timeout, device_timeout, concurrency=concurrency)
    reach = Reach(inventory or (), limits, vault_password_file or (), ask_vault_password, insecure_host_keys)
    result = _result(devices or (), options.intent_directory(intent), captures or reach, waivers)
    outputs.write(result, places, verbose=verbose, colour=outputs.wants_colour(sys.stdout, asked=colour))
    raise typer.Exit(exit_code(result, fail_on=severity, detailed=detailed_exitcode, exit_zero=exit_zero))


def _result(names: Sequence[str], intent: Path, place: Path | Reach, waivers: Path | None) -> CheckResult:
    from fabric_drift.workflow import check as run  # noqa: PLC0415
    from fabric_drift.workflow import expectations  # noqa: PLC0415
    from fabric_drift.workflow import waivers as accepted  # noqa: PLC0415
    from fabric_drift.workflow.check import selected  # noqa: PLC0415

    waived = accepted.load(waivers) if waivers else ()
    wanted = expectations.from_intent(intent)
    chosen = selected(wanted, names)
    reader = live(chosen, wanted.devices, place) if isinstance(place, Reach) else captured(place)
    with progress("checking", len(chosen)) as told:
        return run(wanted, reader, only=names, waivers=waived, progress=told)


def level(name: str) -> Severity:
    """A severity by name, or a usage error."""
    if name not in LEVELS:
        raise typer.BadParameter(f"{name!r} is no severity. Use {', '.join(LEVELS)}", param_hint="--fail-on")
    return LEVELS[name]
