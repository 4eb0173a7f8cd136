"""The emulated file system: what is where, what is a link, and what only root may read."""

from __future__ import annotations

import errno
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import nic as mlx5
from fabric_drift.lab.linux_host import sysfs
from fabric_drift.lab.linux_host.nic import Nic, refuse

ROOT_ONLY = ("/sys/kernel/debug", "/etc/NetworkManager/system-connections")
FOLDERS = (
    "/etc",
    "/sys/class/net",
    "/sys/class/infiniband",
    "/sys/kernel/config/rdma_cm",
    "/sys/kernel/debug",
    "/proc",
)
DRIVER = "/sys/bus/pci/drivers/mlx5_core"
MAX_LINKS = 40


@dataclass(slots=True)
class Tree:
    """All files and links at one moment."""

    files: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    def add(self, path: str, text: str) -> None:
        """A file, and the folders on the way to it."""
        self.files[path] = text
        self.add_folder(posixpath.dirname(path))

    def link(self, path: str, target: str) -> None:
        """A symbolic link."""
        self.links[path] = target
        self.add_folder(posixpath.dirname(path))

    def add_folder(self, path: str) -> None:
        """A folder and those above it."""
        while path not in self.folders:
            self.folders.add(path)
            path = posixpath.dirname(path)

    def children(self, path: str) -> list[str]:
        """Names in a folder, sorted."""
        prefix = path.rstrip("/") + "/"
        known = (*self.files, *self.links, *self.folders)
        return sorted({name[len(prefix) :].split("/")[0] for name in known if name.startswith(prefix) and name != "/"})

    def resolve(self, path: str) -> str:
        """``path`` with every link on the way followed; the kernel's folders below /sys/devices stay names only."""
        for _ in range(MAX_LINKS):
            parts = posixpath.normpath(path).split("/")
            prefixes = ["/".join(parts[:count]) for count in range(2, len(parts) + 1)]
            found = next((prefix for prefix in prefixes if prefix in self.links), None)
            if found is None:
                return posixpath.normpath(path)
            target = posixpath.normpath(posixpath.join(posixpath.dirname(found), self.links[found]))
            path = target + path[len(found) :]
        raise refuse(errno.ELOOP)


def device_folder(nic: Nic) -> str:
    """Where the PCI device of a NIC is, below a root port of its own."""
    domain, bus, _ = nic["pci"].split(":")
    root = int(bus, 16) - 1
    return f"/sys/devices/pci{domain}:{root:02x}/{domain}:{root:02x}:01.0/{nic['pci']}"


def tree(store: Store) -> Tree:
    """The file system of the host now."""
    now = Tree()
    for folder in FOLDERS:
        now.add_folder(folder)
    for path, text in _identity(store):
        now.add(path, text)
    for nic in store["nics"].values():
        _add_nic(now, nic, ofed=bool(store["ofed"]))
    for name in ("bind", "new_id", "remove_id", "uevent", "unbind"):
        now.add(f"{DRIVER}/{name}", "")
    now.link(f"{DRIVER}/module", "../../../../module/mlx5_core")
    now.link("/sys/class/net/lo", "../../devices/virtual/net/lo")
    for path, text in store["files"].items():
        now.add(path, text)
    for path in store.get("folders", ()):
        now.add_folder(path)
    return now


def _identity(store: Store) -> Iterator[tuple[str, str]]:
    yield "/proc/sys/kernel/hostname", f"{store['hostname']}\n"
    yield "/proc/sys/kernel/osrelease", f"{store['kernel']}\n"
    yield "/etc/hostname", f"{store['hostname']}\n"
    yield "/sys/class/dmi/id/product_name", f"{store['hardware']}\n"
    if store["ofed"]:
        yield "/sys/module/mlx5_core/version", f"{store['ofed']}-1.1.4\n"


def _add_nic(now: Tree, nic: Nic, *, ofed: bool) -> None:
    folder = device_folder(nic)
    netdev = f"/sys/class/net/{nic['netdev']}"
    now.link(netdev, f"../../devices{folder.removeprefix('/sys/devices')}/net/{nic['netdev']}")
    real = f"{folder}/net/{nic['netdev']}"
    now.link(f"{real}/device", f"../../../{nic['pci']}")
    for name, text in sysfs.net(nic, ofed=ofed):
        now.add(f"{real}/{name}", text)
    now.link(f"/sys/bus/pci/devices/{nic['pci']}", f"../../../devices{folder.removeprefix('/sys/devices')}")
    if nic["driver"] != "mlx5_core":
        return
    now.link(f"{DRIVER}/{nic['pci']}", f"../../../../devices{folder.removeprefix('/sys/devices')}")
    for name, text in sysfs.cc_params(nic):
        now.add(f"/sys/kernel/debug/mlx5/{nic['pci']}/cc_params/{name}", text)
    if nic["rdma"]:
        _add_rdma(now, nic, folder, ofed=ofed)


def _add_rdma(now: Tree, nic: Nic, folder: str, *, ofed: bool) -> None:
    device = nic["rdma"]
    target = f"../../devices{folder.removeprefix('/sys/devices')}/infiniband/{device}"
    now.link(f"/sys/class/infiniband/{device}", target)
    for name, text in sysfs.infiniband(nic, ofed=ofed):
        now.add(f"{folder}/infiniband/{device}/{name}", text)
    for name, text in sysfs.rdma_cm(nic):
        now.add(f"/sys/kernel/config/rdma_cm/{device}/{name}", text)


def is_allowed(path: str, *, root: bool) -> bool:
    """Whether a path may be read."""
    return root or not path.startswith(ROOT_ONLY)


def read(now: Tree, path: str, *, root: bool) -> str:
    """The text of a file. Raises OSError ENOENT, EISDIR or EACCES."""
    real = now.resolve(path)
    if not is_allowed(real, root=root):
        raise refuse(errno.EACCES)
    if real in now.files:
        return now.files[real]
    raise refuse(errno.EISDIR if real in now.folders else errno.ENOENT)


def mlx5_of(store: Store, device: str) -> Nic | None:
    """The NIC of an RDMA device, if there is one."""
    return next((nic for nic in mlx5.mlx5(store) if nic["rdma"] == device), None)
