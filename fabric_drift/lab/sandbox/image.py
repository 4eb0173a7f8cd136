"""What every sandbox of a lab shares: a small /etc, and the stand-ins of programs, laid over the machine's own /usr."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

SHIM = Path(__file__).with_name("shim.py")
SHIM_PATH = "libexec/lab/shim"
ETC = {
    "passwd": "root:x:0:0:root:/root:/bin/bash\nadmin:x:1000:1000:admin:/home/admin:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": "root:x:0:\nadmin:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
MACHINE = ("ld.so.cache", "alternatives")
"""What programs of the machine's /usr need of its /etc."""


def make_image(folder: Path, programs: Iterable[str]) -> None:
    """Below ``folder``: ``etc`` and ``usr``. Made once per daemon; nothing in it belongs to a device."""
    etc, usr = folder / "etc", folder / "usr"
    etc.mkdir(parents=True, exist_ok=True)
    for name, text in ETC.items():
        (etc / name).write_text(text, encoding="utf-8")
    for name in MACHINE:
        _copy(Path("/etc") / name, etc / name)
    shim = usr / SHIM_PATH
    shim.parent.mkdir(parents=True, exist_ok=True)
    shim.write_text(SHIM.read_text(encoding="utf-8"), encoding="utf-8")
    for name in ("bin", "sbin"):
        (usr / name).mkdir(exist_ok=True)
        for program in programs:
            link = usr / name / program
            if not link.is_symlink():
                link.symlink_to(f"/usr/{SHIM_PATH}")
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path == shim else 0o644)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore_dangling_symlinks=True)
    elif source.exists():
        shutil.copyfile(source, target)
