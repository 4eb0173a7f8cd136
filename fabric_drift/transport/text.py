"""Device text as text: decoding that says what went wrong, and one harmless line for messages."""

from __future__ import annotations

MAX_MESSAGE_CHARACTERS = 300


def decode(data: bytes) -> tuple[str, str]:
    """(text, error): UTF-8, or an escaped text with the place of the first byte that isn't UTF-8."""
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return data.decode("utf-8", errors="backslashreplace"), f"the answer isn't UTF-8 at byte {error.start}"


def one_line(text: str) -> str:
    """``text`` on one line, without control characters, cut to a length that fits a message."""
    printable = "".join(
        character if character.isprintable() else " " for character in text[: MAX_MESSAGE_CHARACTERS * 4]
    )
    line = " ".join(printable.split())
    return line if len(line) <= MAX_MESSAGE_CHARACTERS else f"{line[:MAX_MESSAGE_CHARACTERS]}..."
