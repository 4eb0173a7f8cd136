"""Reachability, as the site's Ansible inventory says it: through Ansible's own plugins, vault and templar."""

from __future__ import annotations

from collections.abc import Sequence

from fabric_drift.inventory.agreement import agree
from fabric_drift.inventory.host import Host, InventoryError, Secret, host_from_variables

__all__ = ["Host", "InventoryError", "Secret", "agree", "host_from_variables", "read"]


def read(
    sources: Sequence[str] = (), *, vault_password_files: Sequence[str] = (), ask_vault_password: bool = False
) -> dict[str, Host]:
    """All hosts of the inventory (``sources`` as for ansible -i; none: as ansible.cfg says), by name.

    Raises InventoryError when a source can't be read, a secret can't be opened or a value makes no sense.
    """
    from fabric_drift.inventory import ansible_sources  # noqa: PLC0415  Ansible takes half a second to import

    return {
        name: host_from_variables(name, variables)
        for name, variables in ansible_sources.hosts(sources, vault_password_files, ask_vault_password)
    }
