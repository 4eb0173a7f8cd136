"""A file system of small text files over the kernel's FUSE protocol 7.31, without a library.

Source: include/uapi/linux/fuse.h. Nothing is cached by the kernel, so that a file always reads as it is now.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Callable

from fabric_drift.lab.emulator import KernelFiles

BUFFER_BYTES = 1024 * 1024 + 4096
ROOT_ID = 1
FILE_SIZE = 4096
MINOR = 31
MAX_WRITE = 65536
FOPEN_DIRECT_IO = 1
_IN = struct.Struct("<IIQQIIIHH")
_OUT = struct.Struct("<IiQ")
_ATTR = struct.Struct("<6Q10I")
_ENTRY = struct.Struct("<4Q2I")
_TWO = struct.Struct("<QII")
_RANGE = struct.Struct("<QQII")
FORGET, INTERRUPT, BATCH_FORGET = 2, 36, 42
UNANSWERED = (FORGET, INTERRUPT, BATCH_FORGET)


class FuseServer:
    """Answers the requests of one mount. ``root``: what it stands for; ``wrote``: called after a change."""

    def __init__(self, descriptor: int, root: str, files: KernelFiles, wrote: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self._wrote = wrote
        self._files = files
        self._paths = {ROOT_ID: root}
        self._ids = {root: ROOT_ID}
        self._open: dict[int, bytes] = {}
        self._handles = 0
        self._answers: dict[int, Callable[[str, bytes], bytes]] = {
            1: self._lookup,
            3: lambda path, _body: _TWO.pack(0, 0, 0) + self._attributes(path),
            4: lambda path, _body: _TWO.pack(0, 0, 0) + self._attributes(path),
            5: lambda path, _body: self._files.target(path).encode(),
            9: self._mkdir,
            11: self._rmdir,
            14: self._opened,
            15: self._read,
            16: self._write,
            17: lambda _path, _body: struct.pack("<5Q4I24x", 0, 0, 0, 0, 0, FILE_SIZE, 255, FILE_SIZE, 0),
            18: self._released,
            20: lambda _path, _body: b"",
            25: lambda _path, _body: b"",
            26: self._init,
            27: lambda _path, _body: _TWO.pack(0, 0, 0),
            28: self._readdir,
            29: lambda _path, _body: b"",
            30: lambda _path, _body: b"",
            34: lambda _path, _body: b"",
        }

    def serve(self) -> bool:
        """One request, if there is one; False when the mount is gone."""
        try:
            request = os.read(self.descriptor, BUFFER_BYTES)
        except OSError as error:
            return error.errno in {errno.EAGAIN, errno.EINTR, errno.ENOENT}  # ENOENT: taken back before we read it
        _, opcode, unique, node, *_ = _IN.unpack_from(request)
        if opcode in UNANSWERED:
            return True
        number, body = self._answer(opcode, node, request[_IN.size :])
        try:
            os.write(self.descriptor, _OUT.pack(_OUT.size + len(body), -number, unique) + body)
        except OSError as error:
            return error.errno == errno.ENOENT  # interrupted: nobody waits for the answer
        return True

    def _answer(self, opcode: int, node: int, body: bytes) -> tuple[int, bytes]:
        answer = self._answers.get(opcode)
        if answer is None:
            return errno.ENOSYS, b""
        try:
            return 0, answer(self._paths.get(node, ""), body)
        except OSError as error:
            return error.errno or errno.EIO, b""

    def _init(self, _path: str, body: bytes) -> bytes:
        _, _, readahead, _ = struct.unpack_from("<4I", body)
        return struct.pack("<4I2H2I2HI28x", 7, MINOR, readahead, 0, 12, 9, MAX_WRITE, 1, 0, 0, 0)

    def _id(self, path: str) -> int:
        if path not in self._ids:
            number = len(self._ids) + ROOT_ID
            self._ids[path], self._paths[number] = number, path
        return self._ids[path]

    def _attributes(self, path: str) -> bytes:
        kind = self._files.kind(path)
        mode = kind | {stat.S_IFDIR: 0o755, stat.S_IFLNK: 0o777}.get(kind, 0o644)
        size = {stat.S_IFDIR: 0, stat.S_IFLNK: 0}.get(kind, FILE_SIZE)
        links = 2 if kind == stat.S_IFDIR else 1
        return _ATTR.pack(self._id(path), size, 0, 0, 0, 0, 0, 0, 0, mode, links, 0, 0, 0, FILE_SIZE, 0)

    def _child(self, path: str, body: bytes) -> str:
        return f"{path}/{body.rstrip(bytes(1)).decode('utf-8', 'surrogateescape')}"

    def _entry(self, path: str) -> bytes:
        attributes = self._attributes(path)
        return _ENTRY.pack(self._id(path), 0, 0, 0, 0, 0) + attributes

    def _lookup(self, path: str, body: bytes) -> bytes:
        return self._entry(self._child(path, body))

    def _mkdir(self, path: str, body: bytes) -> bytes:
        child = self._child(path, body[8:])
        self._files.make(child)
        self._wrote()
        return self._entry(child)

    def _rmdir(self, path: str, body: bytes) -> bytes:
        self._files.unmake(self._child(path, body))
        self._wrote()
        return b""

    def _opened(self, path: str, _body: bytes) -> bytes:
        self._handles += 1
        self._open[self._handles] = self._files.read(path).encode()
        return _TWO.pack(self._handles, FOPEN_DIRECT_IO, 0)

    def _released(self, _path: str, body: bytes) -> bytes:
        self._open.pop(struct.unpack_from("<Q", body)[0], None)
        return b""

    def _read(self, _path: str, body: bytes) -> bytes:
        handle, offset, size, _ = _RANGE.unpack_from(body)
        return self._open.get(handle, b"")[offset : offset + size]

    def _write(self, path: str, body: bytes) -> bytes:
        handle, _, size, _ = _RANGE.unpack_from(body)
        self._files.write(path, body[40 : 40 + size].decode("utf-8", "replace"))
        self._wrote()
        self._open[handle] = self._files.read(path).encode()
        return struct.pack("<II", size, 0)

    def _readdir(self, path: str, body: bytes) -> bytes:
        _, offset, size, _ = _RANGE.unpack_from(body)
        entries, found = b"", sorted(self._files.names(path))
        for number, name in enumerate(found[offset:], start=offset + 1):
            raw = name.encode()
            kind = self._files.kind(f"{path}/{name}") >> 12
            entry = struct.pack("<QQII", self._id(f"{path}/{name}"), number, len(raw), kind) + raw
            entry += bytes(-len(entry) % 8)
            if len(entries) + len(entry) > size:
                break
            entries += entry
        return entries
