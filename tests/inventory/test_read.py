"""Inventories are read by Ansible itself: groups, templates, vault, plugins."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fabric_drift.inventory import InventoryError, read

HOSTS = """
all:
  vars: {domain: example.com}
  children:
    leaves:
      hosts:
        leaf[1:2]:
      vars:
        ansible_host: "{{ inventory_hostname }}.{{ domain }}"
        ansible_port: "{{ base_port + 1 }}"
        unrelated: "{{ a_fact_that_nobody_gathered }}"
"""


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars" / "all.yml").write_text("base_port: 22200\n")
    (tmp_path / "hosts.yml").write_text(HOSTS)
    return tmp_path / "hosts.yml"


def vaulted(inventory: Path) -> Path:
    """A vaulted password in group_vars; returns the file with the vault's password."""
    password = inventory.parent / ".vault"
    password.write_text("open sesame\n")
    tool = str(Path(sys.executable).parent / "ansible-vault")
    command = [tool, "encrypt_string", "--vault-password-file", str(password), "hunter2", "--name", "ansible_password"]
    secret = subprocess.run(command, capture_output=True, check=True)
    (inventory.parent / "group_vars" / "leaves.yml").write_bytes(secret.stdout)
    return password


def test_ranges_groups_and_templates_are_resolved(inventory: Path) -> None:
    hosts = read([str(inventory)])
    assert sorted(hosts) == ["leaf1", "leaf2"]
    assert (hosts["leaf2"].address, hosts["leaf2"].port) == ("leaf2.example.com", 22201)


def test_a_vaulted_password_is_opened(inventory: Path) -> None:
    password = vaulted(inventory)
    secret = read([str(inventory)], vault_password_files=[str(password)])["leaf1"].password
    assert secret is not None
    assert secret.reveal() == "hunter2"


def test_a_missing_vault_password_is_an_error_that_says_what_to_give(inventory: Path) -> None:
    vaulted(inventory)
    with pytest.raises(
        InventoryError, match=r"leaf1: a vaulted value can't be opened.*--vault-password-file.*FD-INV-004"
    ):
        read([str(inventory)])


def test_a_wrong_vault_password_is_an_error(inventory: Path) -> None:
    vaulted(inventory).write_text("open barley\n")
    with pytest.raises(InventoryError, match="FD-INV-004"):
        read([str(inventory)], vault_password_files=[str(inventory.parent / ".vault")])


def test_a_template_of_an_unknown_variable_is_an_error(inventory: Path) -> None:
    inventory.write_text(HOSTS.replace("base_port", "no_such_port"))
    with pytest.raises(InventoryError, match=r"leaf1: .*no_such_port"):
        read([str(inventory)])


def test_a_source_that_nobody_understands_is_an_error_not_an_empty_fabric(inventory: Path) -> None:
    inventory.write_text("all: [unclosed\n")
    with pytest.raises(InventoryError, match="FD-INV-001"):
        read([str(inventory)])


def test_a_source_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InventoryError, match=r"nowhere doesn't exist. Check -i"):
        read([str(tmp_path / "nowhere")])


def test_an_inventory_script_is_run_by_ansible(tmp_path: Path) -> None:
    script = tmp_path / "hosts.sh"
    script.write_text('#!/bin/sh\necho \'{"_meta": {"hostvars": {"leaf7": {"ansible_host": "10.0.0.7"}}}, ')
    script.write_text(script.read_text() + '"all": {"hosts": ["leaf7"]}}\'\n')
    script.chmod(0o700)
    assert read([str(script)])["leaf7"].address == "10.0.0.7"
