"""roce-qos: keep the RoCE settings of mlx5 NICs as /etc/roce-qos/PCI.conf says; write only what differs.

  roce-qos check [NIC...]              what differs
  roce-qos apply [--check] [NIC...]    put right what differs; --check: only say what would be written
  roce-qos undo NIC...                 back to the file and the settings before the last new file
  roce-qos show NIC                    the settings now, in the format of the file
  roce-qos drained                     may links go down now? The drain gate and the QP check
  roce-qos firmware check|apply [PCI...]   parameters of mlxconfig: they come into effect at the next boot
  roce-qos change VERB RUN             a change of several NICs that can be undone: see change.py

NIC: PCI address or interface; none: every file in /etc/roce-qos. --conf FILE: for one NIC, instead of its own.
--at-start: the interface has just appeared, so no job uses it; asks only for the queue pairs of that NIC.

A new PFC mask takes an mlx5 link down for a moment, and other keys may. They are written only when
/etc/roce-qos-drain-gate exits with 0 and no process holds a queue pair; otherwise nothing is written.

Exit status: 0 as wanted; 1 failed; 2 usage or file; 3 differs (check); 4 refused, nothing written.
Every write is logged: /var/lib/roce-qos/corrections.log and the journal.
"""

from __future__ import annotations

from roce_qos import VERSION, change, firmware, gate
from roce_qos.host import CONF, Failed, Host
from roce_qos.nic import PCI, Nic
from roce_qos.run import apply, check, snapshot, undo
from roce_qos.settings import find


def main(argv: list[str], host: Host) -> int:
    """The program. Says what went wrong and returns the exit status."""
    try:
        return _command(argv, host)
    except Failed as failure:
        host.say(f"roce-qos: {failure}", error=True)
        return failure.status
    except OSError as error:
        host.say(f"roce-qos: {error}", error=True)
        return 1


def _command(argv: list[str], host: Host) -> int:
    verb, options, names = _words(argv)
    if verb in ("", "help", "--help", "--version"):
        host.say(f"roce-qos {VERSION}" if verb == "--version" else __doc__ or "")
        return 0 if verb else 2
    if verb in OTHERS:
        return OTHERS[verb](names, host)
    if verb == "show" and len(names) == 1:
        host.say(snapshot(find(host, names[0]), may_open=False).rstrip())
        return 0
    if verb in ("check", "apply") and (len(names) == 1 or "--conf" not in options):
        pairs = _targets(host, names, options.get("--conf", ""))
        return check(host, pairs) if verb == "check" else apply(host, pairs, options)
    if verb == "undo" and names:
        return max(undo(host, name) for name in names)
    raise Failed(f"what is {' '.join(argv)!r}? See roce-qos help", 2)


def _drained(_names: list[str], host: Host) -> int:
    gate.require_drained(host)
    return 0


OTHERS = {"change": change.main, "firmware": firmware.main, "drained": _drained}


def _words(argv: list[str]) -> tuple[str, dict[str, str], list[str]]:
    options: dict[str, str] = {}
    rest = list(argv)
    names = []
    while rest:
        word = rest.pop(0)
        if word == "--conf" and rest:
            options[word] = rest.pop(0)
        elif word in ("--check", "--at-start"):
            options[word] = "yes"
        else:
            names.append(word)
    return (names[0] if names else ""), options, names[1:]


def _targets(host: Host, names: list[str], conf: str) -> list[tuple[Nic, str]]:
    """(NIC, path of its file) of every name; of every file in the folder where there are no names."""
    names = names or [file[:-5] for file in host.names(CONF) if file.endswith(".conf") and PCI.fullmatch(file[:-5])]
    nics = [find(host, name) for name in names]
    return [(nic, conf or f"{CONF}/{nic.pci}.conf") for nic in nics]
