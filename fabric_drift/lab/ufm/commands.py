"""``fabric-drift lab ufm``: serve the emulated UFM, break it, and send it requests as a person would."""

from __future__ import annotations

import json
import re
import socket
import ssl
import threading
from base64 import b64encode
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from fabric_drift.lab.directory import LabDirectory
from fabric_drift.lab.ufm.faults import FAULTS
from fabric_drift.lab.ufm.model import Model
from fabric_drift.lab.ufm.server import HOST, PASSWORD, USER, Ufm, serve

FOLDER = "ufm"
NAME = "ufm1"
USAGE_ERROR = 2
BAD_STATUS = 400

app = typer.Typer(
    name="ufm", help="An emulated UFM: its REST API over HTTPS on 127.0.0.1.", no_args_is_help=True,
    pretty_exceptions_enable=False,
)  # fmt: skip


def folder() -> Path:
    """Where the emulated UFM keeps its state."""
    return LabDirectory.default().root / FOLDER


def inventory(port: int, ca_file: Path) -> str:
    """The UFM as an Ansible inventory."""
    host = {
        "ansible_host": HOST, "ansible_port": port, "ansible_user": USER, "ansible_password": PASSWORD,
        "fabric_drift_tls_name": NAME, "fabric_drift_ca_file": str(ca_file), "fabric_drift_platform": "ufm",
    }  # fmt: skip
    return yaml.safe_dump({"all": {"children": {"ufm": {"hosts": {NAME: host}}}}}, sort_keys=False)


@app.command(name="serve")
def serve_command(port: Annotated[int, typer.Option(help="0: a free one")] = 22443) -> None:
    """Serve until interrupted; print the path of its Ansible inventory. What it was told is kept.

    Example: fabric-drift lab ufm serve & fabric-drift check --intent intent/ufmpod -i .lab/ufm/inventory.yml
    """
    here = folder()
    here.mkdir(parents=True, exist_ok=True)
    model = Model(here / "state.json")
    model.load()
    try:
        with serve(Ufm(model), here, NAME, port) as bound:
            file = here / "inventory.yml"
            file.write_text(inventory(bound, here / "ca.pem"))
            (here / "port").write_text(str(bound))
            typer.echo(file)
            threading.Event().wait()
    except KeyboardInterrupt:
        return
    except OSError as error:
        raise _fail(f"port {port}: {error.strerror or error}") from error


@app.command()
def fault(
    kind: Annotated[str, typer.Argument(help=f"none, {', '.join(FAULTS)}")],
    path: Annotated[str, typer.Argument(help="part of the paths whose answers are spoilt; empty: all")] = "",
) -> None:
    """Spoil its answers; `none` ends all faults."""
    _sent("POST", "/_lab/fault", {"kind": kind, "path": path})


@app.command()
def send(
    verb: Annotated[str, typer.Argument(help="GET, POST, PUT, DELETE")],
    path: Annotated[str, typer.Argument(help="e.g. /ufmRest/resources/pkeys/0x10")],
    body: Annotated[str, typer.Argument(help="JSON")] = "",
) -> None:
    """Send one request, as a person would."""
    typer.echo(_sent(verb.upper(), path, json.loads(body) if body else None))


@app.command()
def load(
    file: Annotated[Path, typer.Argument(help="requests, as render writes them", dir_okay=False, exists=True)],
) -> None:
    """Send the requests of a .http file in their order."""
    found = requests_of(file.read_text())
    for verb, path, body in found:
        _sent(verb, path, body)
    typer.echo(f"{len(found)} requests sent")


def requests_of(text: str) -> list[tuple[str, str, Any]]:
    """(verb, path, body) of each request of a .http file."""
    found = []
    for part in re.split(r"^###.*$", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.strip().partition("\n\n")
        verb, path = head.splitlines()[0].split()
        # Behind a body, lines with # belong to what follows.
        lines = [line for line in body.splitlines() if not line.startswith("#")]
        found.append((verb, path, json.loads("\n".join(lines)) if body.strip() else None))
    return found


def _sent(verb: str, path: str, body: Any) -> str:
    here = folder()
    try:
        port = int((here / "port").read_text())
        return request(port, here / "ca.pem", verb, path, body)
    except (OSError, HTTPException) as error:
        raise _fail(f"no emulated UFM answers here ({error}): start it with `fabric-drift lab ufm serve`") from error


def request(port: int, ca_file: Path, verb: str, path: str, body: Any = None) -> str:
    """The body of the answer. Raises OSError, HTTPException, or typer.Exit for a refused request."""
    context = ssl.create_default_context(cafile=str(ca_file))
    connection = HTTPSConnection(HOST, port, timeout=20)
    connection.sock = context.wrap_socket(socket.create_connection((HOST, port), timeout=20), server_hostname=NAME)
    headers = {"Authorization": "Basic " + b64encode(f"{USER}:{PASSWORD}".encode()).decode()}
    connection.request(verb, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    if answer.status >= BAD_STATUS:
        raise _fail(f"HTTP {answer.status}: {text}")
    return text


def _fail(problem: str) -> typer.Exit:
    typer.echo(f"lab: {problem}", err=True)
    return typer.Exit(USAGE_ERROR)
