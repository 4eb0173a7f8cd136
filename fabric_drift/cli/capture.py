"""``fabric-drift capture``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric_drift.cli import options
from fabric_drift.cli.options import DEFAULTS
from fabric_drift.cli.progress import progress
from fabric_drift.cli.source import Reach, live
from fabric_drift.report.harmless import clean
from fabric_drift.transport.limits import Limits

if TYPE_CHECKING:
    from fabric_drift.workflow.capture import CaptureResult as Captures

INCOMPLETE = 3

Directory = Annotated[Path, typer.Option("--directory", "-d", help="Where the captures go.", file_okay=False)]


def capture(  # noqa: PLR0917  options of a command line
    devices: options.Devices = None,
    directory: Directory = Path("captures"),
    intent: options.Intent = Path("intent"),
    inventory: options.Inventory = None,
    concurrency: options.Concurrency = DEFAULTS.concurrency,
    connect_timeout: options.ConnectTimeout = DEFAULTS.connect_seconds,
    command_timeout: options.CommandTimeout = DEFAULTS.command_seconds,
    device_timeout: options.DeviceTimeout = DEFAULTS.device_seconds,
    vault_password_file: options.VaultFiles = None,
    ask_vault_password: options.AskVault = False,
    insecure_host_keys: options.Insecure = False,
) -> None:
    """Save what the devices answer.

    Secrets are removed; `check --captures` reads it later. Writes to no device.

    \b
    fabric-drift capture -i inventory.yml -d captures
    fabric-drift check --captures captures

    Exit: 0 all captured, 1 internal error, 2 usage or intent error, 3 some device wasn't captured.
    """  # noqa: D301  click reads the backspace
    limits = Limits(connect_timeout, command_timeout, device_timeout, concurrency=concurrency)
    reach = Reach(inventory or (), limits, vault_password_file or (), ask_vault_password, insecure_host_keys)
    result = _result(devices or (), options.intent_directory(intent), directory, reach)
    raise typer.Exit(_told(result, directory))


def _result(names: Sequence[str], intent: Path, directory: Path, reach: Reach) -> Captures:
    from fabric_drift.workflow import capture as run  # noqa: PLC0415
    from fabric_drift.workflow import expectations  # noqa: PLC0415
    from fabric_drift.workflow.check import selected  # noqa: PLC0415

    wanted = expectations.from_intent(intent)
    chosen = selected(wanted, names)
    reader = live(chosen, wanted.devices, reach)
    with progress("capturing", len(chosen)) as told:
        return run(wanted, reader, directory, only=names, progress=told)


def _told(result: Captures, directory: Path) -> int:
    """The exit code."""
    for _, problem in result.failed:
        sys.stderr.write(f"! {clean(problem)}\n")
    total = len(result.captured) + len(result.failed)
    typer.echo(f"captured {len(result.captured)} of {total} in {directory}")
    return INCOMPLETE if result.failed else 0
