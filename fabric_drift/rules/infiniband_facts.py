"""Which rule a drifted InfiniBand fact breaks: rows for the table of ``rules.facts``."""

from __future__ import annotations

from fabric_drift.finding import Severity

CRITICAL, HIGH, MEDIUM, LOW = Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW

ROWS: tuple[tuple[str, str, Severity, str, str], ...] = (
    ("FD-IB-001", "infiniband", HIGH, "An InfiniBand fact differs from the intent", "Everything managed is compared."),
    (
        "FD-IB-002", "infiniband/subnet/ports/*", HIGH, "A planned port has no link, or an unplanned one has",
        "A rail is missing, or something is plugged in that nobody planned.",
    ),
    (
        "FD-IB-003", "infiniband/subnet/ports/*/pkeys", CRITICAL, "A port's partitions differ",
        "A missing key cuts a job off; an extra one opens a tenant to another.",
    ),
    (
        "FD-IB-004", "infiniband/subnet/ports/*/pkey_at_index_0", MEDIUM, "Another P_Key is at index 0",
        "Applications that never look beyond index 0 talk in the wrong partition, or not at all.",
    ),
    (
        "FD-IB-005", "infiniband/subnet/ports/*/sl2vl", CRITICAL, "Service levels go to other virtual lanes",
        "Traffic is starved, dropped (lane 15), or loses its freedom from deadlock.",
    ),
    (
        "FD-IB-006", "infiniband/subnet/ports/*/sl2vl_exceptions", CRITICAL,
        "Service levels of one in-port go to other virtual lanes", "A single path misbehaves, which nobody suspects.",
    ),
    (
        "FD-IB-007", "infiniband/subnet/ports/*/arbitration", HIGH, "Weights of the virtual lanes differ",
        "One class of traffic starves another under load.",
    ),
    (
        "FD-IB-008", "infiniband/subnet/ports/*/operational_vls", HIGH, "A port has another number of lanes",
        "Lanes that one end doesn't have are dropped.",
    ),
    (
        "FD-IB-009", "infiniband/subnet/ports/*/link/width", HIGH, "A link is narrower than planned",
        "A dead lane takes half of a rail, and collectives wait for the slowest one.",
    ),
    (
        "FD-IB-010", "infiniband/subnet/ports/*/link/speed", HIGH, "A link is slower than planned",
        "Collectives wait for the slowest rail.",
    ),
    (
        "FD-IB-011", "infiniband/subnet/ports/*/link/peer", HIGH, "A cable leads to another port than planned",
        "A swapped cable puts a rail on the wrong switch: routing works, locality doesn't.",
    ),
    (
        "FD-IB-012", "infiniband/subnet/ports/*/link/state", CRITICAL, "A link isn't active",
        "It is plugged in and carries nothing: the subnet manager hasn't brought it up.",
    ),
    (
        "FD-IB-013", "infiniband/subnet/ports/*/manager", CRITICAL, "A port obeys another subnet manager",
        "A rogue manager, or one that died: its next sweep rewrites partitions and routes.",
    ),
    (
        "FD-IB-014", "infiniband/subnet/ports/*/subnet_prefix", HIGH, "A port has another subnet prefix",
        "Its GIDs are of another subnet; connections fail.",
    ),
    (
        "FD-IB-015", "infiniband/subnet/ports/*/description", LOW, "A node says another name",
        "Maps, reports and host-based rules name the wrong node.",
    ),
    (
        "FD-IB-016", "infiniband/subnet/ports/*/pkey_indexes", HIGH, "A P_Key isn't at the index that jobs name",
        "NCCL_IB_PKEY is an index: jobs talk in another partition, or hang without a word.",
    ),
    (
        "FD-IB-020", "infiniband/subnet/managers", CRITICAL, "The subnet managers aren't those of the intent",
        "A missing standby is found at the next failover; a rogue manager takes over before.",
    ),
    (
        "FD-IB-021", "infiniband/subnet/routing/broken", CRITICAL, "A way through the forwarding tables is broken",
        "Packets are dropped or run in a circle until they die.",
    ),
    (
        "FD-IB-022", "infiniband/subnet/routing/down_up", HIGH, "A way goes up again after it went down",
        "Credits may wait for each other in a circle: the fabric stands still.",
    ),
    (
        "FD-IB-023", "infiniband/subnet/routing/idle_uplinks", MEDIUM, "An uplink carries nothing",
        "Its neighbours carry its share.",
    ),
    (
        "FD-IB-030", "infiniband/manager", CRITICAL, "The subnet manager isn't in its role",
        "Another node decides about partitions and routes.",
    ),
    (
        "FD-IB-031", "infiniband/manager/routing_engine", CRITICAL, "Another routing engine is at work",
        "OpenSM falls back to minhop without an error: routes may deadlock.",
    ),
    (
        "FD-IB-032", "infiniband/manager/complaints", CRITICAL, "The subnet manager gave up on a file or an engine",
        "It goes on with something else: every port in the default partition, or other routes.",
    ),
    (
        "FD-IB-033", "infiniband/options", HIGH, "An option of the subnet manager differs",
        "It is what the next start, or the next sweep, will do.",
    ),
    (
        "FD-IB-034", "infiniband/partitions", CRITICAL, "The file of partitions differs",
        "The next reload, or the next failover, re-tenants the fabric.",
    ),
    ("FD-IB-035", "infiniband/qos_policy", HIGH, "The QoS policy file differs", "Paths get other service levels."),
    (
        "FD-IB-036", "infiniband/guid_files", HIGH, "A GUID file of the routing differs",
        "With wrong roots, the engine falls back to minhop.",
    ),
)  # fmt: skip
