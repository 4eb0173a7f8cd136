"""Ways in which an answer arrives broken. Same seed, same damage."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fabric_drift.platform import Output

NOISE = ("\x00", "\x1b[2J", "~", "#", "\u2028", "\u00e9", "\udcff", "--More--", "%LINK-3-UPDOWN: x\n", "sudo: no tty\n")
JUNK = ("", " ", "\n", "{", "[[[[", '{"a":', "null", "NaN", "9" * 5000, "\x00" * 200, "% Invalid input", "[" * 3000)
FAILURES = (1, 2, 126, 127, 255, None)
ERRORS = ("timed out", "connection lost", "larger than 8 MB")


@dataclass(frozen=True)
class Damage:
    """The answers with one of them broken. ``is_loss``: something was lost, and it shows that it was."""

    kind: str
    command: str
    outputs: Mapping[str, Output]
    is_loss: bool


Kind = Callable[[random.Random, Mapping[str, Output], str], tuple[Output, bool]]


def _cut(chance: random.Random, outputs: Mapping[str, Output], command: str) -> tuple[Output, bool]:
    """Cut without a word. Only a document with an end (JSON, a configuration's ``end``) shows that it was cut."""
    text = outputs[command].stdout
    shorter = text[: chance.randrange(len(text))] if text else ""
    has_end = text.lstrip().startswith(("{", "[")) or text.rstrip().endswith("\nend")
    return replace(outputs[command], stdout=shorter), has_end and len(shorter) < len(text.rstrip())


def _failed(chance: random.Random, outputs: Mapping[str, Output], command: str) -> tuple[Output, bool]:
    """The command ended badly, or not at all, with part of its answer."""
    text = outputs[command].stdout
    part = text[: chance.randrange(len(text) + 1)]
    status, error = chance.choice(FAILURES), ""
    if status is None or chance.random() < 0.5:
        status, error = None, chance.choice(ERRORS)
    return Output(part, chance.choice(("", "sudo: a password is required", "Killed")), status, error), False


def _junk(chance: random.Random, outputs: Mapping[str, Output], command: str) -> tuple[Output, bool]:
    return replace(outputs[command], stdout=chance.choice(JUNK)), False


def _swapped(chance: random.Random, outputs: Mapping[str, Output], command: str) -> tuple[Output, bool]:
    """The answer to another command."""
    other = chance.choice(sorted(outputs))
    return replace(outputs[command], stdout=outputs[other].stdout), False


def _interleaved(chance: random.Random, outputs: Mapping[str, Output], command: str) -> tuple[Output, bool]:
    text, other = outputs[command].stdout, outputs[chance.choice(sorted(outputs))].stdout
    at = chance.randrange(len(text) + 1)
    return replace(outputs[command], stdout=text[:at] + other + text[at:]), True


def _noisy(chance: random.Random, outputs: Mapping[str, Output], command: str) -> tuple[Output, bool]:
    """Something that no device says in the middle of what it says."""
    text = outputs[command].stdout
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(NOISE) + text[at:]
    return replace(outputs[command], stdout=text), True


def _overwritten(chance: random.Random, outputs: Mapping[str, Output], command: str) -> tuple[Output, bool]:
    text = outputs[command].stdout
    visible = [found.start() for found in re.finditer(r"[^\s!]", text)]
    if not visible:
        return outputs[command], False
    at = chance.choice(visible)
    return replace(outputs[command], stdout=text[:at] + chance.choice(NOISE[:7]) + text[at + 1 :]), True


def _torn(chance: random.Random, outputs: Mapping[str, Output], command: str) -> tuple[Output, bool]:
    """A piece is missing or there twice: the rest may still be a whole answer that says something else."""
    text = outputs[command].stdout
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.randrange(200))
    piece = chance.choice(("", text[start:end] * 2))
    return replace(outputs[command], stdout=text[:start] + piece + text[end:]), False


KINDS: dict[str, Kind] = {
    "cut": _cut,
    "failed": _failed,
    "junk": _junk,
    "swapped": _swapped,
    "interleaved": _interleaved,
    "noisy": _noisy,
    "overwritten": _overwritten,
    "torn": _torn,
}


def damage(chance: random.Random, outputs: Mapping[str, Output]) -> Damage:
    """One answer broken in one way."""
    kind = chance.choice(sorted(KINDS))
    command = chance.choice(sorted(outputs))
    broken, is_loss = KINDS[kind](chance, outputs, command)
    return Damage(kind, command, {**outputs, command: broken}, is_loss or not broken.whole)
