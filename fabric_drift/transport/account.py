"""What the read-only account may run, and the files that tell the devices so.

A platform publishes ``command_families``: every command it can ever ask for, with a ``pattern`` where
a name read from the device is part of it. The collector sends nothing else.
"""

from __future__ import annotations

import json
import re
import shlex
from functools import lru_cache

from fabric_drift.platform import Command, Platform


def may_run(platform: Platform, command: Command) -> bool:
    """Whether the platform's published list covers the command."""
    exact, patterns = _compiled(platform.command_families)
    return command.wire in exact or any(pattern.fullmatch(command.wire) for pattern in patterns)


@lru_cache(maxsize=64)
def _compiled(listed: tuple[Command, ...]) -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    exact = frozenset(command.wire for command in listed if not command.pattern)
    return exact, tuple(re.compile(wire_pattern(command)) for command in listed if command.pattern)


def wire_pattern(command: Command) -> str:
    """The pattern of a family as it goes over the wire (with ``sudo -n`` where privileged)."""
    return f"sudo -n {command.pattern}" if command.privileged else command.pattern


def as_list(platform: Platform) -> str:
    """One line per family, for people: exact commands as typed, patterns between slashes."""
    lines = [f"/{wire_pattern(item)}/" if item.pattern else item.wire for item in platform.command_families]
    return "".join(f"{line}\n" for line in sorted(lines))


def as_json(platform: Platform) -> str:
    """``{"exact": [...], "patterns": [...]}`` over the wire; what a forced command or the lab checks."""
    listed = platform.command_families
    content = {
        "exact": sorted({item.wire for item in listed if not item.pattern}),
        "patterns": sorted({wire_pattern(item) for item in listed if item.pattern}),
    }
    return json.dumps(content, indent=2) + "\n"


def as_sudoers(platform: Platform, user: str) -> str:
    """A file for /etc/sudoers.d: exactly the privileged commands, no wildcards (``*`` would match blanks).

    Patterns use the regular expressions of sudo 1.9.10 and later (sudoers(5), "Regular expressions").
    """
    entries = sorted({_sudoers_command(item) for item in platform.command_families if item.privileged})
    head = f"# Read-only account of fabric-drift on {platform.title}. Check with: visudo -cf FILE\n"
    if not entries:
        return f"{head}# {platform.name} needs no privileged command.\n"
    body = "".join(f"{user} ALL=(root) NOPASSWD: {entry}\n" for entry in entries)
    return f"{head}Defaults:{user} !requiretty\n{body}"


def _sudoers_command(command: Command) -> str:
    """The sudo program compares the words after the shell has read them, so they are split so and escaped."""
    if command.pattern:
        program, _, arguments = command.pattern.partition(" ")
        return f"{_path(program)} ^{arguments}$"
    program, *words = shlex.split(command.text)
    return " ".join((_path(program), *(_escaped(word) for word in words))) if words else f'{_path(program)} ""'


def _path(program: str) -> str:
    return program if program.startswith("/") else f"{_directory(program)}/{program}"


def _escaped(word: str) -> str:
    """What sudoers(5) or fnmatch(3) would read as syntax, with a backslash."""
    return re.sub(r"([,:=\\*?\[\]!\s])", r"\\\1", word)


SBIN = frozenset(("dcb", "ip", "rdma", "ethtool", "lldpctl"))
SYSTEM_BIN = frozenset(
    ("mlxconfig", "mlxreg", "cat", "grep", "ls", "readlink", "uname", "hostname", "systemctl", "python3")
)


def _directory(program: str) -> str:
    """Where Debian, Ubuntu and SONiC install a program; sudoers wants absolute paths."""
    if program in SBIN:
        return "/usr/sbin"
    return "/usr/bin" if program in SYSTEM_BIN else "/usr/local/bin"


def as_eos_role(platform: Platform, user: str) -> str:
    """An EOS role that permits exactly the commands, whatever the privilege level (EOS: role, permit, deny)."""
    lines = [
        f"! Read-only account of fabric-drift on {platform.title}.",
        "! Roles need command authorisation. It applies to every user of the switch, so it isn't switched on here:",
        "!   aaa authorization commands all default local",
        "role fabric-drift",
    ]
    bare = sorted({_eos_pattern(item) for item in platform.command_families})
    lines += [f"   {number * 10} permit mode exec command {text}" for number, text in enumerate(bare, start=1)]
    lines += [
        f"   {(len(bare) + 1) * 10} deny command .*",
        "!",
        f"username {user} privilege 15 role fabric-drift nopassword",
    ]
    lines += [f"! Then: username {user} ssh-key PUBLIC-KEY", ""]
    return "\n".join(lines)


def _eos_pattern(command: Command) -> str:
    """EOS authorises the command and each pipe stage by regular expression on the whole line."""
    return command.pattern or re.sub(r"([\\.|+*?()\[\]{}^$])", r"\\\1", command.text)


FORMATS = ("list", "json", "sudoers", "eos-role")


def account_file(platform: Platform, form: str, user: str) -> str:
    """The account file in one of ``FORMATS``."""
    if form == "sudoers":
        return as_sudoers(platform, user)
    if form == "eos-role":
        return as_eos_role(platform, user)
    return as_json(platform) if form == "json" else as_list(platform)
