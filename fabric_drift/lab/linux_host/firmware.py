"""``mlxconfig`` (next boot) and ``mlxreg`` (registers). Layout: public dumps of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host.defaults import ENUMS
from fabric_drift.lab.linux_host.nic import Nic

STAR = "The '*' shows parameters with next value different from default/current value."
COLUMNS = {"default": "Default", "current": "Current", "next": "Next Boot"}
VALUE = re.compile(r"0x[0-9a-fA-F]{1,8}|\d{1,10}", re.ASCII)


def _option(args: Sequence[str], name: str) -> str:
    pairs = pairwise(args)
    return next((value for option, value in pairs if option == name), "")


def _device(store: Store, args: Sequence[str]) -> Nic | None:
    nic: Nic | None = store["nics"].get(_option(args, "-d"))
    return nic if nic and "firmware_parameters" in nic else None


def mlxconfig(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``mlxconfig -d PCI [-e] q [NAMES]``, ``mlxconfig -d PCI -y set NAME=VALUE...``."""
    nic = _device(store, args)
    device = _option(args, "-d")
    if not root:
        return Answer("-E- You must be root to use this tool\n", exit_status=3)
    if nic is None:
        return Answer(f"-E- Failed to open device: {device}. No such file or directory\n", exit_status=3)
    words = [arg for arg in args if not arg.startswith("-") and arg != device]
    match words:
        case ["q" | "query", *names]:
            return _query(nic, names, every_column="-e" in args)
        case ["set" | "s", *pairs] if pairs and "-y" in args:
            return _set(nic, pairs)
        case _:
            return Answer("-E- Missing or unknown command\n", exit_status=3)


def _head(nic: Nic) -> list[str]:
    rows = {"Device type": nic["device_type"], "Name": nic["part"], "Device": nic["pci"]}
    return ["", "Device #1:", "----------", "", *(f"{f'{name}:':<20}{value:<20}" for name, value in rows.items()), ""]


def _query(nic: Nic, names: Sequence[str], *, every_column: bool) -> Answer:
    parameters = nic["firmware_parameters"]
    unknown = [name for name in names if name not in parameters]
    if unknown:
        return Answer(f"-E- The Device doesn't support {unknown[0]} parameter\n", exit_status=3)
    columns = list(COLUMNS) if every_column else ["next"]
    titles = "".join(f"{COLUMNS[column]:<20}" for column in columns)
    rows = [_row(name, parameters[name], columns) for name in names or parameters]
    starred = [STAR] if every_column and any(row.startswith("*") for row in rows) else []
    return Answer("\n".join([*_head(nic), f"{'Configurations:':<52}{titles}", *rows, *starred]) + "\n")


def _row(name: str, values: Mapping[str, str], columns: Sequence[str]) -> str:
    differs = len(columns) > 1 and (values["next"] != values["current"] or values["next"] != values["default"])
    mark = "*" if differs else " "
    return f"{mark:<8}{name:<44}" + "".join(f"{values[column]:<20}" for column in columns)


def shown(name: str, old: str, number: int) -> str:
    """``number`` as mlxconfig shows it for this parameter. Raises ValueError where it has no such value."""
    if name in ENUMS:
        if number not in ENUMS[name]:
            raise ValueError(f"-E- Failed to set {name}: value {number} is out of range")
        return ENUMS[name][number]
    if old.startswith(("True(", "False(")):
        if number not in {0, 1}:
            raise ValueError(f"-E- Failed to set {name}: value {number} is out of range")
        return "True(1)" if number else "False(0)"
    if "(" in old or "[" in old:
        raise ValueError(f"-E- Failed to set {name}: only whole entries can be set")
    return str(number)


def parsed(nic: Nic, pairs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(name, value as shown) of ``NAME=NUMBER`` words. Raises ValueError in mlxconfig's words."""
    for pair in pairs:
        name, _, text = pair.partition("=")
        values = nic["firmware_parameters"].get(name)
        if values is None:
            raise ValueError(f"-E- The Device doesn't support {name} parameter")
        if not VALUE.fullmatch(text):
            raise ValueError(f"-E- Bad format: {pair}")
        yield name, shown(name, values["default"], int(text, 0))


def _set(nic: Nic, pairs: Sequence[str]) -> Answer:
    try:
        wanted = list(parsed(nic, pairs))
    except ValueError as error:
        return Answer(f"{error}\n", exit_status=3)
    rows = []
    for name, value in wanted:
        rows.append(f"{'':<8}{name:<44}{nic['firmware_parameters'][name]['next']:<20}{value:<20}")
        nic["firmware_parameters"][name]["next"] = value
    head = [*_head(nic), f"{'Configurations:':<52}{'Next Boot':<20}{'New':<20}", *rows, ""]
    tail = [
        " Apply new Configuration? (y/n) [n] : y",
        "Applying... Done!",
        "-I- Please reboot machine to load new configurations.",
    ]
    return Answer("\n".join(head + tail) + "\n")


def mlxreg(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``mlxreg -d PCI [-y] --get --reg_name=R [--indexes=...]`` and ``--set "FIELD=VALUE"``."""
    nic = _device(store, args)
    named = dict(arg.lstrip("-").split("=", 1) for arg in args if arg.startswith("--") and "=" in arg)
    register = named.get("reg_name") or _option(args, "--reg_name")
    if not root:
        return Answer("-E- You must be root to use this tool\n", exit_status=1)
    if nic is None:
        return Answer(stderr=f"-E- Failed to open device: {_option(args, '-d')}\n", exit_status=1)
    fields = nic["registers"].get(register)
    if fields is None:
        return Answer(stderr=f"-E- Can't find reg name: {register}\n", exit_status=1)
    if "--set" in args:
        name, _, value = _option(args, "--set").partition("=")
        if name not in fields or not VALUE.fullmatch(value):
            return Answer(stderr=f"-E- Can't find field: {name}\n", exit_status=1)
        fields[name] = int(value, 0)
        return Answer("Sending access register...\n")
    rows = "".join(f"{name:<50} | 0x{value:08x}\n" for name, value in fields.items())
    line = "=" * 66
    return Answer(f"Sending access register...\n\n{'Field Name':<50} | Data\n{line}\n{rows}{line}\n")
