"""``fabric-drift commands``."""

from __future__ import annotations

from typing import Annotated

import typer

from fabric_drift.transport.account import FORMATS

Platform = Annotated[str | None, typer.Option("--platform", "-p", help="sonic, eos, linux_host, ...")]
Format = Annotated[str, typer.Option("--format", "-f", help=f"{', '.join(FORMATS)}.")]
User = Annotated[str, typer.Option("--user", help="Name of the read-only account.")]


def commands(platform: Platform = None, form: Format = "list", user: User = "drift") -> None:
    """Print what check and capture run.

    Every command, or the account files that permit just those.

    \b
    fabric-drift commands --platform sonic
    fabric-drift commands --platform sonic --format sudoers > /etc/sudoers.d/fabric-drift
    fabric-drift commands --platform eos --format eos-role
    fabric-drift commands --platform linux_host --format json
    """  # noqa: D301  click reads the backspace
    from fabric_drift.registry import platform as named  # noqa: PLC0415
    from fabric_drift.registry import platforms  # noqa: PLC0415
    from fabric_drift.transport.account import account_file  # noqa: PLC0415

    if form not in FORMATS:
        raise typer.BadParameter(f"{form!r} is no format. Use {', '.join(FORMATS)}", param_hint="--format")
    if platform is None and form != "list":
        raise typer.BadParameter("needed for this format", param_hint="--platform")
    for item in [named(platform)] if platform else list(platforms().values()):
        if platform is None:
            typer.echo(f"# {item.name}: {item.title}")
        typer.echo(account_file(item, form, user), nl=False)
