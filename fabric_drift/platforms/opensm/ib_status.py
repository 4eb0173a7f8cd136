#!/usr/bin/env python3
"""What an SM node says of itself, as one JSON document: its files, its console, its log. Reads only.

Self-contained, like ``ib_reader.py``. Values of keys (m_key, sm_key, sa_key, cc_key) are replaced here, on the node, by
``default`` or ``set``: they never leave it. The console must listen on loopback (``console loopback``).
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from typing import Any

FILES = {
    "options": "/etc/opensm/opensm.conf",
    "partitions": "/etc/opensm/partitions.conf",
    "qos_policy": "/etc/opensm/qos-policy.conf",
    "root": "/etc/opensm/root_guids.conf",
    "compute": "/etc/opensm/cn_guids.conf",
    "io": "/etc/opensm/io_guids.conf",
}
UFM = "/opt/ufm/files/conf/opensm/opensm.conf"
LOG = "/var/log/opensm.log"
OPEN_KEYS = {"m_key": 0, "sm_key": 1, "sa_key": 1, "cc_key": 0}
LARGEST_FILE = 64 << 20
LOG_WINDOW = 4 << 20
PROMPT = b"OpenSM $ "
SECRET = re.compile(r"^(\s*)(m_key|sm_key|sa_key|cc_key)\s+(\S+).*$", re.MULTILINE)


def without_keys(text: Any) -> Any:
    """The text of a configuration, every key replaced by whether it is the open default."""

    def word(found: Any) -> Any:
        try:
            is_default = int(found[3], 0) == OPEN_KEYS[found[2]]
        except ValueError:
            is_default = False
        return f"{found[1]}{found[2]} {'default' if is_default else 'set'}"

    return SECRET.sub(word, text)


def read(path: Any) -> Any:
    """(text, "") or (None, why): a file that isn't there is something else than one that can't be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - old Pythons
            return without_keys(file.read(LARGEST_FILE)), ""
    except FileNotFoundError:
        return None, "absent"
    except OSError as error:
        return None, str(error)


def console(port: Any, words: Any) -> Any:
    """What the console answers to each word; None where nobody listens."""
    answers = {}
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as link:
            link.settimeout(10)
            until_prompt(link)
            for word in words:
                link.sendall(word.encode() + b"\n")
                answers[word] = without_keys(until_prompt(link))
    except OSError:
        return None
    return answers


def until_prompt(link: Any) -> Any:
    """Everything up to the next prompt."""
    received = b""
    while not received.endswith(PROMPT) and len(received) < LARGEST_FILE:
        part = link.recv(65536)
        if not part:
            break
        received += part
    return received.replace(PROMPT, b"").decode("utf-8", "replace")


def log() -> Any:
    """Lines of level 0x01 and of the routing since the sweep before the last one, or None."""
    try:
        with open(LOG, "rb") as file:  # noqa: PTH123
            file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_WINDOW))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    ups = [index for index, line in enumerate(lines) if "SUBNET UP" in line]
    start = ups[-2] if len(ups) > 1 else 0
    marks = (" 0x01 -> ", "tables configured on all switches", "SUBNET UP")
    return [line for line in lines[start:] if any(mark in line for mark in marks)][-400:]


def console_port(options: Any) -> Any:
    """Where the console is, by the file."""
    found = re.findall(r"^\s*console_port\s+([0-9]{1,5})\s*$", options or "", re.MULTILINE)
    return int(found[-1]) if found else 10000


def version() -> Any:
    """Of the program that is installed; empty where there is none."""
    try:
        done = subprocess.run(["opensm", "--version"], capture_output=True, timeout=20, check=False)  # noqa: S607
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(rb"OpenSM ([0-9][0-9A-Za-z.]*)", done.stdout)
    return found[1].decode() if found else ""


def main() -> Any:
    """Prints the document."""
    files, unread = {}, {}
    for name, path in FILES.items():
        files[name], why = read(path)
        if why and why != "absent":
            unread[name] = why
    document = {
        "schema": 1,
        "hostname": socket.gethostname(),
        "version": version(),
        "files": files,
        "unread": unread,
        "owned_by_ufm": os.path.exists(UFM),  # noqa: PTH110
        "console": console(console_port(files["options"]), ("status", "dump_conf")),
        "log": log(),
    }
    json.dump(document, sys.stdout, indent=0, sort_keys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
