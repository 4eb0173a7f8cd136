"""Parameters of mlxconfig, from /etc/roce-qos-firmware/PCI.conf. Nothing changes before the next boot."""

from __future__ import annotations

import re

from roce_qos.host import Failed, Host
from roce_qos.nic import PCI

FOLDER = "/etc/roce-qos-firmware"
LINE = re.compile(r"([A-Z][A-Za-z0-9_]{0,63}(?:\[\d{1,3}\])?)=(\d{1,10})")
DIFFERS = 3


def main(words: list[str], host: Host) -> int:
    """``check`` or ``apply``, of the files named or of all. Raises Failed."""
    verb, *names = words or [""]
    if verb not in ("check", "apply") or not all(PCI.fullmatch(name) for name in names):
        raise Failed("firmware check|apply [PCI...]", 2)
    host.lock()
    differ = [_one(host, name, verb) for name in names or [file[:-5] for file in host.names(FOLDER)]]
    return DIFFERS if verb == "check" and any(differ) else 0


def _one(host: Host, pci: str, verb: str) -> bool:
    if not PCI.fullmatch(pci):
        raise Failed(f"{FOLDER}/{pci}.conf: not the name of a NIC", 2)
    wanted = _parse(host.read(f"{FOLDER}/{pci}.conf") or "", pci)
    now = next_boot(host, pci, sorted(wanted))
    differ = {name: value for name, value in wanted.items() if now[name] != value}
    for name, value in sorted(differ.items()):
        host.say(f"{pci} {name}: {now[name]} -> {value} at the next boot")
    if differ and verb == "apply":
        _mlxconfig(host, pci, "-y", "set", *(f"{name}={value}" for name, value in sorted(differ.items())))
        again = next_boot(host, pci, sorted(differ))
        left = [f"{pci} {name}: is {again[name]}, not {differ[name]}" for name in differ if again[name] != differ[name]]
        if left:
            raise Failed("\n".join(left))
        for name, value in sorted(differ.items()):
            host.log(f"{pci} {name} at the next boot: {now[name]} -> {value}")
    return bool(differ)


def _parse(text: str, pci: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line in text.splitlines():
        match = LINE.fullmatch(line.strip())
        if match and match[1] not in values:
            values[match[1]] = match[2]
        elif line.strip() and not line.startswith("#"):
            raise Failed(f"{FOLDER}/{pci}.conf: not NAME=NUMBER, or a second one: {line[:80]}", 2)
    return values


def next_boot(host: Host, pci: str, names: list[str]) -> dict[str, str]:
    """What the firmware will have. Raises Failed where the table isn't understood."""
    if not names:
        return {}
    text = _mlxconfig(host, pci, "-e", "q", *names)
    if not re.search(r"^Configurations:.*\sNext Boot\s*$", text, re.MULTILINE):
        raise Failed(f"{pci}: mlxconfig shows no column Next Boot")
    found = {}
    for name in names:
        match = re.search(rf"^[* \tRO]*{re.escape(name)}\s+\S+\s+\S+\s+(?:\S*\((\d+)\)|(\d+))\s*$", text, re.MULTILINE)
        if match is None:
            raise Failed(f"{pci}: mlxconfig shows no number for {name}")
        found[name] = match[1] or match[2]
    return found


def _mlxconfig(host: Host, pci: str, *words: str) -> str:
    status, out, err = host.run(["mlxconfig", "-d", pci, *words], timeout=120)
    if status:
        raise Failed(f"`mlxconfig -d {pci} {' '.join(words)}` ended with {status}: {(err or out).strip()[-200:]}")
    return out
