"""``fabric-drift lab``: an emulated fabric on this machine, to look at, to break and to check."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from fabric_drift.lab import control, fabrics
from fabric_drift.lab.control import LabError
from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.emulator import LabDevice
from fabric_drift.lab.faults import KINDS
from fabric_drift.lab.infiniband import ibpod
from fabric_drift.lab.infiniband.commands import app as infiniband_app
from fabric_drift.lab.infiniband.simulator import InfinibandLabError
from fabric_drift.lab.restricted import USERS
from fabric_drift.lab.sandbox import unavailable
from fabric_drift.lab.troubles import KINDS as TROUBLES
from fabric_drift.lab.ufm.commands import app as ufm_app

BASE_PORT = 22200
USAGE_ERROR = 2

app = typer.Typer(
    name="lab",
    help="Start and use the emulated fabric (SONiC, EOS, Linux hosts behind real SSH servers on 127.0.0.1).",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,  # fabric-drift's own covers it
    rich_markup_mode=None,
)
app.add_typer(infiniband_app)
app.add_typer(ufm_app)
clock = typer.Typer(name="clock", help="The clock that the timers of devices go by.", no_args_is_help=True)
app.add_typer(clock)
Device = Annotated[str, typer.Argument(help="name of a lab device, e.g. leaf1")]


class FabricName(str, Enum):
    """The fabrics that the lab can build."""

    POD1 = "pod1"
    LEAFSPINE = "leafspine"
    IBPOD = "ibpod"


def _fail(problem: str) -> typer.Exit:
    typer.echo(f"lab: {problem}", err=True)
    return typer.Exit(USAGE_ERROR)


@app.command()
def up(  # noqa: PLR0917 - options of a command line
    fabric: Annotated[FabricName, typer.Option(help="which fabric to build")] = FabricName.POD1,
    leaves: Annotated[int, typer.Option(help="leafspine: number of leaves")] = 4,
    spines: Annotated[int, typer.Option(help="leafspine: number of spines")] = 2,
    hosts: Annotated[int, typer.Option(help="leafspine: number of hosts with 8 rails each")] = 0,
    ports: Annotated[int, typer.Option(help="leafspine: ports per leaf, half of them uplinks")] = 64,
    emulators: Annotated[str, typer.Option(help="leafspine: kinds of switches, taken in turn")] = "sonic,eos",
    base_port: Annotated[int, typer.Option(help="SSH port of the first device; 0: free ports")] = BASE_PORT,
    fresh: Annotated[bool, typer.Option(help="forget what an earlier lab in the directory was told")] = False,
    hcas: Annotated[int, typer.Option(help="ibpod: number of HCAs; 0: the 24 of intent/ibpod")] = 0,
) -> None:
    """Start the lab in the background and print the path of its Ansible inventory.

    Example: fabric-drift lab up --fabric leafspine --leaves 32 --spines 8
    """
    directory = LabDirectory.default()
    try:
        if fabric is FabricName.POD1:
            devices = fabrics.pod1()
        elif fabric is FabricName.IBPOD:
            devices = ibpod.up(directory, hcas)
        else:
            devices = fabrics.leafspine(leaves, spines, hosts, ports, _models(emulators))
        _start(directory, devices, base_port, fresh=fresh)
        missing = control.order(directory, {"do": "missing"})
    except (LabError, ValueError, InfinibandLabError) as error:
        raise _fail(str(error)) from error
    if missing:
        typer.echo(f"lab: no emulator yet for {', '.join(missing)}: not started", err=True)
    typer.echo(directory.inventory_file)


def _models(names: str) -> tuple[fabrics.Model, ...]:
    known = {"sonic": fabrics.SONIC_7060X6, "eos": fabrics.EOS_7060DX5}
    unknown = [name for name in names.split(",") if name not in known]
    if unknown:
        raise LabError(f"{unknown[0]!r} is no kind of switch; there are {', '.join(known)}")
    return tuple(known[name] for name in names.split(","))


def _start(directory: LabDirectory, devices: tuple[LabDevice, ...], base_port: int, *, fresh: bool) -> None:
    if control.daemon_pid(directory) is None:
        _prepare(directory, devices, base_port, fresh=fresh)
        control.start(directory)
    elif directory.read_fabric()[0] != devices or fresh:
        raise LabError(f"a lab already runs in {directory.root}: stop it with `fabric-drift lab down`")


def _prepare(directory: LabDirectory, devices: tuple[LabDevice, ...], base_port: int, *, fresh: bool) -> None:
    """Writes the fabric down, unless the directory holds the same one from before."""
    try:
        before, _ = directory.read_fabric()
    except FileNotFoundError:
        before = devices
    if fresh:
        for device in before:
            shutil.rmtree(directory.device(device.name), ignore_errors=True)
    elif before != devices:
        raise LabError(f"{directory.root} holds another fabric: use --fresh to forget it")
    ports = {device.name: base_port + index if base_port else 0 for index, device in enumerate(devices)}
    directory.write_fabric(devices, ports)


@app.command()
def down() -> None:
    """Stop the lab. What its devices were told is kept."""
    try:
        stopped = control.stop(LabDirectory.default())
        ibpod.down(LabDirectory.default())
    except LabError as error:
        raise _fail(str(error)) from error
    typer.echo("stopped" if stopped else "no lab runs here")


@app.command()
def status(as_json: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
    """Show the devices of the lab, their SSH ports and their faults."""
    try:
        rows = control.order(LabDirectory.default(), {"do": "status"})
    except LabError as error:
        raise _fail(str(error)) from error
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        fault = "" if row["fault"] == "none" else f"  fault: {row['fault']}"
        typer.echo(
            f"{row['device']:<10} {row['platform']:<10} {row['release']:<9} {row['hardware']:<20}"
            f" 127.0.0.1:{row['port']}{fault}"
        )


@app.command(
    name="exec", context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
)
def execute(
    context: typer.Context,
    device: Device,
    user: Annotated[str, typer.Option(help=f"who runs it: {' or '.join(USERS)}")] = "admin",
) -> None:
    """Run one command on a device over SSH, words joined by spaces as ssh does; output and exit code are its own.

    Example: fabric-drift lab exec leaf1 show pfc priority
    """
    command = " ".join(context.args)
    if device in {"-h", "--help"}:  # behind the device they belong to its command
        typer.echo(context.get_help())
        raise typer.Exit
    if not command:
        raise _fail("no command: fabric-drift lab exec DEVICE COMMAND...")
    if user not in USERS:
        raise _fail(f"no user {user!r}; there are {', '.join(USERS)}")
    from fabric_drift.lab.client import run  # noqa: PLC0415 - asyncssh takes 0.2 s that --help doesn't need

    directory = LabDirectory.default()
    try:
        port = _status_of(directory, device)["port"]
        answer = asyncio.run(run(directory, port, user, command))
    except LabError as error:
        raise _fail(str(error)) from error
    sys.stdout.write(answer.stdout)
    sys.stderr.write(answer.stderr)
    raise typer.Exit(answer.exit_status)


def _status_of(directory: LabDirectory, device: str) -> dict[str, int]:
    rows = control.order(directory, {"do": "status"})
    found: dict[str, int] | None = next((row for row in rows if row["device"] == device), None)
    if found is None:
        raise LabError(f"the lab has no device {device!r}; there are {', '.join(row['device'] for row in rows)}")
    return found


@app.command()
def sandbox() -> None:
    """Say whether this machine can run Ansible's modules on the lab's hosts; exit code 3 where it can't."""
    lacks = unavailable()
    typer.echo(lacks or "sandboxes can be made here")
    raise typer.Exit(3 if lacks else 0)


