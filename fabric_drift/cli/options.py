"""Options that several commands share: one spelling, one help text, one environment variable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabric_drift.errors import IntentError
from fabric_drift.transport.limits import Limits

DEFAULTS = Limits()

Intent = Annotated[
    Path, typer.Option("--intent", envvar="FABRIC_DRIFT_INTENT", help="Directory of the intent.", show_default=True)
]
Devices = Annotated[
    list[str] | None, typer.Argument(help="Names or patterns ('leaf*'); default: all devices.", show_default=False)
]
Inventory = Annotated[
    list[str] | None,
    typer.Option(
        "--inventory",
        "-i",
        envvar="FABRIC_DRIFT_INVENTORY",
        help="Ansible inventory; repeatable. Default: as ansible.cfg says.",
        show_default=False,
    ),
]
VaultFiles = Annotated[
    list[str] | None,
    typer.Option("--vault-password-file", help="As for ansible-playbook; repeatable.", show_default=False),
]
AskVault = Annotated[bool, typer.Option("--ask-vault-password", "-J", help="Prompt for the vault password.")]
Concurrency = Annotated[
    int, typer.Option(min=1, max=1000, envvar="FABRIC_DRIFT_CONCURRENCY", help="Devices read at the same time.")
]
ConnectTimeout = Annotated[
    float, typer.Option("--connect-timeout", min=0.1, envvar="FABRIC_DRIFT_CONNECT_TIMEOUT", help="Seconds to log in.")
]
CommandTimeout = Annotated[
    float,
    typer.Option("--command-timeout", min=0.1, envvar="FABRIC_DRIFT_COMMAND_TIMEOUT", help="Seconds per command."),
]
DeviceTimeout = Annotated[
    float, typer.Option("--device-timeout", min=0.1, envvar="FABRIC_DRIFT_DEVICE_TIMEOUT", help="Seconds per device.")
]
Insecure = Annotated[
    bool, typer.Option("--insecure-host-keys", help="Accept any host key: whoever answers is believed. Never at night.")
]


def intent_directory(given: Path) -> Path:
    """``given``, or the only intent below it: ``intent`` finds ``intent/pod1``. Raises IntentError."""
    if not given.is_dir():
        raise IntentError(
            "there is no such directory", where=str(given), remedy="Give the intent with --intent", code="FD-CLI-001"
        )
    if any(given.glob("*.yml")) or any(given.glob("*.yaml")) or (given / "infiniband").is_dir():
        return given
    below = sorted(path for path in given.iterdir() if path.is_dir() and any(path.glob("*.y*ml")))
    if len(below) == 1:
        return below[0]
    names = ", ".join(str(path) for path in below) or "none here"
    raise IntentError(
        f"holds no intent but {len(below)} directories of intents", where=str(given),
        remedy=f"Choose one with --intent: {names}", code="FD-CLI-001",
    )  # fmt: skip
