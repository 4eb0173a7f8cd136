"""``python -m fabric_drift.lab.infiniband``: start, break and stop an InfiniBand fabric on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.infiniband import drift as drifts
from fabric_drift.lab.infiniband.fabric import Size
from fabric_drift.lab.infiniband.ibpod import FOLDER, large
from fabric_drift.lab.infiniband.lab import InfinibandLab, opened
from fabric_drift.lab.infiniband.simulator import InfinibandLabError

USAGE_ERROR = 2

app = typer.Typer(
    name="infiniband",
    help="Start and use the InfiniBand lab: real OpenSMs on a simulated rail-optimised fat tree (ibsim).",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def default_directory() -> Path:
    """Where the simulated subnet keeps its files: a folder of the lab's own directory."""
    return LabDirectory.default().root / FOLDER


def _fail(problem: str) -> typer.Exit:
    typer.echo(f"lab: {problem}", err=True)
    return typer.Exit(USAGE_ERROR)


def _lab() -> InfinibandLab:
    try:
        return opened(default_directory())
    except FileNotFoundError:
        raise _fail("no InfiniBand lab was ever started here: use up") from None


@app.command()
def up(  # noqa: PLR0917 - options of a command line
    hcas: Annotated[int, typer.Option(help="number of HCAs; 0: hosts x rails decide")] = 0,
    hosts: Annotated[int, typer.Option(help="hosts, each with one HCA per rail")] = 6,
    rails: Annotated[int, typer.Option(help="rails")] = 4,
    spines: Annotated[int, typer.Option(help="spines")] = 2,
    hosts_per_leaf: Annotated[int, typer.Option(help="downlinks of a leaf")] = 32,
    sm_nodes: Annotated[int, typer.Option(help="nodes with a subnet manager")] = 2,
) -> None:
    """Start the simulated fabric and its subnet managers.

    Example: python -m fabric_drift.lab.infiniband up --hcas 10000
    """
    size = large(hcas) if hcas else Size(hosts, rails, spines, hosts_per_leaf, sm_nodes=sm_nodes)
    lab = InfinibandLab(default_directory(), size)
    if lab.runs:
        raise _fail(f"a lab already runs in {lab.directory}: stop it with down")
    try:
        lab.up()
    except (InfinibandLabError, ValueError) as error:
        lab.down()
        raise _fail(str(error)) from error
    typer.echo(lab.directory)


@app.command()
def down() -> None:
    """Stop the lab. Files of its SM nodes are kept."""
    lab = _lab()
    typer.echo("stopped" if lab.runs else "no lab runs here")
    lab.down()


@app.command()
def status() -> None:
    """Show whether the simulator and the subnet managers run."""
    lab = _lab()
    typer.echo(f"ibsim {'runs' if lab.runs else 'stopped'}: {len(lab.fabric.nodes)} nodes in {lab.directory}")
    for node in lab.sm_nodes.values():
        typer.echo(f"{node.name} opensm {'runs' if node.runs else 'stopped'} {node.port_guid:#018x}")


@app.command(name="exec")
def execute(
    node: Annotated[str, typer.Argument(help="an SM node, e.g. sm1")],
    command: Annotated[str, typer.Argument(help="a shell command, e.g. 'smpquery pkeys 1'")],
) -> None:
    """Run a command on an SM node."""
    nodes = _lab().sm_nodes
    if node not in nodes:
        raise _fail(f"{node!r} is no SM node; there are {', '.join(nodes)}")
    answer = nodes[node].run(command)
    sys.stdout.write(answer.stdout)
    sys.stderr.write(answer.stderr)
    raise typer.Exit(answer.exit_status)


@app.command()
def drift(
    kind: Annotated[str, typer.Argument(help=f"one of {', '.join(drifts.KINDS)}")],
    name: Annotated[str, typer.Argument(help="an HCA or switch, e.g. 'gpu001 mlx5_0'")],
) -> None:
    """Change the fabric behind the subnet manager's back, or break a cable."""
    try:
        typer.echo(drifts.make(_lab(), kind, name))
    except (InfinibandLabError, KeyError) as error:
        raise _fail(str(error)) from error
