"""/sys of an emulated host for programs in a sandbox: every read and write is the emulator's own."""

from __future__ import annotations

import errno
import re
import stat

from fabric_drift.lab.emulator import Store
from fabric_drift.lab.linux_host import files, writes
from fabric_drift.lab.linux_host.files import Tree, mlx5_of
from fabric_drift.lab.linux_host.nic import refuse

CLASS_OF = re.compile(r"/sys/devices/.+/(net|infiniband)/([^/]+)/(.+)")
RDMA_CM = "/sys/kernel/config/rdma_cm"


class Kernel:
    """See :class:`fabric_drift.lab.emulator.KernelFiles`."""

    def __init__(self, store: Store, *, root: bool) -> None:
        self._store, self._root = store, root
        self._now: Tree | None = None

    def changed(self) -> None:
        """What was read before may no longer be so."""
        self._now = None

    def _tree(self) -> Tree:
        if self._now is None:
            self._now = files.tree(self._store)
        return self._now

    def kind(self, path: str) -> int:
        """Raises OSError ENOENT."""
        now = self._tree()
        if path in now.links:
            return stat.S_IFLNK
        if path in now.files:
            return stat.S_IFREG
        if path in now.folders:
            return stat.S_IFDIR
        raise refuse(errno.ENOENT)

    def names(self, path: str) -> list[str]:
        """Raises OSError EACCES."""
        if not files.is_allowed(path, root=self._root):
            raise refuse(errno.EACCES)
        return self._tree().children(path)

    def target(self, path: str) -> str:
        """Raises OSError EINVAL."""
        if path not in self._tree().links:
            raise refuse(errno.EINVAL)
        return self._tree().links[path]

    def read(self, path: str) -> str:
        """Raises OSError ENOENT, EISDIR or EACCES."""
        return files.read(self._tree(), path, root=self._root)

    def write(self, path: str, text: str) -> None:
        """Raises OSError with the driver's answer."""
        found = CLASS_OF.fullmatch(path)
        writes.write(
            self._store, f"/sys/class/{found[1]}/{found[2]}/{found[3]}" if found else path, text, root=self._root
        )
        self.changed()

    def make(self, path: str) -> None:
        """A folder of rdma_cm's. Raises OSError."""
        self._folder(path, there=True)

    def unmake(self, path: str) -> None:
        """Raises OSError."""
        self._folder(path, there=False)

    def _folder(self, path: str, *, there: bool) -> None:
        parent, _, device = path.rpartition("/")
        if not self._root or parent != RDMA_CM:
            raise refuse(errno.EACCES if not self._root else errno.EPERM)
        nic = mlx5_of(self._store, device)
        if nic is None:
            raise refuse(errno.ENODEV)
        if nic["rdma_cm"]["folder"] == there:
            raise refuse(errno.EEXIST if there else errno.ENOENT)
        nic["rdma_cm"]["folder"] = there
        self.changed()
