"""One mlx5 NIC: its settings now, and how each is written. Both in the words of the file.

Sources: Linux drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c, drivers/infiniband/hw/mlx5/cong.c (cc_params);
iproute2 dcb(8); MLNX_OFED's sysfs ``ecn/`` and ``tc/1/traffic_class``.
"""

# ruff: noqa: D102 - read_X gives the keys of group X (settings.GROUPS), write_X sets those of them that differ

from __future__ import annotations

import json
import re
from typing import Any

from roce_qos.conf import ECN, ENABLE, closed, flags, listed, shared, shares, spread
from roce_qos.host import Failed, Host

PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,62}")
FEC = {"RS": "rs", "BaseR": "fc", "Off": "none"}
SET_FEC = {"rs": "rs", "fc": "baser", "none": "off", "auto": "auto"}
MIXED_UP = "Protocol error"
"""Where a second begins between two requests of one dcb, it takes an answer for another one, at times with
status 0 (iproute2 6.1 on Linux: 4 of 750 commands). Each of our commands says the whole, so it can be given again.
"""
TRIES = 4
MODES = {"RoCE v2": "v2", "IB/RoCE v1": "v1"}
CC_PARAMS = {
    "roce_np/cnp_dscp": "np_cnp_dscp",
    "roce_np/cnp_802p_prio": "np_cnp_prio",
    "roce_np/min_time_between_cnps": "np_min_time_between_cnps",
    "roce_rp/clamp_tgt_rate_after_time_inc": "rp_clamp_tgt_rate_ati",
}


