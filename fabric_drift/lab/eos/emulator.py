"""The emulated EOS: one string on an exec channel, one line of which may be a command or configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy

from fabric_drift.lab.emulator import Answer, LabDevice, Store
from fabric_drift.lab.eos import bench, loading, mutation
from fabric_drift.lab.eos.editor import Editor
from fabric_drift.lab.eos.show import JSON_COMMANDS
from fabric_drift.lab.eos.show_text import TEXT_COMMANDS
from fabric_drift.lab.eos.start import start

SAVE = frozenset({"write", "write memory", "copy running-config startup-config"})
QUIET = {
    "enable": "",
    "disable": "",
    "terminal length 0": "Pagination disabled.\n",
    "terminal width 511": "Width set to 511 columns.\n",
    "terminal width 512": "Width set to 512 columns.\n",
}
PASS_THROUGH = frozenset({"no-more"})


class Eos:
    """Arista EOS. See :class:`fabric_drift.lab.emulator.Emulator`."""

    name = "eos"

    def start(self, device: LabDevice) -> Store:
        """An unconfigured switch: routed ports with addresses, no QoS."""
        return start(device)

    def run(self, store: Store, command: str, *, user: str = "admin") -> Answer:
        """Every line of ``command`` in turn; a refused line doesn't stop the next.

        ``configure`` opens configuration mode until ``end``, which the end of the input implies.
        """
        del user
        editor: Editor | None = None
        output, failed = [], False
        for line in command.splitlines():
            if editor is not None and editor.open:
                text = editor.type(line)
                failed |= bool(text)
                output.append(f"{text}\n" if text else "")
                continue
            words = " ".join(line.split())
            if words in {"configure", "configure terminal"}:
                editor = Editor(store["running"], frozenset(store["ports"]))
                continue
            answer = _exec(store, words)
            failed |= answer.exit_status != 0
            output.append(answer.stdout)
        return Answer("".join(output), exit_status=int(failed))

    def load(self, store: Store, files: Mapping[str, str]) -> None:
        """Takes ``eos.cfg``: what the project owns of its sections is replaced, then saved.

        Raises ValueError with the device's words where it refuses a line; then nothing is changed.
        """
        loading.load(store, files)

    def mutations(self, store: Store) -> Mapping[str, tuple[str, ...]]:
        """Changes by hand. A name is the path of the fact that changes, or says what kind of trouble it is."""
        return mutation.mutations(store)


def _exec(store: Store, words: str) -> Answer:
    """One command in exec mode."""
    if not words or words.startswith("!"):
        return Answer()
    if words in QUIET:
        return Answer(QUIET[words])
    if words in SAVE:
        store["startup"] = deepcopy(store["running"])
        return Answer("Copy completed successfully.\n")
    return bench.run(store, words) if words.startswith("lab ") else _show(store, words)


def _show(store: Store, words: str) -> Answer:
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


EMULATOR = Eos()
