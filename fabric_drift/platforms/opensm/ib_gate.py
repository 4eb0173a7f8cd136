#!/usr/bin/env python3
"""The forced command of the account that only reads an SM node: runs one of two programs, refuses everything else.

Named by ``command=`` in the account's authorized_keys, so that a stolen key opens no shell. sudo's own rules are the
second lock: they permit the same two programs and no argument.
"""

from __future__ import annotations

import os
import sys
from typing import Any

FOLDER = "/usr/local/libexec/fabric_drift"
ALLOWED = {
    f"sudo -n python3 {FOLDER}/{program}": ("sudo", "-n", "python3", f"{FOLDER}/{program}")
    for program in ("ib_status.py", "ib_reader.py")
}
REFUSED = 126


def main(environment: Any) -> Any:
    """Becomes the program that was asked for. Exit status 126: not one of the two."""
    wanted = environment.get("SSH_ORIGINAL_COMMAND", "")
    if wanted not in ALLOWED:
        sys.stderr.write("ib_gate: this account may run nothing but:\n" + "".join(f"  {line}\n" for line in ALLOWED))
        return REFUSED
    words = ALLOWED[wanted]
    return os.execvp(words[0], words)  # noqa: S606 - fixed words, no shell


if __name__ == "__main__":
    sys.exit(main(os.environ))
