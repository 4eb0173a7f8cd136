"""All commands of ``fabric-drift``, and what becomes of an error."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from fabric_drift.cli import account, capture, check, intent, schema
from fabric_drift.cli.lazy import LazyGroup
from fabric_drift.errors import FabricDriftError

INTERNAL_ERROR, USAGE_ERROR, INCOMPLETE = 1, 2, 3
EXIT_OF_KIND = {"unreachable": INCOMPLETE, "unauthorised": INCOMPLETE, "unparsed": INCOMPLETE}
"""Everything else that a user can mend is a usage or intent error."""

HELP = """One intent for the whole lossless path of a GPU cluster, and what differs from it on the live devices.

Start without any device:

\b
fabric-drift validate --intent intent/pod1     every error, with file and line
fabric-drift render leaf1                      what leaf1 should be configured to

Then look at the fabric; nothing is ever written to a device:

\b
fabric-drift commands -p eos -f eos-role       an account that may run just what is needed
fabric-drift check -i inventory.yml            what differs, with evidence

Options can be set in the environment: FABRIC_DRIFT_INTENT, FABRIC_DRIFT_INVENTORY, ...
"""

app = typer.Typer(
    name="fabric-drift",
    cls=LazyGroup,
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", envvar="FABRIC_DRIFT_DEBUG", help="Tracebacks and logs.")] = False,
    version: Annotated[bool, typer.Option("--version", is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Options of every command."""
    if version:
        from importlib.metadata import PackageNotFoundError, version as installed  # noqa: PLC0415, I001

        try:
            typer.echo(installed("fabric-drift"))
        except PackageNotFoundError:
            typer.echo("not installed")
        raise typer.Exit
    logging.basicConfig(level=logging.DEBUG if debug else logging.CRITICAL, format="%(name)s: %(message)s")


app.command("validate")(intent.validate)
app.command("render")(intent.render)
app.command("explain")(intent.explain)
app.command("schema")(schema.schema)
app.command("check")(check.check)
app.command("capture")(capture.capture)
app.command("commands")(account.commands)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits. Our errors are text on stderr; a fault of ours is one line, or --debug."""
    try:
        app(args=list(arguments) if arguments is not None else None)
    except FabricDriftError as error:
        _told(error)
        sys.exit(EXIT_OF_KIND.get(error.kind, USAGE_ERROR))
    except Exception as error:
        if _debugging():
            raise
        sys.stderr.write(f"a fault of fabric-drift: {type(error).__name__}: {error}. Run with --debug. [FD-BUG-002]\n")
        sys.exit(INTERNAL_ERROR)


def _debugging() -> bool:
    return "--debug" in sys.argv or bool(os.environ.get("FABRIC_DRIFT_DEBUG"))


def _told(error: Any) -> None:
    if _debugging():
        logging.getLogger(__name__).debug("", exc_info=error)
    from fabric_drift.report.harmless import clean  # noqa: PLC0415

    sys.stderr.write("".join(f"{clean(line)}\n" for line in error.text().splitlines()))
