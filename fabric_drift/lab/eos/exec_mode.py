"""Show commands, with a pipe behind them or not, and how unknown ones are refused."""

from __future__ import annotations

import json

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.eos.show import JSON_COMMANDS
from fabric_drift.lab.eos.show_text import TEXT_COMMANDS

PASS_THROUGH = frozenset({"no-more"})


def show(store: Store, words: str) -> Answer:
    """A show command, perhaps with a pipe behind it."""
    command, *pipes = (part.strip() for part in words.split("|"))
    pipes = [pipe for pipe in pipes if pipe not in PASS_THROUGH]
    if command == "show lldp neighbors" and "lldp run" in store["running"]["lines"]:
        return Answer("% LLDP is not enabled\n", exit_status=1)
    if pipes == ["json"] and command in JSON_COMMANDS:
        return Answer(json.dumps(JSON_COMMANDS[command](store), indent=4) + "\n")
    if not pipes and command in TEXT_COMMANDS:
        return Answer(TEXT_COMMANDS[command](store))
    return Answer(_refusal(command), exit_status=1)


def _refusal(command: str) -> str:
    """Where a command that doesn't exist leaves the words that the device knows."""
    tokens = command.split()
    known = [name.split() for name in {**TEXT_COMMANDS, **JSON_COMMANDS}]
    depth = 0
    while depth < len(tokens) and any(name[: depth + 1] == tokens[: depth + 1] for name in known):
        depth += 1
    if depth == len(tokens):
        return "% Incomplete command\n"
    return f"% Invalid input (at token {depth}: '{tokens[depth]}')\n"
