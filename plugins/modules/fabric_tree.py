"""Files of a directory onto this host; the action plugin of the same name reads them on the controller."""

from __future__ import annotations

import os
import tempfile

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: fabric_tree
short_description: Copy a directory of text files to a host in one go
version_added: "0.1.0"
description:
  - Does what M(ansible.builtin.copy) does with a directory, but with one transfer instead of two per file.
  - Files and new directories belong to root. Files have mode 0755 where their owner may execute them on the controller,
    else 0644.
  - Files of the host that are not in the directory stay. Only what differs is written, each file as a whole or not at
    all; in check mode nothing is.
options:
  src:
    description: Directory on the controller.
    type: path
    required: true
  dest:
    description: Directory on the host.
    type: path
    required: true
author:
  - The fabric_drift authors (@fabric-drift)
"""

EXAMPLES = r"""
- name: Install the program
  fabric_drift.fabric.fabric_tree:
    src: /srv/roce-qos/usr
    dest: /usr
"""

RETURN = r"""
written:
  description: Files that differed.
  returned: success
  type: list
  elements: str
"""
ROOT = 0


def differs(path: str, mode: int, text: str) -> str | None:
    """The text there, where text, mode or owner differ; None where nothing does."""
    try:
        found = os.lstat(path)
        with open(path, encoding="utf-8", errors="replace", newline="") as file:  # noqa: PTH123 - Ansible's paths are texts
            now = file.read()
    except FileNotFoundError:
        return ""
    same = (found.st_mode & 0o7777, found.st_uid, found.st_gid, now) == (mode, ROOT, ROOT, text)
    return None if same and not os.path.islink(path) else now  # noqa: PTH114 - Ansible's paths are texts


def write(module: AnsibleModule, path: str, mode: int, text: str) -> None:
    """The whole new file, or still the old one."""
    folder = os.path.dirname(path)  # noqa: PTH120 - Ansible's paths are texts
    missing = []
    while not os.path.isdir(folder):  # noqa: PTH112 - Ansible's paths are texts
        missing.append(folder)
        folder = os.path.dirname(folder)  # noqa: PTH120 - Ansible's paths are texts
    for name in reversed(missing):
        os.mkdir(name)  # noqa: PTH102 - Ansible's paths are texts
        os.chmod(name, 0o755)  # noqa: PTH101, S103 - Ansible's paths are texts; a folder of programs
    handle, new = tempfile.mkstemp(dir=os.path.dirname(path))  # noqa: PTH120 - Ansible's paths are texts
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.chmod(new, mode)  # noqa: PTH101 - Ansible's paths are texts
    module.atomic_move(new, path)
    os.chown(path, ROOT, ROOT)
    os.chmod(path, mode)  # noqa: PTH101 - Ansible's paths are texts


def main() -> None:
    """Compares, and writes what differs."""
    module = AnsibleModule({"dest": {"type": "path"}, "files": {"type": "dict"}}, supports_check_mode=True)
    written, diff = [], []
    for name, (mode, text) in sorted(module.params["files"].items()):
        path = os.path.join(module.params["dest"], name)  # noqa: PTH118 - Ansible's paths are texts
        now = differs(path, int(mode, 8), text)
        if now is None:
            continue
        written.append(path)
        diff.append({"before_header": path, "after_header": path, "before": now, "after": text})
        if not module.check_mode:
            write(module, path, int(mode, 8), text)
    module.exit_json(changed=bool(written), written=written, diff=diff)


if __name__ == "__main__":
    main()
