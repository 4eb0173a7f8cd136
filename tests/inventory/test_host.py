"""Ansible's connection variables to one host; nothing is guessed, nothing secret is shown."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from fabric_drift.inventory import Host, InventoryError, Secret, agree, host_from_variables
from tests.workflow.toy import ToyDevice


def host(**variables: Any) -> Host:
    return host_from_variables("leaf1", variables)


def test_without_variables_the_name_is_the_address() -> None:
    assert host() == Host("leaf1", "leaf1", 22)


def test_the_usual_variables_are_understood() -> None:
    found = host(
        ansible_host="10.0.0.1", ansible_port="2222", ansible_user="drift", ansible_network_os="arista.eos.eos",
        ansible_ssh_private_key_file="/keys/id", fabric_drift_known_hosts=["/a", "/b"],
    )  # fmt: skip
    assert (found.address, found.port, found.user) == ("10.0.0.1", 2222, "drift")
    assert (found.platform, found.key_files, found.known_hosts) == ("eos", ("/keys/id",), ("/a", "/b"))


def test_https_has_variables_of_its_own() -> None:
    host = host_from_variables(
        "ufm1",
        {
            "fabric_drift_ca_file": "~/ca.pem",
            "fabric_drift_tls_name": "ufm1.example.com",
            "fabric_drift_token": "hunter2",
        },
    )
    assert host.ca_file.endswith("/ca.pem")
    assert "~" not in host.ca_file
    assert host.tls_name == "ufm1.example.com"
    assert host.token is not None
    assert host.token.reveal() == "hunter2"
    assert "hunter2" not in repr(host)


def test_ssh_arguments_give_known_hosts_and_jump_host() -> None:
    found = host(
        ansible_ssh_common_args="-o UserKnownHostsFile='/lab dir' -o ControlMaster=auto -J ops@bastion:2222",
        ansible_ssh_extra_args="-oIdentityFile=/key",
    )
    assert (found.jump, found.key_files, found.warnings) == ("ops@bastion:2222", ("/key",), ())


def test_paths_of_known_hosts_may_hold_blanks() -> None:
    assert host(fabric_drift_known_hosts="/my lab/known_hosts").known_hosts == ("/my lab/known_hosts",)
    quoted = """-o UserKnownHostsFile='"/my lab/known_hosts" /b'"""
    assert host(ansible_ssh_common_args=quoted).known_hosts == ("/my lab/known_hosts", "/b")
    with pytest.raises(InventoryError, match="can't be split"):
        host(ansible_ssh_common_args="""-o UserKnownHostsFile='"/my lab'""")


@pytest.mark.parametrize("value", ["no", "off", "accept-new"])
def test_switching_host_keys_off_is_ignored_and_told(value: str) -> None:
    found = host(ansible_ssh_common_args=f"-o StrictHostKeyChecking={value}")
    assert found.warnings == (f"leaf1: StrictHostKeyChecking={value} is ignored: host keys are verified",)


def test_an_ssh_option_that_is_not_understood_is_told() -> None:
    assert "isn't understood" in host(ansible_ssh_common_args="-o ProxyCommand=nc").warnings[0]


@pytest.mark.parametrize("port", ["0", "65536", "ssh", "-1", "22.5"])
def test_a_port_that_is_none_is_an_error(port: str) -> None:
    with pytest.raises(InventoryError, match=r"leaf1: ansible_port: '.*' is not a port"):
        host(ansible_port=port)


def test_arguments_that_can_not_be_split_are_an_error() -> None:
    with pytest.raises(InventoryError, match="can't be split"):
        host(ansible_ssh_common_args="-o 'x")


def test_a_password_never_prints_and_is_never_stored() -> None:
    found = host(ansible_password="hunter2")
    assert found.password is not None
    assert found.password.reveal() == "hunter2"
    for text in (repr(found), str(found), f"{found.password}", repr(vars) + str([found.password])):
        assert "hunter2" not in text
    with pytest.raises(TypeError, match="isn't stored"):
        pickle.dumps(Secret("x"))


LEAF = ToyDevice("leaf1", platform="eos")


def test_a_device_that_the_inventory_lacks_is_named() -> None:
    with pytest.raises(InventoryError, match="the intent has leaf1, leaf2, the inventory has not"):
        agree({}, [LEAF, ToyDevice("leaf2")])


@pytest.mark.parametrize("lifecycle", ["planned", "spare"])
def test_a_planned_or_spare_device_may_be_missing(lifecycle: str) -> None:
    assert agree({}, [ToyDevice("leaf1", lifecycle=lifecycle)]) == ()


@pytest.mark.parametrize("lifecycle", ["drained", "maintenance", "active"])
def test_any_other_device_may_not(lifecycle: str) -> None:
    with pytest.raises(InventoryError, match="FD-INV-002"):
        agree({}, [ToyDevice("leaf1", lifecycle=lifecycle)])


def test_a_host_that_the_intent_does_not_know_is_told() -> None:
    told = agree({"leaf1": host(), "ntp": Host("ntp", "ntp")}, [LEAF])
    assert told == ("the inventory has ntp, the intent has not: not checked",)


def test_two_opinions_about_the_platform_are_an_error() -> None:
    with pytest.raises(InventoryError, match="leaf1 is sonic in the inventory and eos in the intent"):
        agree({"leaf1": host(fabric_drift_platform="sonic")}, [LEAF])
