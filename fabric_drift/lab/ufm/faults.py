"""The bad days of a REST API: each spoils answers on the way out; what UFM remembers stays as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

LOGIN_PAGE = b"<!DOCTYPE html>\n<html><body><form action=/dologin>Please log in</form></body></html>\n"


@dataclass(frozen=True)
class Answer:
    """What goes out. ``promised``: Content-Length, where it isn't the body's; ``hangs``: nothing ever comes."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    promised: int | None = None
    hangs: bool = False

    @property
    def value(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def of(self, value: Any) -> Answer:
        """The same with another body."""
        return replace(self, body=json.dumps(value).encode())


def _status(status: int, text: str) -> Callable[[Answer], Answer]:
    return lambda _answer: Answer(status, json.dumps({"error": text}).encode())


def _page(answer: Answer) -> Answer:
    return answer.of({"page_number": 1, "total_pages": 2, "data": answer.value})


def _without_guids(answer: Answer) -> Answer:
    return answer.of(_each(answer.value, lambda row: {name: item for name, item in row.items() if name != "guids"}))


def _cut(answer: Answer) -> Answer:
    return answer.of(_each(answer.value, lambda row: row | {"guids": row["guids"][:1]} if "guids" in row else row))


def _each(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """``change`` for one partition, or for each of a list."""
    if not isinstance(value, dict):
        return value
    is_list = any(isinstance(row, dict) and "partition" in row for row in value.values())
    return {key: change(row) for key, row in value.items()} if is_list else change(value)


def _partial(answer: Answer) -> Answer:
    value = answer.value
    kept = list(value)[:1]
    return answer.of({key: value[key] for key in kept} if isinstance(value, dict) else kept)


def _twice(answer: Answer) -> Answer:
    body = answer.body.rstrip()
    return replace(answer, body=body[:-1] + b', "0x7fff": {}, "0x7fff": {}}') if body.endswith(b"}") else answer


FAULTS: dict[str, Callable[[Answer], Answer]] = {
    "unauthorised": _status(401, "Unauthorized"),
    "forbidden": _status(403, "Forbidden"),
    "missing": _status(404, "Not Found"),
    "broken": _status(500, "Internal Server Error"),
    "busy": _status(503, "Service Unavailable"),
    "html": lambda _answer: Answer(200, LOGIN_PAGE, {"Content-Type": "text/html"}),
    "html-as-json": lambda answer: replace(answer, body=LOGIN_PAGE),
    "redirect": lambda _answer: Answer(302, b"", {"Location": "/ufm_web/login"}),
    "truncated": lambda answer: replace(answer, body=answer.body[: len(answer.body) // 2]),
    "short": lambda answer: replace(answer, promised=len(answer.body) + 100),
    "hang": lambda answer: replace(answer, hangs=True),
    "empty": lambda answer: answer.of({}),
    "nothing": lambda answer: replace(answer, body=b""),
    "null": lambda answer: answer.of(None),
    "lost-guids": _without_guids,
    "cut-guids": _cut,
    "page": _page,
    "partial": _partial,
    "next-page": lambda answer: replace(answer, headers=answer.headers | {"Link": '</next>; rel="next"'}),
    "not-utf8": lambda answer: replace(answer, body=answer.body[:-1] + b"\xff}"),
    "twice": _twice,
    "deep": lambda answer: replace(answer, body=b"[" * 100_000),
}
