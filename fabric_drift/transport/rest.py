"""HTTPS with JSON answers: one TLS connection, one GET per command. Nothing is followed, retried or guessed.

``Command.text`` is ``GET /path?query``. The answer's head becomes lines of ``Output.stderr``; a body that isn't JSON
with status 200 (a login page, an error, a redirect, one page of many) is never a whole answer.
"""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from fabric_drift.errors import FabricDriftError, Unauthorised, Unreachable, Unsupported
from fabric_drift.platform import Command, Output, Platform
from fabric_drift.transport.endpoint import Endpoint
from fabric_drift.transport.limits import Limits
from fabric_drift.transport.text import decode, one_line

if TYPE_CHECKING:
    import httpx

VERB = "GET "
SSH_PORT, HTTPS_PORT = 22, 443
BASIC_PREFIX, TOKEN_PREFIX = "/ufmRest/", "/ufmRestV3/"
"""The same resources, by name and password or by an access token (UFM REST API guide, "Access Tokens API")."""
REMEDY_TLS = "Name its CA in fabric_drift_ca_file, and in fabric_drift_tls_name the name that its certificate holds"


def is_rest(platform: Platform) -> bool:
    """Whether the platform is read over HTTPS."""
    return bool(platform.command_families) and all(item.text.startswith("GET /") for item in platform.command_families)


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other end: the name that the certificate was held against, and whether it was."""

    name: str
    is_verified: bool

    def head(self) -> str:
        """Lines for ``Output.stderr``."""
        return f"tls-server-name: {self.name}\ntls-verified: {'yes' if self.is_verified else 'no'}\n"


class RestSession:
    """GETs on an open client. Raises Unauthorised when the login is refused: HTTP has no login before that."""

    def __init__(self, client: httpx.AsyncClient, endpoint: Endpoint, peer: Peer, answer_bytes: int) -> None:
        self._client = client
        self._endpoint = endpoint
        self._peer = peer
        self._answer_bytes = answer_bytes

    async def run(self, command: Command, seconds: float, limit_name: str) -> Output:
        """The answer to one command; ``limit_name`` says whose ``seconds`` they are, for the message."""
        import httpx  # noqa: PLC0415  slow to import, and only needed here

        try:
            async with asyncio.timeout(seconds):
                return await self._get(command.text.removeprefix(VERB))
        except TimeoutError:
            return Output(exit_status=None, error=f"no whole answer within {limit_name}")
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            return Output(exit_status=None, error=f"the connection failed: {one_line(_reason(error))}")

    async def _get(self, path: str) -> Output:
        if self._endpoint.token is not None:
            path = path.replace(BASIC_PREFIX, TOKEN_PREFIX, 1)
        async with self._client.stream("GET", path, extensions={"sni_hostname": self._peer.name}) as response:
            if response.status_code == HTTPStatus.UNAUTHORIZED:
                raise _refused(self._endpoint)
            body, is_cut = await self._body(response)
        return self._output(response, path, body, is_cut=is_cut)

    async def _body(self, response: httpx.Response) -> tuple[bytes, bool]:
        parts: list[bytes] = []
        size = 0
        async for chunk in response.aiter_bytes():
            parts.append(chunk)
            size += len(chunk)
            if size > self._answer_bytes:
                return b"".join(parts)[: self._answer_bytes], True
        return b"".join(parts), False

    def _output(self, response: httpx.Response, path: str, body: bytes, *, is_cut: bool) -> Output:
        text, error = decode(body)
        if is_cut:
            error = f"the answer is larger than {self._answer_bytes} bytes and was cut"
        status, problem = _judged(response, text)
        said = f"HTTP {response.status_code}{problem and f': {problem}'} ({path})\n"
        return Output(text, said + self._peer.head(), None if is_cut else status, error)


def _judged(response: httpx.Response, text: str) -> tuple[int, str]:
    """(exit status, what is wrong with the answer)."""
    if response.status_code == HTTPStatus.FORBIDDEN:
        return response.status_code, "permission denied"
    if response.status_code != HTTPStatus.OK:
        target = response.headers.get("location", "")
        return response.status_code, one_line(f"redirected to {target}" if target else response.reason_phrase)
    if "html" in response.headers.get("content-type", "").lower() or text.lstrip()[:1] == "<":
        return response.status_code, "not permitted: a page (a login form?) in place of JSON"
    if 'rel="next"' in response.headers.get("link", "").lower():
        return response.status_code, "one page of several"
    return 0, ""


@asynccontextmanager
async def connect(endpoint: Endpoint, limits: Limits, *, verify: bool = True) -> AsyncIterator[RestSession]:
    """An open session. Raises Unreachable (also for a certificate that isn't trusted) or Unsupported on entering."""
    import httpx  # noqa: PLC0415

    if endpoint.jump:
        raise Unsupported(
            "REST behind a jump host isn't supported", where=endpoint.name,
            remedy="Run the check where the address can be reached", code="FD-TLS-003",
        )  # fmt: skip
    peer = Peer(endpoint.tls_name or endpoint.address, verify)
    port = HTTPS_PORT if endpoint.port == SSH_PORT else endpoint.port
    context = _context(endpoint, verify=verify)
    await _try(endpoint, port, context, peer, limits.connect_seconds)
    client = httpx.AsyncClient(
        base_url=httpx.URL(scheme="https", host=endpoint.address, port=port),
        verify=context, trust_env=False, follow_redirects=False,
        timeout=httpx.Timeout(None, connect=limits.connect_seconds),
        headers={"accept": "application/json", "accept-encoding": "identity"} | _credentials(endpoint),
    )  # fmt: skip
    async with client:
        yield RestSession(client, endpoint, peer, limits.answer_bytes)


def _context(endpoint: Endpoint, *, verify: bool) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=endpoint.ca_file or None)
    except OSError as error:  # also what isn't a certificate
        raise Unreachable(
            f"the CA file {endpoint.ca_file} can't be used: {one_line(_reason(error))}", where=endpoint.name,
            remedy="Correct fabric_drift_ca_file in the inventory", code="FD-TLS-002",
        ) from error  # fmt: skip
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


