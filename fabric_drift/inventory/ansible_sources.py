"""The only file that asks Ansible for an inventory: InventoryManager, VariableManager, vault and templar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.cli import CLI
from ansible.errors import AnsibleError
from ansible.inventory.manager import InventoryManager
from ansible.parsing import vault
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from ansible.vars.manager import VariableManager

from fabric_drift.inventory.host import VARIABLES, InventoryError


def hosts(
    sources: Sequence[str], vault_password_files: Sequence[str], ask_vault_password: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, templated connection variables) of every host. Raises InventoryError."""
    wanted = [str(source) for source in (sources or constants.DEFAULT_HOST_LIST)]
    missing = [source for source in wanted if "," not in source and not Path(source).exists()]
    if missing:
        raise InventoryError(f"{', '.join(missing)} doesn't exist", remedy="Check -i", code="FD-INV-001")
    try:
        loader, inventory = _load(wanted, vault_password_files, ask_vault_password)
        manager = VariableManager(loader=loader, inventory=inventory)
        found = sorted(inventory.get_hosts("all"), key=lambda host: str(host.name))
    except AnsibleError as error:
        raise _translated(error, ", ".join(wanted)) from error
    for host in found:
        yield str(host.name), _variables(loader, manager, host)


def _load(
    wanted: list[str], vault_password_files: Sequence[str], ask_vault_password: bool
) -> tuple[DataLoader, InventoryManager]:
    loader = DataLoader()
    loader.set_basedir(str(Path.cwd()))
    loader.set_vault_secrets(_vault_secrets(loader, vault_password_files, ask_vault_password))
    with _every_source_counts():
        return loader, InventoryManager(loader=loader, sources=wanted)


def _vault_secrets(loader: DataLoader, files: Sequence[str], ask: bool) -> Any:
    """The vault secrets; Ansible >= 2.19 also keeps them in a context that it makes once per process."""
    context = getattr(vault, "VaultSecretsContext", None)
    current = context.current(optional=True) if context else None
    secrets = CLI.setup_vault_secrets(
        loader,
        vault_ids=list(constants.DEFAULT_VAULT_IDENTITY_LIST or []),
        vault_password_files=list(files),
        ask_vault_pass=ask,
        auto_prompt=False,
        **({"initialize_context": False} if current else {}),
    )
    if current:
        current.secrets = secrets
    return secrets


@contextmanager
def _every_source_counts() -> Iterator[None]:
    """Ansible only warns about a source that no plugin understands; here a fabric would silently thin."""
    before = constants.INVENTORY_ANY_UNPARSED_IS_FAILED
    constants.INVENTORY_ANY_UNPARSED_IS_FAILED = True
    try:
        yield
    finally:
        constants.INVENTORY_ANY_UNPARSED_IS_FAILED = before


def _variables(loader: DataLoader, manager: VariableManager, host: Any) -> dict[str, Any]:
    """Only the connection's variables are templated: another one may need facts that nobody gathered."""
    try:
        every = manager.get_vars(host=host, include_hostvars=False)
        templar = Templar(loader=loader, variables=every)
        return {name: templar.template(every[name]) for name in VARIABLES if name in every}
    except AnsibleError as error:
        raise _translated(error, str(host.name)) from error


def _translated(error: AnsibleError, where: str) -> InventoryError:
    problem = " ".join(str(error).split())
    if "vault" in problem.lower() or "decrypt" in problem.lower():
        return InventoryError(
            f"a vaulted value can't be opened: {problem}",
            where=where,
            remedy="Give --vault-password-file, --ask-vault-password or ANSIBLE_VAULT_PASSWORD_FILE",
            code="FD-INV-004",
        )
    return InventoryError(problem, where=where, remedy="Look at it with ansible-inventory --list", code="FD-INV-001")
