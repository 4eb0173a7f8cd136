#!/usr/bin/env python3
"""Reads a live InfiniBand subnet and prints one JSON document. Only Gets; runs on an SM node by itself.

Standard library, libibmad.so.5, libibumad.so.3 and the modules beside it, so that it can be named by a forced command.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from ib_mad import Fabric, m_key_of_vault  # type: ignore[import-not-found]
from ib_pace import Pace  # type: ignore[import-not-found]
from ib_subnet import WHAT, Reader  # type: ignore[import-not-found]


def options(arguments: Any) -> Any:
    """The words of the command line."""
    parser = argparse.ArgumentParser(description="Read an InfiniBand subnet by Gets.")
    parser.add_argument("--what", default=",".join(WHAT), help="of " + ",".join(WHAT))
    parser.add_argument("--rate", type=int, default=20000, help="MADs per second at most; 0: no limit")
    parser.add_argument("--patience-s", type=float, default=10, help="how long to wait in all while the manager sweeps")
    parser.add_argument("--timeout-ms", type=int, default=200)
    parser.add_argument("--device", help="local HCA, e.g. mlx5_0")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--m-key-stdin", action="store_true", help="take the M_Key from standard input, not the node")
    found = parser.parse_args(arguments)
    found.what = set(found.what.split(","))
    if not found.what <= set(WHAT):
        parser.error("--what knows " + ",".join(WHAT))
    return found


def main(arguments: Any = None) -> Any:
    """Prints the document; exit status 1 and a sentence when nothing can be read."""
    asked = options(arguments)
    try:
        m_key = int(sys.stdin.readline().strip(), 0) if asked.m_key_stdin else m_key_of_vault()
        fabric = Fabric(asked.device, asked.port, asked.timeout_ms, m_key)
    except ValueError:
        sys.stderr.write("ib_reader: the M_Key is not a number\n")  # and isn't repeated here
        return 1
    except OSError as error:
        sys.stderr.write(f"ib_reader: {error}\n")
        return 1
    fabric.pace = Pace(asked.rate, fabric.activity, asked.patience_s)
    reader = Reader(fabric, asked.what)
    reader.measured("ports", reader.discover)
    reader.read_ports()
    reader.read_rest()
    origin = "none" if not m_key else "standard input" if asked.m_key_stdin else "the vault"
    json.dump(reader.document(origin), sys.stdout, separators=(",", ":"), sort_keys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
