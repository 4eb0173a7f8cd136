#!/usr/bin/python3 -IS
"""Stands for every program whose answer is the emulator's, and for ``sudo``, which is the daemon's.

Stands alone: installed in each sandbox under the names of those programs.
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

MAX_BYTES = 4 * 1024 * 1024
SUDO_WITH_WORD = ("-u", "-g", "-p", "-h", "-C", "-r", "-t")


def behind_sudo(words: list[str]) -> list[str]:
    """The command, without the options of sudo and without assignments."""
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "--":
            break
        if word in SUDO_WITH_WORD and words:
            words.pop(0)
    return words


def main() -> int:
    """Exit status of the program."""
    name, words = Path(sys.argv[0]).name, sys.argv[1:]
    as_root = name == "sudo"
    argv = behind_sudo(list(words)) if as_root else [name, *words]
    if not argv:
        return 0
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as daemon:
        daemon.connect("/run/lab.sock")
        order = json.dumps({"sudo" if as_root else "call": argv}).encode()
        socket.send_fds(daemon, [order], [0, 1, 2] if as_root else [])
        answer = json.loads(daemon.recv(MAX_BYTES) or b'{"stderr": "lab: the lab went away\\n", "exit_status": 70}')
    sys.stdout.write(answer.get("stdout", ""))
    sys.stdout.flush()
    sys.stderr.write(answer.get("stderr", ""))
    return int(answer["exit_status"])


if __name__ == "__main__":
    sys.exit(main())
