"""``fabric-drift validate``, ``render`` and ``explain``: what needs no device."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabric_drift.cli import options

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Directory for DEVICE/FILE; default: print.", file_okay=False),
]


def validate(intent: options.Intent = Path("intent")) -> None:
    """Tell every error of the intent.

    All at once, with file and line, and everything that a device can't express.

    \b
    fabric-drift validate --intent intent/pod1

    Exit: 0 valid, 2 errors.
    """  # noqa: D301  click reads the backspace
    from fabric_drift.workflow import expectations  # noqa: PLC0415
    from fabric_drift.workflow.expressible import inexpressible  # noqa: PLC0415

    wanted = expectations.from_intent(options.intent_directory(intent))
    problems = inexpressible(wanted)
    for problem in problems:
        typer.echo(problem, err=True)
    if problems:
        raise typer.Exit(2)
    typer.echo(f"{wanted.name}: {len(wanted.devices)} devices, no errors")


def render(devices: options.Devices = None, intent: options.Intent = Path("intent"), output: Output = None) -> None:
    """Print each device's native configuration.

    Or write it to DIRECTORY/DEVICE/FILE. Touches no device.

    \b
    fabric-drift render leaf1
    fabric-drift render --output rendered/
    """  # noqa: D301  click reads the backspace
    from fabric_drift.workflow import expectations  # noqa: PLC0415
    from fabric_drift.workflow.check import selected  # noqa: PLC0415
    from fabric_drift.workflow.render import rendered, write  # noqa: PLC0415

    wanted = expectations.from_intent(options.intent_directory(intent))
    chosen = selected(wanted, devices or ())
    for device in chosen:
        files = rendered(wanted, device)
        if output is not None:
            write(output / device.name, files)
            continue
        for file in files:
            typer.echo(f"# {device.name}/{file.name}")
            typer.echo(file.text, nl=not file.text.endswith("\n"))
    if output is not None:
        typer.echo(f"rendered {len(chosen)} devices to {output}")


def explain(
    device: Annotated[str, typer.Argument(help="A device of the intent.")],
    path: Annotated[str, typer.Argument(help="A fact, e.g. ports/Ethernet0/qos/pfc/priorities.")] = "",
    intent: options.Intent = Path("intent"),
) -> None:
    """Say why a fact is what it is.

    Each layer of inheritance with its file and line; the last one wins.

    \b
    fabric-drift explain leaf1 ports/Ethernet0/mtu_bytes
    fabric-drift explain leaf1 ports/Ethernet0          everything expected below a path, without reasons
    """  # noqa: D301  click reads the backspace
    from fabric_drift.report.harmless import clean, value_text  # noqa: PLC0415
    from fabric_drift.state.tree import facts, is_subtree  # noqa: PLC0415
    from fabric_drift.workflow import expectations  # noqa: PLC0415
    from fabric_drift.workflow.check import named  # noqa: PLC0415
    from fabric_drift.workflow.paths import resolve  # noqa: PLC0415

    wanted = expectations.from_intent(options.intent_directory(intent))
    state = wanted.expect(named(wanted, device).name)
    found, value = resolve(state, path, device)
    if is_subtree(value):
        for below, fact in facts(value, found):
            typer.echo(f"{clean('/'.join(below))} = {value_text(fact)}")
        return
    for step in wanted.explain(device, found):
        typer.echo(f"{clean(step.name)}: {value_text(step.value)}  {clean(str(step.source or ''))}".rstrip())
    typer.echo(f"{clean('/'.join(found))} = {value_text(value)}")
