"""Hexadecimal text of the tables of a port -> their meaning (IBA volume 1, 14.2.5.7 to 14.2.5.9)."""

from __future__ import annotations

from fabric_drift.state.infiniband import Arbitration


def pkeys(text: str) -> tuple[dict[str, str], str, dict[str, int]]:
    """P_Key -> membership, what is at index 0, and P_Key -> its first index. Bit 15 set = full."""
    keys: dict[str, str] = {}
    indexes: dict[str, int] = {}
    words = [int(text[index : index + 4], 16) for index in range(0, len(text), 4)]
    for index, word in enumerate(words):
        if not word & 0x7FFF:
            continue
        key, membership = f"0x{word & 0x7FFF:04x}", "full" if word & 0x8000 else "limited"
        indexes.setdefault(key, index)
        keys[key] = membership if keys.get(key, membership) == membership else "both"
    first = f"0x{words[0] & 0x7FFF:04x}" if words else "0x0000"
    return dict(sorted(keys.items())), first, dict(sorted(indexes.items()))


def lanes(text: str) -> tuple[int, ...]:
    """Sixteen nibbles. Raises ValueError for anything else."""
    if len(text) != 16:  # noqa: PLR2004 - eight bytes
        raise ValueError("an SL-to-VL row has 16 nibbles")
    return tuple(int(digit, 16) for digit in text)


def arbitration(text: str, high_limit: int | None = None) -> Arbitration:
    """Low weights, a colon, high weights; entries of weight 0 say nothing."""
    low, _, high = text.partition(":")
    found = Arbitration(weights(high), weights(low))
    return found if high_limit is None else Arbitration(found.high, found.low, high_limit)


def weights(text: str) -> tuple[tuple[int, int], ...]:
    """(VL, weight) in order."""
    pairs = [bytes.fromhex(text[index : index + 4]) for index in range(0, len(text), 4)]
    return tuple((lane, weight) for lane, weight in pairs if weight)
