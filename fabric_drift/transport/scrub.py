"""Secrets are removed where text enters the project, before anything is parsed, shown or written.

A table of patterns per kind of text. Values go, words around them stay, lines and JSON keep their shape, so
parsers and line numbers don't notice. Scrubbing twice changes nothing. Every pattern is linear: device text is
hostile.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MARK = "<scrubbed>"
VALUE = r"""(?:\\?"[^"\n,]{1,4096}"|[^\s"'\\,;]{1,4096})"""
"""Quoted, or a word. A word also ends at a backslash: in JSON-encoded text a line ends with a literal ``\\n``."""


@dataclass(frozen=True, slots=True)
class Secret:
    """``needles``: lower-case words of which one must be there, so that most text costs one search."""

    kind: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]
    many_lines: bool = False
    """The pattern spans lines."""


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
        many_lines=True,
    ),
    Secret(
        "password hash (crypt)",
        ("$",),
        _pattern(r"\$(?:1|2[abxy]?|5|6|y|sha512|argon2[a-z]{0,2})\$[./A-Za-z0-9$=,+-]{8,512}"),
        MARK,
    ),
    Secret(
        "password or secret of a CLI (type 0, 5, 7, 8a, sha512)",
        ("password", "secret", "passphrase", "key-string"),
        _pattern(
            r"((?<![\w-])(?:password|secret|passphrase|key-string)"
            r"(?:[ \t]{1,8}(?:\d{1,2}[a-z]?|sha512|sha256|sha1|md5|hidden|encrypted|cleartext|plaintext))?[ \t]{1,8})"
            rf"(?!(?:is|was|for|are|or|and|required|policy|prompt|attempts?)\b){VALUE}"
        ),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "key of a server or a neighbour (TACACS+, RADIUS, NTP, OSPF)",
        ("key ", "key\t", "md5 ", "md5\t"),
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
        ("community ", "community\t"),
        _pattern(rf"((?:snmp-server[ \t]{{1,8}}|r[ow])community[ \t]{{1,8}}){VALUE}"),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "SNMP community of a trap receiver",
        ("snmp-server host",),
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
        ("password", "passwd", "secret", "token", "api_key", "apikey"),
        _pattern(
            r"(^[ \t]{0,32}(?:export[ \t])?[\w.-]{0,64}(?:password|passwd|secret|token|api_?key)[\w.-]{0,32}"
            r"[ \t]{0,8}=[ \t]{0,8})[^\n]{1,4096}"
        ),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "JSON or Python field",
        tuple(_JSON_WORDS.replace("w(?:or)?d", "w").split("|")),
        _pattern(
            rf"((?:{_JSON_WORDS})[\w .|:-]{{0,64}}[\"'][ \t]{{0,8}}:[ \t]{{0,8}}([\"']))"
            r"(?:(?!\2)[^\\\n]|\\.){1,65536}"
        ),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "SNMP community as a key (SONiC SNMP_COMMUNITY, its name is the secret)",
        ("snmp_community",),
        _pattern(r"(SNMP_COMMUNITY\|)[^\"'\s]{1,256}"),
        rf"\g<1>{MARK}",
    ),
    Secret(
        "SNMP community as a nested key",
        ("snmp_community",),
        _pattern(r"([\"'])(?!<scrubbed>)[^\"'\n]{1,256}\1(\s{0,64}:\s{0,8}\{\s{0,64}[\"']TYPE[\"']\s{0,8}:\s{0,8}[\"']R[OW][\"'])"),
        rf"\g<1>{MARK}\g<1>\g<2>",
        many_lines=True,
    ),
)  # fmt: skip


def scrub(text: str) -> str:
    """``text`` without the secrets of the table."""
    lower = text.lower()
    for secret in SECRETS:
        if any(needle in lower for needle in secret.needles):
            text = _without(secret, text, lower)
            lower = text.lower()
    return text


def _without(secret: Secret, text: str, lower: str) -> str:
    """Only lines with a needle meet the pattern: a switch's databases have 300,000 characters without a secret."""
    if secret.many_lines or len(lower) != len(text):
        return secret.pattern.sub(secret.replacement, text)
    parts, done = [], 0
    for start, end in sorted(_lines_with(secret.needles, lower)):
        parts += [text[done:start], secret.pattern.sub(secret.replacement, text[start:end])]
        done = end
    return "".join((*parts, text[done:]))


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
