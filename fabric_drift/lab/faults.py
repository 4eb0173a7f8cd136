"""Bad days on demand: what a lab device can be told to do wrong, in its transport, whatever it emulates."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from fabric_drift.lab.emulator import Answer

KINDS = {
    "none": "behaves",
    "refuse": "refuses TCP connections",
    "hang": "takes commands and never answers",
    "drop": "drop:N cuts the connection at its Nth command (1 without N)",
    "truncate": "sends half of the output and calls it a success",
    "interleave": "mixes a console message into the output",
    "garble": "damages bytes of the output",
    "wrong-hostname": "calls itself by another name",
    "changed-host-key": "shows another host key",
    "slow": "slow:SECONDS waits before every answer",
    "big": "big:MEGABYTES answers every command with that much text (200 without a number)",
    "non-utf8": "puts bytes into the output that are not UTF-8",
    "sudo-refused": "sudo-refused:PATTERN refuses commands that contain the regular expression",
}
_NUMERIC = {"drop": "1", "slow": None, "big": "200"}
CONSOLE_MESSAGE = "\r\nMessage from syslogd@console: link flap detected, 3 events in 10 s\r\n"


class UnknownFaultError(ValueError):
    """The text names no fault of the lab."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault; ``argument`` is the text behind the colon."""

    kind: str = "none"
    argument: str = ""

    @property
    def number(self) -> float:
        """The argument of drop, slow and big."""
        return float(self.argument)

    def __str__(self) -> str:
        return f"{self.kind}:{self.argument}" if self.argument else self.kind


def parse_fault(text: str) -> Fault:
    """``slow:5`` as a fault. Raises UnknownFaultError for anything that isn't in ``KINDS``."""
    kind, _, argument = text.partition(":")
    if kind not in KINDS:
        raise UnknownFaultError(f"{kind!r} is no fault; there are {', '.join(KINDS)}")
    if kind in _NUMERIC:
        argument = argument or _NUMERIC[kind] or ""
        if not re.fullmatch(r"\d+(\.\d+)?", argument):
            raise UnknownFaultError(f"{kind} needs a number: {KINDS[kind]}")
    elif kind == "sudo-refused":
        _check_pattern(argument)
    elif argument:
        raise UnknownFaultError(f"{kind} takes no argument")
    return Fault(kind, argument)


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise UnknownFaultError(f"{pattern!r} is no regular expression: {error}") from error
    if not pattern:
        raise UnknownFaultError(f"sudo-refused needs a pattern: {KINDS['sudo-refused']}")


def sudo_refuses(fault: Fault, command: str) -> bool:
    """Whether the fault makes sudo refuse ``command``."""
    return fault.kind == "sudo-refused" and command.startswith("sudo ") and bool(re.search(fault.argument, command))


SUDO_REFUSAL = Answer(stderr="sudo: a password is required\n", exit_status=1)


def spoil(fault: Fault, text: str, hostname: str) -> str:
    """``text`` as a device with this fault would send it; the same text for the same input."""
    spoiler = _SPOILERS.get(fault.kind)
    return spoiler(text, hostname) if spoiler else text


def _truncate(text: str, _hostname: str) -> str:
    return text[: len(text) // 2]


def _interleave(text: str, _hostname: str) -> str:
    middle = len(text) // 2
    return text[:middle] + CONSOLE_MESSAGE + text[middle:]


def _garble(text: str, _hostname: str) -> str:
    """Every 97th character, and the first of short texts, becomes another printable one."""
    characters = list(text)
    for index in range(0, len(characters), 97):
        characters[index] = "~" if characters[index] != "~" else "#"
    return "".join(characters)


def _wrong_hostname(text: str, hostname: str) -> str:
    return re.sub(rf"(?<![\w.-]){re.escape(hostname)}(?![\w-])", f"{hostname}-not", text)


def _non_utf8(text: str, _hostname: str) -> str:
    """Lone surrogates leave the server as the raw bytes FF FE."""
    middle = len(text) // 2
    return f"{text[:middle]}\udcff\udcfe{text[middle:]}"


_SPOILERS: dict[str, Callable[[str, str], str]] = {
    "truncate": _truncate,
    "interleave": _interleave,
    "garble": _garble,
    "wrong-hostname": _wrong_hostname,
    "non-utf8": _non_utf8,
}
