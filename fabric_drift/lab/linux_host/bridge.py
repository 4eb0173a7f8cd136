"""Child process of ``program``: runs the installed program with the emulated host for its machine.

``python -I -S bridge.py LIBRARY ARGUMENT...``; calls go out and answers come in as JSON lines.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any


class Remote:
    """A machine whose every method is a call to the emulator."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args, **named: self._call(name, args, named)

    def _call(self, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        sys.stdout.write(json.dumps([name, args, named]) + "\n")
        sys.stdout.flush()
        reply = json.loads(sys.stdin.readline())
        if "errno" in reply:
            raise OSError(reply["errno"], os.strerror(reply["errno"]), reply["path"])
        result = reply["result"]
        return tuple(result) if name == "run" else result


def main() -> int:
    """Exit status of the program."""
    sys.path.insert(0, sys.argv[1])
    program = importlib.import_module("roce_qos.cli").main
    return int(program(sys.argv[2:], Remote()))


if __name__ == "__main__":
    sys.exit(main())
