"""Secrets are removed where text enters the project, before anything is parsed, shown or written.

A table of patterns per kind of text. Values go, words around them stay, lines and JSON keep their shape, so
parsers and line numbers don't notice. Scrubbing twice changes nothing. Every pattern is linear: device text is
hostile.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

MARK = "<scrubbed>"
VALUE = r"""(?:\\?"[^"\n,]{1,4096}"|[^\s"'\\,;]{1,4096})"""
"""Quoted, or a word. A word also ends at a backslash: in JSON-encoded text a line ends with a literal ``\\n``."""


@dataclass(frozen=True, slots=True)
class Secret:
    """``needles``: lower-case words of which one is in every line that holds such a secret.

    Few and short ones, shared by many rows: each different needle costs one search of every answer.
    """

    kind: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]
    characters_before: int = 0
    """How far before the needle's line the secret may start."""
    characters_after: int = 0
    """How far behind the needle's line the secret may end."""
    is_key: bool = False
    """The secret is the key of a JSON object: each gets a number, or two would be one key said twice."""


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.MULTILINE)


def _blank_lines(match: re.Match[str]) -> str:
    """The block's first line stays; the others keep their number."""
    return match[1] + match[2].count("\n") * f"\n{MARK}" + match[2].count("\\n") * f"\\n{MARK}"


_JSON_WORDS = (
    r"passw(?:or)?d|passwd|passkey|passphrase|secret|community|_cak|private_key|auth_key|priv_key|token|encryption_key"
)

SECRETS: tuple[Secret, ...] = (
    Secret(
        "private key",
        ("private key-----",),
        _pattern(r"(-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----)((?:(?!-----)[^\0]){0,16384})"),
        _blank_lines,
        characters_after=20_000,
    ),
    Secret(
        "password hash (crypt)",
        ("$",),
        _pattern(r"\$(?:1|2[abxy]?|5|6|y|sha512|argon2[a-z]{0,2})\$[./A-Za-z0-9$=,+-]{8,512}"),
        MARK,
    ),
    Secret(
        "password or secret of a CLI (type 0, 5, 7, 8a, sha512)",
        ("pass", "secret", "key-string"),
        _pattern(
            r"((?<![\w-])(?:password|secret|passphrase|key-string)"
            r"(?:[ \t]{1,8}(?:\d{1,2}[a-z]?|sha512|sha256|sha1|md5|hidden|encrypted|cleartext|plaintext))?[ \t]{1,8})"
            rf"(?!(?:is|was|for|are|or|and|required|policy|prompt|attempts?)\b){VALUE}"
        ),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "key of a server or a neighbour (TACACS+, RADIUS, NTP, OSPF)",
        ("key ", "key\t", "md5"),
        _pattern(
            r"((?<![\w-])(?:key|md5|message-digest-key[ \t]{1,8}\d{1,3}[ \t]{1,8}md5)"
            rf"[ \t]{{1,8}}(?:0|5|7|8a|hidden|encrypted)[ \t]{{1,8}}){VALUE}"
        ),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "key of a TACACS+ or RADIUS server without a type",
        ("tacacs", "radius"),
        _pattern(rf"((?:tacacs|radius)-server\b[^\n\"]{{0,256}}?[ \t]key[ \t]{{1,8}})(?!(?:0|5|7|8a)[ \t]){VALUE}"),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "SNMP community",
        ("community",),
        _pattern(rf"((?:snmp-server[ \t]{{1,8}}|r[ow])community[ \t]{{1,8}}){VALUE}"),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "SNMP community of a trap receiver",
        ("snmp",),
        _pattern(rf"(snmp-server host[^\n\"]{{1,256}}?version[ \t]{{1,8}}(?:1|2c)[ \t]{{1,8}}){VALUE}"),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "SNMPv3 authentication and privacy",
        ("auth", "priv"),
        _pattern(
            r"((?<![\w-])(?:auth|priv)[ \t]{1,8}(?:md5|sha[\d-]{0,8}|des|3des|aes[\d-]{0,8})[ \t]{1,8}"
            rf"(?:localized[ \t]{{1,8}})?){VALUE}"
        ),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "password in a URL",
        ("://",),
        _pattern(r"(://[^\s/:@\"']{1,128}:)[^\s/@\"']{1,256}(?=@)"),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "environment or INI variable",
        ("pass", "secret", "token", "_key", "apikey"),
        _pattern(
            r"(^[ \t]{0,32}(?:export[ \t])?[\w.-]{0,64}(?:password|passwd|secret|token|api_?key)[\w.-]{0,32}"
            r"[ \t]{0,8}=[ \t]{0,8})[^\n]{1,4096}"
        ),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "JSON or Python field",
        ("pass", "secret", "community", "_cak", "_key", "token"),
        _pattern(
            rf"((?:{_JSON_WORDS})[\w .|:-]{{0,64}}[\"'][ \t]{{0,8}}:[ \t]{{0,8}}([\"']))"
            r"(?:(?!\2)[^\\\n]|\\.){1,65536}"
        ),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "key of an InfiniBand subnet manager; 0 and 1, the open defaults, are no secret",
        ("_key",),
        _pattern(
            r"([\"'](?:m|sm|sa|cc|vs|n2n|am)_key[\"'][ \t]{0,8}:[ \t]{0,8})"
            r"(?![\"']?(?:0x)?0{0,16}[01]?[\"']?[ \t]{0,8}[,}\n])(?:\"[^\"\n]{0,256}\"?|'[^'\n]{0,256}'?|[\w.+-]{1,64})"
        ),
        rf'\g<1>"{MARK}"',
    ),
    Secret(
        "SNMP community as a key (SONiC SNMP_COMMUNITY, its name is the secret)",
        ("community",),
        _pattern(r"(SNMP_COMMUNITY\|)[^\"'\s]{1,256}"),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "SNMP community as a nested key",
        ('"ro"', '"rw"', "'ro'", "'rw'"),
        _pattern(r"([\"'])(?!<scrubbed)[^\"'\n]{1,256}\1(\s{0,64}:\s{0,8}\{\s{0,64}[\"']TYPE[\"']\s{0,8}:\s{0,8}[\"']R[OW][\"'])"),
        rf"\g<1>{MARK}\g<1>\g<2>",
        characters_before=512,
        is_key=True,
    ),
)  # fmt: skip


