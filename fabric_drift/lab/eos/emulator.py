"""The emulated EOS: one string on an exec channel, one line of which may be a command or configuration."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.lab.emulator import Answer, LabDevice, Store
from fabric_drift.lab.eos import loading, mutation
from fabric_drift.lab.eos.start import start
from fabric_drift.lab.eos.terminal import Terminal


class Eos:
    """Arista EOS. See :class:`fabric_drift.lab.emulator.Emulator`."""

    name = "eos"

    def start(self, device: LabDevice) -> Store:
        """An unconfigured switch: routed ports with addresses, no QoS."""
        return start(device)

    def run(self, store: Store, command: str, *, user: str = "admin") -> Answer:
        """Every line of ``command`` in turn, as typed in one terminal; a refused line doesn't stop the next."""
        terminal = Terminal(store, user)
        answers = [terminal.type(line) for line in command.splitlines()]
        output = "".join(answer.stdout for answer in answers)
        return Answer(output, exit_status=int(any(answer.exit_status for answer in answers)))

    def terminal(self, store: Store, user: str) -> Terminal:
        """A terminal that keeps its mode between lines; it isn't privileged until ``enable``."""
        return Terminal(store, user, privileged=False)

    def load(self, store: Store, files: Mapping[str, str]) -> None:
        """Takes ``eos.cfg``: what the project owns of its sections is replaced, then saved.

        Raises ValueError with the device's words where it refuses a line; then nothing is changed.
        """
        loading.load(store, files)

    def mutations(self, store: Store) -> Mapping[str, tuple[str, ...]]:
        """Changes by hand. A name is the path of the fact that changes, or says what kind of trouble it is."""
        return mutation.mutations(store)


EMULATOR = Eos()
