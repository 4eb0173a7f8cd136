"""``ethtool``: driver, global pause and FEC; counters are in ``traffic``."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence

from fabric_drift.lab.emulator import Answer, Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host import traffic
from fabric_drift.lab.linux_host.nic import Nic

FEC = {"rs": "RS", "baser": "BaseR", "off": "Off", "auto": "RS"}
NOT_SUPPORTED = 71


def run(store: Store, args: Sequence[str], root: bool) -> Answer:
    """``ethtool -i|-a|-S|--show-fec X``, ``-A X rx off tx off``, ``--set-fec X encoding rs``."""
    match list(args):
        case [option, netdev] if option in SHOWS:
            return _show(store, option, netdev)
        case ["-A" | "--pause", netdev, *words] if len(words) % 2 == 0:
            return _set(
                store, netdev, root, lambda nic: _set_pause(nic, dict(zip(words[::2], words[1::2], strict=True)))
            )
        case ["--set-fec", netdev, "encoding", word] if word in FEC:
            return _set(store, netdev, root, lambda nic: nic.update(fec=FEC[word]))
        case _:
            text = "ethtool: bad command line argument(s)\nFor more information run ethtool -h\n"
            return Answer(stderr=text, exit_status=1)


def _show(store: Store, option: str, netdev: str) -> Answer:
    try:
        nic = mlx5.by_netdev(store, netdev)
    except OSError as error:
        if option == "-i":
            text = f"Cannot get driver information: {error.strerror}\n"
            return Answer(stderr=text, exit_status=NOT_SUPPORTED)
        return Answer(stderr=f"netlink error: {error.strerror}\n", exit_status=1)
    return Answer(SHOWS[option](store, nic))


def _driver(store: Store, nic: Nic) -> str:
    version = f"{store['ofed']}-1.1.4" if store["ofed"] and "dcb" in nic else store["kernel"]
    firmware = f"{nic['firmware']} ({nic['psid']})" if nic["psid"] else nic["firmware"]
    rows = {
        "driver": nic["driver"],
        "version": version,
        "firmware-version": firmware,
        "expansion-rom-version": "",
        "bus-info": nic["pci"],
        "supports-statistics": "yes",
        "supports-test": "yes",
        "supports-eeprom-access": "no",
        "supports-register-dump": "no",
        "supports-priv-flags": "yes",
    }
    return "".join(f"{name}: {value}\n" for name, value in rows.items())


def _pause(_store: Store, nic: Nic) -> str:
    rx, tx = ("on" if nic["pause"][side] else "off" for side in ("rx", "tx"))
    return f"Pause parameters for {nic['netdev']}:\nAutonegotiate:\toff\nRX:\t\t{rx}\nTX:\t\t{tx}\n\n"


def _fec(_store: Store, nic: Nic) -> str:
    head = f"FEC parameters for {nic['netdev']}:\nSupported/Configured FEC encodings: Auto Off RS BaseR\n"
    return f"{head}Active FEC encoding: {nic['fec'] if mlx5.is_up(nic) else 'None'}\n"


SHOWS: Mapping[str, Callable[[Store, Nic], str]] = {
    "-i": _driver,
    "-a": _pause,
    "--show-pause": _pause,
    "-S": traffic.statistics,
    "--statistics": traffic.statistics,
    "--show-fec": _fec,
}


def _set(store: Store, netdev: str, root: bool, change: Callable[[Nic], None]) -> Answer:
    try:
        nic = mlx5.by_netdev(store, netdev)
        if not root:
            raise mlx5.refuse(errno.EPERM)
        change(nic)
    except OSError as error:
        return Answer(stderr=f"netlink error: {error.strerror}\n", exit_status=1)
    return Answer()


def _set_pause(nic: Nic, words: Mapping[str, str]) -> None:
    if set(words) - {"autoneg", "rx", "tx"} or set(words.values()) - {"on", "off"} or words.get("autoneg") == "on":
        raise mlx5.refuse(errno.EINVAL)
    nic["pause"] |= {side: words[side] == "on" for side in ("rx", "tx") if side in words}
