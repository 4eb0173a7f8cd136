"""What the transport must know to log in: a shape, so that it need not know where inventories come from."""

from __future__ import annotations

from typing import Protocol


class Secret(Protocol):
    """A value that never prints."""

    def reveal(self) -> str:
        """The value itself; call it only where it goes over an encrypted connection."""
        ...


class Endpoint(Protocol):
    """One device's address and credentials."""

    @property
    def name(self) -> str: ...  # noqa: D102  the name in the intent
    @property
    def address(self) -> str: ...  # noqa: D102
    @property
    def port(self) -> int: ...  # noqa: D102
    @property
    def user(self) -> str: ...  # noqa: D102  empty: the local user's name
    @property
    def password(self) -> Secret | None: ...  # noqa: D102
    @property
    def key_files(self) -> tuple[str, ...]: ...  # noqa: D102  empty: agent and default keys
    @property
    def known_hosts(self) -> tuple[str, ...]: ...  # noqa: D102  empty: the user's and the system's files
    @property
    def ca_file(self) -> str: ...  # noqa: D102  HTTPS: who signed its certificate; empty: the system's list
    @property
    def tls_name(self) -> str: ...  # noqa: D102  HTTPS: the name in its certificate; empty: the address
    @property
    def token(self) -> Secret | None: ...  # noqa: D102  HTTPS: in place of user and password
    @property
    def jump(self) -> str: ...  # noqa: D102  "user@host:port" of a jump host, or empty