NEEDLES = tuple(sorted({needle for secret in SECRETS for needle in secret.needles}))


def scrub(text: str) -> str:
    """``text`` without the secrets of the table."""
    lower = text.lower()
    # CPython searches three times as fast from the end; a switch's databases are a megabyte without a secret.
    found = {needle for needle in NEEDLES if lower.rfind(needle) >= 0}
    for secret in SECRETS:
        if not found.isdisjoint(secret.needles):
            clean = _without(secret, text, lower)
            if clean != text:
                text, lower = clean, clean.lower()
    return text


def _without(secret: Secret, text: str, lower: str) -> str:
    """Only the places with a needle meet the pattern."""
    replacement = _numbered(secret) if secret.is_key else secret.replacement
    if len(lower) != len(text):  # some letters have two in lower case: places in one aren't places in the other
        return secret.pattern.sub(replacement, text)
    parts, done = [], 0
    for start, end in _places(secret, lower):
        parts += [text[done:start], secret.pattern.sub(replacement, text[start:end])]
        done = end
    return "".join((*parts, text[done:]))


def _numbered(secret: Secret) -> Callable[[re.Match[str]], str]:
    """``secret.replacement`` with another mark for each match of a text, in their order."""
    numbers = itertools.count(1)

    def replace(match: re.Match[str]) -> str:
        number = next(numbers)
        mark = MARK if number == 1 else f"<scrubbed {number}>"
        return match.expand(str(secret.replacement)).replace(MARK, mark)

    return replace


def _places(secret: Secret, lower: str) -> list[tuple[int, int]]:
    """(start, end) of the lines that hold a needle, with what may belong to them; those that touch are one."""
    places: list[tuple[int, int]] = []
    for line_start, line_end in sorted(_lines_with(secret.needles, lower)):
        start = max(0, line_start - secret.characters_before)
        end = min(len(lower), line_end + secret.characters_after)
        if places and start <= places[-1][1]:
            start = places.pop()[0]
        places.append((start, end))
    return places


def _lines_with(needles: tuple[str, ...], lower: str) -> set[tuple[int, int]]:
    """(start, end) of every line that holds one of the needles; each line is looked at once per needle."""
    found: set[tuple[int, int]] = set()
    for needle in needles:
        at = lower.find(needle)
        while at >= 0:
            end = lower.find("\n", at)
            end = len(lower) if end < 0 else end
            found.add((lower.rfind("\n", 0, at) + 1, end))
            at = lower.find(needle, end)
    return found
