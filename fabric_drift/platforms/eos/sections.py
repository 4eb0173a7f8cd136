"""A configuration as blocks: a line at the left margin and the indented lines below it.

No recursion and no per-line objects: a block holds a slice of the text's lines. Free text that ends with ``EOF``
(banners) is skipped, so that it can't be mistaken for configuration.
"""

from __future__ import annotations

from typing import NamedTuple


class Broken(Exception):
    """The text is not one whole configuration; ``args[0]`` says why."""


class Block(NamedTuple):
    """``number``: 1-based line of ``header``; line i of ``lines`` is line ``number + 1 + i`` of the text.

    A tuple, because a configuration has a thousand.
    """

    header: str
    number: int
    lines: list[str]


def blocks(text: str) -> list[Block]:
    """The blocks of a whole configuration without separators.

    Raises Broken where the text isn't one whole configuration: refused, cut off, or mixed with another.
    """
    lines = _whole(text)
    lines = _without_free_text(lines, has_banner="\nbanner " in text)
    starts = [index for index, raw in enumerate(lines) if raw[:1] != " " and raw not in ("", "!")]
    ends = [*starts[1:], len(lines)]
    if any(raw.strip() for raw in lines[: starts[0] if starts else len(lines)] if raw != "!"):
        raise Broken("the configuration starts in the middle of a section")
    if not starts:
        raise Broken("the configuration is empty")
    return [
        Block(lines[start].rstrip(" "), start + 1, lines[start + 1 : end])
        for start, end in zip(starts, ends, strict=True)
        if not _is_comment(lines[start])
    ]


def _is_comment(raw: str) -> bool:
    return raw.startswith(("! ", "!!"))


def _whole(text: str) -> list[str]:
    lines = text.split("\n")
    if "\r" in text or " \n" in text or "\t" in text:
        lines = [raw.rstrip(" \t\r") for raw in lines]
    while lines and not lines[-1].strip(" \r"):
        lines.pop()
    if not lines:
        raise Broken("the answer is empty")
    if lines[0].startswith("%"):
        raise Broken(f"the switch refused: {lines[0][:80]}")
    if lines[-1].rstrip(" \r") != "end":
        raise Broken("the configuration doesn't end with `end`: it was cut off")
    lines.pop()
    return lines


def _without_free_text(lines: list[str], *, has_banner: bool) -> list[str]:
    """Blanks out free text; a second ``end`` outside of it means that two answers are mixed."""
    if not has_banner and "end" not in lines:
        return lines
    result, inside = [], False
    for raw in lines:
        if inside:
            inside = raw != "EOF"
            result.append("!")
            continue
        if raw == "end":
            raise Broken("the configuration ends twice: two answers are mixed")
        inside = raw.startswith("banner ")
        result.append(raw)
    if inside:
        raise Broken("a banner doesn't end: the configuration was cut off")
    return result
