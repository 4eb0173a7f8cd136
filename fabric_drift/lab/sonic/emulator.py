"""The emulated SONiC switch behind the lab's contract."""

from __future__ import annotations

from collections.abc import Mapping

from fabric_drift.lab.emulator import Answer, LabDevice, Store
from fabric_drift.lab.sonic import boot, mutations, shell
from fabric_drift.lab.sonic.answers import RefusedError
from fabric_drift.lab.sonic.cfggen import tables_of

RENDERED_FILE = "config_db.json"


class SonicEmulator:
    """Community SONiC 202411, 202505 and 202511, single ASIC."""

    name = "sonic"

    def start(self, device: LabDevice) -> Store:
        """A switch with the stock AZURE configuration of its SKU."""
        return boot.new_store(device)

    def run(self, store: Store, command: str, *, user: str = "admin") -> Answer:  # noqa: ARG002 - every user has sudo
        """One command of an exec channel."""
        return shell.run(store, command)

    def reads_input(self, command: str) -> bool:
        """Whether the command reads standard input: ``tee``."""
        return shell.reads_input(command)

    def run_with_input(self, store: Store, command: str, stdin: str, *, user: str = "admin") -> Answer:  # noqa: ARG002
        """One command that reads standard input."""
        return shell.run(store, command, stdin)

    def load(self, store: Store, files: Mapping[str, str]) -> None:
        """Tables of ``config_db.json`` replace those of the switch, as after ``config reload`` and ``config save``.

        Raises ValueError for any other file, and for JSON that is no configuration.
        """
        for name, text in files.items():
            if name != RENDERED_FILE:
                raise ValueError(f"{name}: a SONiC switch boots with {RENDERED_FILE} only")
            try:
                tables = tables_of(text)
            except RefusedError as error:
                raise ValueError(f"{name}: {error}") from error
            boot.load_tables(store, tables)

    def mutations(self, store: Store) -> Mapping[str, tuple[str, ...]]:
        """Changes by hand, for every owned fact the switch has now."""
        return mutations.mutations(store)