class Nic:
    """A port and its settings. ``read`` and ``write`` raise Failed for what the machine refuses."""

    def __init__(self, host: Host, pci: str, netdev: str, rdma: str) -> None:
        self.host, self.pci, self.netdev, self.rdma = host, pci, netdev, rdma
        self.name = pci or netdev
        self.may_open = False
        """Whether the configfs folder may be made to look into it."""
        self.failures: dict[str, str] = {}
        """Group of keys -> why its last write failed, or ""."""
        self._entries: dict[int, int] = {}

    # What is asked of the machine.

    def _run(self, *argv: str) -> str:
        for _ in range(TRIES):
            status, out, err = self.host.run(list(argv))
            if MIXED_UP not in err:
                break
        if status or MIXED_UP in err:
            raise Failed(f"`{' '.join(argv)}` ended with {status}: {(err or out).strip()[:200]}")
        return out

    def _dcb(self, kind: str) -> dict[str, Any]:
        """``dcb -j``; what isn't JSON of the right shape fails where it is used."""
        found = json.loads(self._run("dcb", "-j", kind, "show", "dev", self.netdev) or "{}")
        if not isinstance(found, dict):
            raise Failed(f"dcb {kind} show: not an object")
        return found

    def _text(self, path: str) -> str:
        text = self.host.read(path)
        if text is None:
            raise Failed(f"{path}: no such file (it needs MLNX_OFED, or the driver isn't ready)")
        return text.strip()

    def _put(self, path: str, value: str) -> None:
        try:
            self.host.write(path, value)
        except OSError as error:
            raise Failed(f"{path}: writing {value}: {error.strerror}") from error

    # Groups of keys that are read together. Each has a reader and a writer.

    def read_link(self) -> dict[str, str]:
        link = json.loads(self._run("ip", "-j", "link", "show", "dev", self.netdev))[0]
        return {"admin_up": "yes" if "UP" in link["flags"] else "no", "mtu_bytes": str(link["mtu"])}

    def write_link(self, want: dict[str, str], keys: set[str]) -> None:
        if "mtu_bytes" in keys:
            self._run("ip", "link", "set", "dev", self.netdev, "mtu", want["mtu_bytes"])
        if "admin_up" in keys:
            self._run("ip", "link", "set", "dev", self.netdev, "up" if want["admin_up"] == "yes" else "down")

    def read_fec(self) -> dict[str, str]:
        match = re.search(
            r"^Active FEC encoding: (\w+)\s*$", self._run("ethtool", "--show-fec", self.netdev), re.MULTILINE
        )
        if match is None or match[1] not in FEC:
            raise Failed("fec: no encoding is in use that is known (is the link down?)")
        return {"fec": FEC[match[1]]}

    def write_fec(self, want: dict[str, str], _keys: set[str]) -> None:
        self._run("ethtool", "--set-fec", self.netdev, "encoding", SET_FEC[want["fec"]])

    def read_pause(self) -> dict[str, str]:
        found = dict(re.findall(r"^(RX|TX):\s+(on|off)\s*$", self._run("ethtool", "-a", self.netdev), re.MULTILINE))
        return {"global_pause": "on" if "on" in (found["RX"], found["TX"]) else "off"}

    def write_pause(self, want: dict[str, str], _keys: set[str]) -> None:
        self._run("ethtool", "-A", self.netdev, "rx", want["global_pause"], "tx", want["global_pause"])

    def read_dcbx(self) -> dict[str, str]:
        return {"dcbx": "off" if self._dcb("dcbx").get("host") else "firmware"}

    def write_dcbx(self, want: dict[str, str], _keys: set[str]) -> None:
        if want["dcbx"] == "off":
            self._run("dcb", "dcbx", "set", "dev", self.netdev, "host", "ieee")
        else:  # dcb can't say "no flag at all", which is what hands DCBX to the firmware
            self._run("mlnx_qos", "-i", self.netdev, "-d", "fw")

    def read_buffer(self) -> dict[str, str]:
        found = self._dcb("buffer")
        names = {"priority_to_buffer": "prio_buffer", "receive_buffers_bytes": "buffer_size"}
        return {key: closed(_eight(found[name])) for key, name in names.items()}

    def write_buffer(self, want: dict[str, str], keys: set[str]) -> None:
        words: list[str] = []
        for key, word in (("priority_to_buffer", "prio-buffer"), ("receive_buffers_bytes", "buffer-size")):
            if key in keys:
                words += [word, *_indexed(spread(want[key], 8))]
        self._run("dcb", "buffer", "set", "dev", self.netdev, *words)

    def read_app(self) -> dict[str, str]:
        self._entries = {int(row[0]): int(row[1]) for row in self._dcb("app").get("dscp_prio", [])}
        if not self._entries:
            return {"trust": "pcp"}
        return {"trust": "dscp", "dscp_to_priority": closed(self._entries.get(dscp, 0) for dscp in range(64))}

    def write_app(self, want: dict[str, str], _keys: set[str]) -> None:
        """The first DSCP entry makes the port trust DSCP, the last one's removal PCP."""
        if want["trust"] == "pcp":
            self._run("dcb", "app", "flush", "dev", self.netdev, "dscp-prio")
            return
        wanted = enumerate(spread(want["dscp_to_priority"], 64))
        words = [f"{dscp}:{priority}" for dscp, priority in wanted if self._entries.get(dscp) != priority]
        self._run("dcb", "app", "replace", "dev", self.netdev, "dscp-prio", *words)

    def read_ets(self) -> dict[str, str]:
        found = self._dcb("ets")
        pairs = zip(found["tc_tsa"], _eight(found["tc_bw"]))  # noqa: B905 - Python 3.8
        percents = [(kind, share if kind == "ets" else 0) for kind, share in pairs]
        return {"priority_to_tc": closed(_eight(found["prio_tc"])), "scheduling": shared(percents)}

    def write_ets(self, want: dict[str, str], keys: set[str]) -> None:
        words: list[str] = []
        if "priority_to_tc" in keys:
            words += ["prio-tc", *_indexed(spread(want["priority_to_tc"], 8))]
        if "scheduling" in keys:
            found = shares(want["scheduling"])
            words += ["tc-tsa", *_indexed(kind for kind, _ in found), "tc-bw", *_indexed(share for _, share in found)]
        self._run("dcb", "ets", "set", "dev", self.netdev, *words)

    def read_pfc(self) -> dict[str, str]:
        found = self._dcb("pfc")
        return {
            "pfc_priorities": listed(bool(on) for on in _eight(found["prio_pfc"])),
            "cable_length_m": str(found["delay"]),
        }

    def write_pfc(self, want: dict[str, str], keys: set[str]) -> None:
        if "cable_length_m" in keys:
            self._run("dcb", "pfc", "set", "dev", self.netdev, "delay", want["cable_length_m"])
        if "pfc_priorities" in keys:
            words = _indexed("on" if on else "off" for on in flags(want["pfc_priorities"]))
            self._run("dcb", "pfc", "set", "dev", self.netdev, "prio-pfc", *words)

    def _rdma_device(self) -> str:
        if not self.rdma:
            raise Failed("the NIC has no RDMA device")
        return self.rdma

    def read_traffic_class(self) -> dict[str, str]:
        text = self.host.read(f"/sys/class/infiniband/{self._rdma_device()}/tc/1/traffic_class") or ""
        match = re.fullmatch(r"Global tclass=(\d{1,3})", text.strip())
        if text.strip() and match is None:
            raise Failed(f"traffic_class: {text.strip()[:60]!r} isn't understood")
        return {"traffic_class": match[1] if match else "none"}

    def write_traffic_class(self, want: dict[str, str], _keys: set[str]) -> None:
        value = "-1" if want["traffic_class"] == "none" else want["traffic_class"]  # read back: -1 isn't documented
        self._put(f"/sys/class/infiniband/{self._rdma_device()}/tc/1/traffic_class", value)

    def read_rdma_cm(self) -> dict[str, str]:
        """Closed unless somebody keeps the folder; the kernel keeps the values when it goes."""
        folder = f"/sys/kernel/config/rdma_cm/{self._rdma_device()}"
        kept = self.rdma in self.host.names("/sys/kernel/config/rdma_cm")
        if not kept and not self.may_open:
            return {"rdma_cm_folder": "closed"}
        if not kept:
            self.host.make(folder)
        mode = self._text(f"{folder}/ports/1/default_roce_mode")
        tos = self._text(f"{folder}/ports/1/default_roce_tos")
        if not kept:
            self.host.unmake(folder)
        return {"roce_mode": MODES[mode], "rdma_cm_tos": tos, "rdma_cm_folder": "kept" if kept else "closed"}

    def write_rdma_cm(self, want: dict[str, str], keys: set[str]) -> None:
        folder = f"/sys/kernel/config/rdma_cm/{self._rdma_device()}"
        if self.rdma not in self.host.names("/sys/kernel/config/rdma_cm"):
            self.host.make(folder)
        if "roce_mode" in keys:
            words = {short: long for long, short in MODES.items()}
            self._put(f"{folder}/ports/1/default_roce_mode", words[want["roce_mode"]])
        if "rdma_cm_tos" in keys:
            self._put(f"{folder}/ports/1/default_roce_tos", want["rdma_cm_tos"])
        if want["rdma_cm_folder"] == "closed":
            self.host.unmake(folder)

    def _ecn(self, name: str) -> str:
        """Path of a DCQCN parameter: MLNX_OFED's, else the inbox driver's, which has no enable/N."""
        folder = f"/sys/class/net/{self.netdev}/ecn"
        if self.host.names(folder):
            return f"{folder}/{name}"
        plain = name.replace("roce_rp/rpg_", "rp_").replace("roce_rp/", "rp_")
        return f"/sys/kernel/debug/mlx5/{self.pci}/cc_params/{CC_PARAMS.get(name, plain)}"

    def read_ecn(self) -> dict[str, str]:
        masks = {}
        if self.host.names(f"/sys/class/net/{self.netdev}/ecn"):
            for key, side in ENABLE.items():
                masks[key] = listed(self._text(self._ecn(f"{side}/enable/{number}")) == "1" for number in range(8))
        values = {key: self.host.read(self._ecn(name)) for key, name in ECN.items()}
        return {**masks, **{key: text.strip() for key, text in values.items() if text is not None}}

    def write_ecn(self, want: dict[str, str], keys: set[str]) -> None:
        for key in sorted(keys):
            if key in ECN:
                self._put(self._ecn(ECN[key]), want[key])
                continue
            for number, on in enumerate(flags(want[key])):
                path = self._ecn(f"{ENABLE[key]}/enable/{number}")
                if self._text(path) != str(int(on)):
                    self._put(path, str(int(on)))


def _eight(values: Any) -> list[int]:
    if not isinstance(values, list) or len(values) != 8 or not all(isinstance(value, int) for value in values):  # noqa: PLR2004
        raise ValueError("not eight numbers")
    return values


def _indexed(values: Any) -> list[str]:
    return [f"{index}:{value}" for index, value in enumerate(values)]
