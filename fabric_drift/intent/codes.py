"""Every code of an intent error, once: what it means and what to do. The docs section is made from this table."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """One kind of fault. ``remedy`` is said where the place that found the fault knows no better one."""

    title: str
    remedy: str


CODES: dict[str, Code] = {
    "FD-INT-000": Code("several errors, reported together", "Correct each of them"),
    "FD-INT-001": Code("the file is not readable YAML in UTF-8", "Correct the YAML at this line"),
    "FD-INT-002": Code("a key is written twice in one mapping", "Keep one of the two"),
    "FD-INT-003": Code("an unknown key", "Remove it or correct its spelling"),
    "FD-INT-004": Code("a required key is missing", "Add it"),
    "FD-INT-005": Code("a value of the wrong kind", "Write the kind of value that the message names"),
    "FD-INT-006": Code("a quantity without a unit, or with an unknown one", "Write the unit, for example 150 KB"),
    "FD-INT-007": Code("a value out of range", "Use a value inside the range"),
    "FD-INT-008": Code("a line break or control character in a name or value", "Write it on one line, without escapes"),
    "FD-INT-009": Code("a word that is not one of the allowed ones", "Use one of the words that the message lists"),
    "FD-INT-010": Code("a malformed name", "Use letters, digits, dots, dashes and underscores"),
    "FD-INT-011": Code(
        "a malformed or too large range", "Write ranges as gpu[1-8], Ethernet[0-120/8] or leaf[1,3,5-7]"
    ),
    "FD-INT-012": Code("a malformed row or header of a cable plan", "Correct the row"),
    "FD-INT-013": Code("a feature of YAML that the intent does not use", "Write plain mappings, lists and values"),
    "FD-INT-014": Code("the same thing is said in two files", "Keep it in one of the files"),
    "FD-INT-015": Code("there is no intent here", "Point at the directory that holds fabric.yml"),
    "FD-INT-020": Code("a name that is declared nowhere", "Declare it or correct its spelling"),
    "FD-INT-021": Code("a device that is declared nowhere", "Declare it under devices or correct its name"),
    "FD-INT-022": Code(
        "a port that the device does not have or does not manage", "Correct its name or give it a port role"
    ),
    "FD-INT-023": Code("a device is declared twice", "Keep one of the two declarations"),
    "FD-INT-024": Code("a port has two roles or two cables", "Keep one of the two"),
    "FD-INT-025": Code("a sub-interface with a policy of its own", "Give the role to the physical port; it inherits"),
    "FD-INT-026": Code("no releases are declared for a platform", "List them under releases"),
    "FD-INT-030": Code("a DSCP is in two classes", "Keep it in one of them"),
    "FD-INT-031": Code("two classes share a priority, queue or group and want different treatment", "Separate them"),
    "FD-INT-032": Code("the shares of the non-strict classes are not 100 %", "Make them add up to 100 %"),
    "FD-INT-033": Code("an ECN threshold pair that marks nothing or everything", "Make kmin smaller than kmax"),
    "FD-INT-034": Code("ECN rules leave a port without an answer, or with two", "Write one rule for it"),
    "FD-INT-035": Code("the two ends of a link disagree", "Make both ends say the same"),
    "FD-INT-036": Code("a lossless class without headroom", "Add the vendor's row for it, or say buffers: unmanaged"),
    "FD-INT-037": Code("watchdog timers that cannot work together", "Make poll at most detect and restore"),
    "FD-INT-038": Code("the MTU chain is broken", "Make RDMA MTU + 60 <= host MTU <= switch MTU"),
    "FD-INT-039": Code("not exactly one default class", "Give exactly one class the kind default"),
    "FD-INT-040": Code("the CNP class and the notification points disagree", "Give CNPs one DSCP of their own"),
    "FD-INT-041": Code("the congestion control mode contradicts the classes", "Change the mode or the class"),
    "FD-INT-042": Code("global pause on a port with priority flow control", "Switch global_pause off"),
    "FD-INT-043": Code("both ends of a link are willing to obey DCBX", "Let one end decide"),
    "FD-INT-044": Code(
        "a managed port whose speed or cable is unknown", "Cable it in a cable plan or write speed and cable"
    ),
    "FD-INT-045": Code("a breakout that does not fit", "Correct mode, cage or lane"),
    "FD-INT-046": Code(
        "a port-channel that does not fit", "Give the role to the port-channel and list its members once"
    ),
    "FD-INT-047": Code(
        "a buffer that is both static and dynamic, or in no pool", "Say one of static and alpha, in a declared pool"
    ),
    "FD-INT-049": Code("the job's marking cannot be derived", "Name a marked class that all NICs of the host carry"),
    "FD-INT-048": Code("ports of one device want different poll intervals", "Set the poll interval per device"),
    "FD-INT-060": Code("a host, switch or GUID that the plan of the subnet doesn't have", "Correct it or the plan"),
    "FD-INT-061": Code("P_Keys that can't be told apart", "Give every partition a P_Key of its own"),
    "FD-INT-062": Code("a port with two memberships or two tenants", "Keep one of the two"),
    "FD-INT-063": Code("QoS that OpenSM would drop or override", "Correct the rule or what it refers to"),
    "FD-INT-064": Code("a plan of a subnet that contradicts itself", "Take it anew with ibnetdiscover and check it"),
    "FD-INT-065": Code("subnet managers that can't be ranked", "Name at least one manager, each with its priority"),
    "FD-INT-066": Code("routing or options that OpenSM would replace by something else", "Correct one of the two"),
    "FD-INT-067": Code("a node GUID where a port GUID is needed", "Write the port GUID"),
    "FD-INT-068": Code("jobs that can't use their partition", "Say which P_Key and index the jobs use"),
}


def markdown() -> str:
    """The table of codes as the docs show it."""
    rows = [f"| `{code}` | {entry.title} | {entry.remedy} |" for code, entry in sorted(CODES.items())]
    return "\n".join(("| code | meaning | what to do |", "|---|---|---|", *rows))
