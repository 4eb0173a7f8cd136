"""HTTPS on loopback: routes of the REST API to the model, faults on the way out."""

from __future__ import annotations

import json
import ssl
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fabric_drift.lab.ufm import certificates
from fabric_drift.lab.ufm.faults import FAULTS, LOGIN_PAGE, Answer
from fabric_drift.lab.ufm.model import BadRequestError, MissingError, Model

HOST = "127.0.0.1"
USER, PASSWORD, TOKEN = "admin", "123456", "lab-token"
LAB = "/_lab/"
"""What no UFM has: faults, and what a person would change outside of REST."""


@dataclass
class Ufm:
    """An emulated UFM: its state, its faults (path -> kind) and the requests that it got."""

    model: Model = field(default_factory=Model)
    faults: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    stopping: threading.Event = field(default_factory=threading.Event)

    def fault(self, kind: str, path: str = "") -> None:
        """Spoils answers whose path holds ``path``; ``none`` ends all faults. Raises BadRequestError."""
        if kind == "none":
            self.faults.clear()
        elif kind in FAULTS:
            self.faults[path] = kind
        else:
            raise BadRequestError(f"{kind!r} is no fault; there are none, {', '.join(FAULTS)}")

    def answer(self, verb: str, target: str, body: bytes, authorization: str) -> Answer:
        """The answer to one request."""
        parts = urlsplit(target)
        prefix, _, resource = parts.path.removeprefix("/").partition("/")
        with self.lock:
            self.requests.append(f"{verb} {target}")
            if not _may(prefix, authorization):
                return Answer(401, b'{"error": "Unauthorized"}')
            answer = self._routed(verb, prefix, resource, dict(parse_qsl(parts.query)), body)
        for place, kind in [] if parts.path.startswith(LAB) else list(self.faults.items()):
            if place in target:
                answer = FAULTS[kind](answer)
        return answer

    def _routed(self, verb: str, prefix: str, resource: str, query: Mapping[str, str], body: bytes) -> Answer:
        try:
            value = json.loads(body) if body else {}
            if prefix == "_lab":
                return Answer().of(self._lab(resource, value))
            if prefix not in ("ufmRest", "ufmRestV3"):
                return Answer(200, LOGIN_PAGE, {"Content-Type": "text/html"})
            found = self._resource(verb, resource.strip("/").split("/"), query, value)
        except BadRequestError as error:
            return Answer(400, json.dumps({"error": str(error)}).encode())
        except (MissingError, KeyError) as error:
            return Answer(404, json.dumps({"error": str(error)}).encode())
        if verb != "GET":
            self.model.save()
        return Answer().of(found)

    def _lab(self, resource: str, value: Mapping[str, Any]) -> dict[str, Any]:
        if resource == "fault":
            self.fault(value["kind"], value.get("path", ""))
        elif resource == "smconf":
            self.model.smconf |= value
        elif resource == "model":
            for name in ("release", "default_membership"):
                setattr(self.model, name, value.get(name, getattr(self.model, name)))
        self.model.save()
        return {}

    def _resource(self, verb: str, path: list[str], query: Mapping[str, str], body: Mapping[str, Any]) -> Any:
        model = self.model
        if verb == "GET" and path == ["app", "ufm_version"]:
            return {"ufm_release_version": model.release}
        if verb == "GET" and path == ["app", "smconf"]:
            name = query.get("param_name")
            return {name: model.smconf[name]} if name else model.smconf
        if path[:2] != ["resources", "pkeys"]:
            raise MissingError("/".join(path))
        route = ROUTES.get((verb, len(path) - 2, path[2] if len(path) == 3 and path[2] in WORDS else ""))  # noqa: PLR2004
        if route is None:
            raise MissingError(f"{verb} {'/'.join(path)}")
        return route(model, path[2:], query, body)


WORDS = ("add", "qos_conf")
Route = Callable[[Model, list[str], Mapping[str, str], Mapping[str, Any]], Any]
ROUTES: dict[tuple[str, int, str], Route] = {
    ("GET", 0, ""): lambda model, _path, query, _body: model.listed(query),
    ("GET", 1, ""): lambda model, path, query, _body: model.one(path[0], query),
    ("POST", 1, "add"): lambda model, _path, _query, body: model.create(body),
    ("POST", 0, ""): lambda model, _path, _query, body: model.add(body),
    ("PUT", 0, ""): lambda model, _path, _query, body: model.put(body),
    ("PUT", 1, "qos_conf"): lambda model, _path, _query, body: model.set_qos(body),
    ("DELETE", 1, ""): lambda model, path, _query, _body: model.delete(path[0]),
    ("DELETE", 3, ""): lambda model, path, _query, _body: model.remove(path[0], path[2]),
}
"""(verb, words behind /resources/pkeys, fixed word)."""


def _may(prefix: str, authorization: str) -> bool:
    """Name and password, or a token below /ufmRestV3; both as ``Basic``."""
    pair = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    return authorization == f"Basic {TOKEN if prefix == 'ufmRestV3' else pair}"


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b""
        answer = self.server.ufm.answer(self.command, self.path, body, self.headers.get("Authorization", ""))
        if answer.hangs:
            self.server.ufm.stopping.wait()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body) if answer.promised is None else answer.promised))
        self.end_headers()
        self.wfile.write(answer.body)
        self.close_connection = answer.promised is not None

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815  names that http.server looks for
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  as in the base class
        """Nothing: requests are in ``Ufm.requests``."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, ufm: Ufm, port: int, chain: Path) -> None:
        self.ufm = ufm
        super().__init__((HOST, port), _Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        # Not at accept: a client that only connects would stop all others.
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away, or refuses the certificate, is nothing to talk about."""


@contextmanager
def serve(ufm: Ufm, directory: Path, name: str, port: int = 0, *, signed: bool = True) -> Iterator[int]:
    """Serves in a thread; gives the port. The CA is written to ``directory/ca.pem``."""
    _, chain = certificates.write(directory, name, signed=signed)
    server = _Server(ufm, port, chain)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        ufm.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
