"""A device of the lab at work: its emulator, its store, its users' rights and its logs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from weakref import WeakSet

from fabric_drift.lab import troubles
from fabric_drift.lab.clock import NOW, take_due
from fabric_drift.lab.directory import PRIVATE_DIRECTORY, LabDirectory
from fabric_drift.lab.emulator import (
    Answer,
    Emulator,
    HasTerminal,
    KernelFiles,
    LabDevice,
    ReadsInput,
    RunsPrograms,
    Store,
    Terminal,
)
from fabric_drift.lab.restricted import USER, AllowList, only_reads, read_allow_list, refusal
from fabric_drift.lab.sandbox import SandboxHost, unavailable
from fabric_drift.lab.store import DeviceStore
from fabric_drift.lab.troubles import Consequence

GATE_SECONDS = 60.0


class RunningDevice:
    """One emulated device. Every command goes to ``commands.log``; refused ones to ``refused.log`` too."""

    def __init__(self, directory: LabDirectory, device: LabDevice, emulator: Emulator) -> None:
        self.device = device
        self._emulator = emulator
        self._folder = directory.device(device.name)
        self._store = DeviceStore(self._folder / "store.json", device, emulator)
        self._allow_file = directory.allow_file(device.emulator)
        self._now_s = 0.0
        self._consequences: list[Consequence] = []
        self.changed: Callable[[], None] = lambda: None
        """Called after every command that may have changed the device."""
        self._allow: tuple[int, AllowList] | None = None
        self._folder.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        self._views: WeakSet[KernelFiles] = WeakSet()
        self.sandbox = (
            SandboxHost(device.name, self._folder, directory.image, self, emulator.programs)
            if isinstance(emulator, RunsPrograms)
            else None
        )

    @property
    def commands_log(self) -> Path:
        """One JSON object per command, in the order of arrival: user, command, exit_status."""
        return self._folder / "commands.log"

    @property
    def refused_log(self) -> Path:
        """The commands that the restricted account was refused, in the same form."""
        return self._folder / "refused.log"

    def needs_sandbox(self, user: str, command: str) -> bool:
        """Whether the command is more than the emulator's own shell can run. The restricted account never gets more."""
        return user != USER and isinstance(self._emulator, RunsPrograms) and not self._emulator.knows(command.strip())

    def call(self, user: str, argv: list[str]) -> Answer:
        """A program of the emulator's, called in a sandbox. A change is on disk before the answer is given."""
        if not isinstance(self._emulator, RunsPrograms):
            raise TypeError(f"{self.device.name} runs no programs")
        self._store.value[NOW] = self._device_time_s()
        answer = self._emulator.call(self._store.value, argv, user=user)
        self.settle()
        return answer

    def kernel_files(self, user: str) -> KernelFiles:
        """The emulated /sys, up to date as long as somebody holds it."""
        if not isinstance(self._emulator, RunsPrograms):
            raise TypeError(f"{self.device.name} runs no programs")
        view = self._emulator.kernel_files(self._store.value, user=user)
        self._views.add(view)
        return view

    async def run_with_gate(self, user: str, command: str, stdin: str = "") -> Answer:
        """``run``, after a program of the host whose answer the command uses."""
        emulator, store = self._emulator, self._store.value
        first = emulator.asks_first(store, command.strip()) if isinstance(emulator, RunsPrograms) else ""
        if not first or not isinstance(emulator, RunsPrograms) or not self.sandbox or user == USER or unavailable():
            return self.run(user, command, stdin)
        emulator.tell(store, await self.sandbox.run("root", first, GATE_SECONDS))
        try:
            return self.run(user, command, stdin)
        finally:
            emulator.tell(store, None)

    def log_command(self, user: str, command: str, exit_status: int) -> None:
        """A command that ran in a sandbox."""
        self._log(self.commands_log, user, command, exit_status)

    def settle(self) -> None:
        """After a change: on disk, seen in sandboxes, told to who connects devices."""
        self._store.save()
        for view in self._views:
            view.changed()
        if self.sandbox:
            self.sandbox.refresh()
        self.changed()

    def reads_input(self, command: str) -> bool:
        """Whether the command waits for the end of its standard input."""
        return isinstance(self._emulator, ReadsInput) and self._emulator.reads_input(command.strip())

    @property
    def store(self) -> Store:
        """What the device remembers, for who connects devices."""
        return self._store.value

    @property
    def is_used(self) -> bool:
        """Whether anybody has used it yet; one that nobody has has no troubles either."""
        return self._store.exists

    def keep(self) -> None:
        """Writes down what somebody else changed in the store."""
        self._store.save()
        for view in self._views:
            view.changed()

    def tick(self, now_s: float) -> list[str]:
        """Sets the device's clock and runs the timers that are due; says which units they were."""
        self._now_s = now_s
        if not self.is_used:
            return []
        fired = []
        store = self._store.value
        store[NOW] = self._device_time_s()
        for timer in () if troubles.arguments(store, "no-timers") else take_due(store):
            answer = self._emulator.run(store, timer["command"], user="root")
            self._log(self.commands_log, f"timer:{timer['unit']}", timer["command"], answer.exit_status)
            fired.append(timer["unit"])
        if fired:
            self.settle()
        return fired

    def run(self, user: str, command: str, stdin: str = "") -> Answer:
        """One command of a logged-in user.

        A change is on disk before the answer is given. Raises ValueError for a damaged list of allowed commands.
        """
        command = command.strip()
        if user == USER and not self._may_read(command):
            answer = refusal(self.device.emulator, command)
            self._log(self.refused_log, user, command, answer.exit_status)
        else:
            answer = self._in_trouble(command, lambda: self._execute(user, command, stdin))
            self._perhaps_changed(command)
        self._log(self.commands_log, user, command, answer.exit_status)
        return answer

    def terminal(self, user: str) -> Terminal | None:
        """A terminal of the device, where its shell has modes."""
        return self._emulator.terminal(self._store.value, user) if isinstance(self._emulator, HasTerminal) else None

    def type(self, terminal: Terminal, user: str, line: str) -> Answer:
        """One line in a terminal, with the same rights and logs as ``run``."""
        line = line.strip()
        if user == USER and not self._may_read(line):
            answer = refusal(self.device.emulator, line)
            self._log(self.refused_log, user, line, answer.exit_status)
        else:
            answer = self._in_trouble(line, lambda: terminal.type(line))
            self._perhaps_changed(line)
        self._log(self.commands_log, user, line, answer.exit_status)
        return answer

    def _perhaps_changed(self, command: str) -> None:
        if self._consequences or not only_reads(self.device.emulator, command):
            self.settle()

    def trouble(self, text: str) -> tuple[str, ...]:
        """From now on the device has this trouble too, or none; says which it has. Raises UnknownTroubleError."""
        if text == "none":
            troubles.end_all(self.store)
        else:
            troubles.add(self.store, text)
        self.keep()
        self.tick(self._now_s)
        self.changed()
        return troubles.told(self.store)

    def take_consequences(self) -> list[Consequence]:
        """What other devices have to do because of what this one did."""
        taken, self._consequences = self._consequences, []
        return taken

    def _device_time_s(self) -> float:
        return self._now_s + troubles.clock_ahead_s(self.store)

    def _in_trouble(self, command: str, execute: Callable[[], Answer]) -> Answer:
        store = self._store.value
        store[NOW] = self._device_time_s()
        answer = troubles.REFUSAL if troubles.refuses(store, command) else execute()
        self._consequences += troubles.consequences(store, command)
        return troubles.mistold(store, command, answer)

    def _execute(self, user: str, command: str, stdin: str) -> Answer:
        store = self._store.value
        if isinstance(self._emulator, ReadsInput) and self._emulator.reads_input(command):
            return self._emulator.run_with_input(store, command, stdin, user=user)
        return self._emulator.run(store, command, user=user)

    def refuse(self, user: str, command: str, answer: Answer) -> Answer:
        """Logs a command that was answered before it reached the device, and gives the answer back."""
        self._log(self.refused_log, user, command, answer.exit_status)
        self._log(self.commands_log, user, command, answer.exit_status)
        return answer

    def mutations(self) -> Mapping[str, tuple[str, ...]]:
        """The changes by hand that the emulator knows, with their native commands."""
        return self._emulator.mutations(self._store.value)

    def load(self, files: Mapping[str, str]) -> None:
        """Boots with rendered files. Raises ValueError with the device's words; nothing is kept then."""
        before = json.dumps(self._store.value)
        try:
            self._emulator.load(self._store.value, files)
        except ValueError:
            self._store.value.clear()
            self._store.value.update(json.loads(before))
            raise
        self._store.save()

    def _may_read(self, command: str) -> bool:
        allow = self._allow_list()
        return allow.allows(command) if allow else only_reads(self.device.emulator, command)

    def _allow_list(self) -> AllowList | None:
        try:
            changed = self._allow_file.stat().st_mtime_ns
        except FileNotFoundError:
            return None
        if self._allow is None or self._allow[0] != changed:
            self._allow = (changed, read_allow_list(self._allow_file))
        return self._allow[1]

    @staticmethod
    def _log(file: Path, user: str, command: str, exit_status: int) -> None:
        line = json.dumps({"user": user, "command": command, "exit_status": exit_status})
        with file.open("a", encoding="utf-8") as log:
            log.write(line + "\n")