async def _try(endpoint: Endpoint, port: int, context: ssl.SSLContext, peer: Peer, seconds: float) -> None:
    """A handshake before anything is sent, so that credentials go to nobody else, and its end is told exactly."""
    try:
        async with asyncio.timeout(seconds):
            _, writer = await asyncio.open_connection(endpoint.address, port, ssl=context, server_hostname=peer.name)
    except (OSError, TimeoutError) as error:
        raise _unreachable(endpoint, port, error) from error
    writer.transport.abort()


def _unreachable(endpoint: Endpoint, port: int, error: OSError) -> FabricDriftError:
    place = f"{endpoint.address} port {port}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return Unreachable(
            f"the certificate of {place} isn't trusted: {one_line(error.verify_message)}", where=endpoint.name,
            remedy=REMEDY_TLS, code="FD-TLS-001",
        )  # fmt: skip
    reason = "it didn't answer in time" if isinstance(error, TimeoutError) else one_line(_reason(error))
    return Unreachable(
        f"no HTTPS on {place}: {reason}", where=endpoint.name,
        remedy="Check ansible_host and ansible_port (443 where it isn't set), and that the service runs",
        code="FD-TLS-004",
    )  # fmt: skip


def _credentials(endpoint: Endpoint) -> dict[str, str]:
    """Exactly what the inventory says. A token goes as ``Basic``, too (UFM REST API guide, "Access Tokens API")."""
    if endpoint.token is not None:
        return {"authorization": f"Basic {endpoint.token.reveal()}"}
    if endpoint.password is None or not endpoint.user:
        return {}
    pair = f"{endpoint.user}:{endpoint.password.reveal()}"
    return {"authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def _refused(endpoint: Endpoint) -> Unauthorised:
    who = "the access token" if endpoint.token is not None else f"user {endpoint.user!r}"
    return Unauthorised(
        f"the login of {who} was refused", where=endpoint.name,
        remedy="Check ansible_user and ansible_password, or fabric_drift_token, in the inventory", code="FD-TLS-005",
    )  # fmt: skip


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error) or type(error).__name__