@app.command()
def drift(
    device: Device,
    name: Annotated[str, typer.Argument(help="which change; see --list")] = "",
    show_list: Annotated[bool, typer.Option("--list", help="show all changes and their native commands")] = False,
) -> None:
    """Change one thing on a device by hand, with the device's own commands.

    Example: fabric-drift lab drift leaf1 ports/Ethernet0/mtu_bytes
    """
    directory = LabDirectory.default()
    try:
        if show_list or not name:
            known = control.order(directory, {"do": "mutations", "device": device})
            for mutation, commands in sorted(known.items()):
                typer.echo(f"{mutation}: {' ; '.join(commands)}")
            return
        for step in control.order(directory, {"do": "drift", "device": device, "name": name}):
            typer.echo(f"{device}# {step['command']}")
            typer.echo(step["output"], nl=False)
    except LabError as error:
        raise _fail(str(error)) from error


@clock.command()
def advance(seconds: Annotated[float, typer.Argument(min=0, help="how far to put the clock forward")]) -> None:
    """Put the clock forward; timers that are due then run before the command returns.

    Example: fabric-drift lab clock advance 300
    """
    _clock(seconds)


@clock.command(name="show")
def show_clock() -> None:
    """Show the lab's clock, in seconds since the lab was made."""
    _clock(0)


def _clock(seconds: float) -> None:
    try:
        result = control.order(LabDirectory.default(), {"do": "clock", "advance": seconds})
    except LabError as error:
        raise _fail(str(error)) from error
    for timer in result["fired"]:
        typer.echo(f"{timer['device']}: {timer['unit']}")
    typer.echo(f"{result['seconds']:.0f} s")


@app.command()
def load(
    folder: Annotated[Path, typer.Argument(help="FOLDER/<device>/<file>, as `fabric-drift render` writes it")],
) -> None:
    """Boot devices with rendered files.

    Example: fabric-drift lab load rendered
    """
    directory = LabDirectory.default()
    devices = sorted(entry for entry in folder.glob("*") if entry.is_dir()) if folder.is_dir() else []
    if not devices:
        raise _fail(f"{folder} holds no folder of a device")
    try:
        for entry in devices:
            files = {
                str(file.relative_to(entry)): file.read_text(encoding="utf-8")
                for file in sorted(entry.rglob("*"))
                if file.is_file()
            }
            control.order(directory, {"do": "load", "device": entry.name, "files": files})
            typer.echo(f"{entry.name}: {next(iter(files)) if len(files) == 1 else f'{len(files)} files'}")
    except LabError as error:
        raise _fail(f"{entry.name}: {error}") from error


@app.command(
    short_help="Make a device misbehave, or behave again; --help names the ways.",
    help="Make a device misbehave, or behave again (none).\n\nOn the way to it, one at a time:\n\n\b\n"
    + "\n".join(f"{kind:<16}  {text}" for kind, text in KINDS.items())
    + "\n\nIn the device, as many as you like:\n\n\b\n"
    + "\n".join(f"{kind:<16}  {text}" for kind, text in TROUBLES.items())
    + "\n\nExample: fabric-drift lab fault leaf1 slow:5",
)
def fault(device: Device, kind: Annotated[str, typer.Argument(metavar="FAULT", help="e.g. slow:5, none")]) -> None:
    """Set or clear the fault of a device."""
    try:
        typer.echo(
            f"{device}: {control.order(LabDirectory.default(), {'do': 'fault', 'device': device, 'fault': kind})}"
        )
    except LabError as error:
        raise _fail(str(error)) from error
