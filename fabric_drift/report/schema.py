"""JSON Schema of a document that is described by a TypedDict. Pydantic is loaded here and nowhere else in reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PROMISE = "Keys may be added within this version; none is removed or changes its meaning."


@dataclass(frozen=True, slots=True)
class Says:
    """What the schema says of a value beyond its type: ``Annotated[str, Says("Stable over runs.", pattern="...")]``."""

    description: str = ""
    one_of: tuple[str | None, ...] = ()
    pattern: str = ""
    minimum: int | None = None

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        """Called by pydantic."""
        said: dict[str, Any] = dict(handler(core))
        said |= {"enum": list(self.one_of)} if self.one_of else {}
        said |= {"description": self.description} if self.description else {}
        said |= {"pattern": self.pattern} if self.pattern else {}
        return said | ({} if self.minimum is None else {"minimum": self.minimum})


def names(kind: Iterable[Enum]) -> tuple[str, ...]:
    """Members of an enumeration as documents name them."""
    return tuple(item.name.lower() if isinstance(item, IntEnum) else str(item.value) for item in kind)


def json_schema(document: type, title: str) -> dict[str, Any]:
    """The JSON Schema of a TypedDict, open for keys that come later."""
    from pydantic import TypeAdapter  # noqa: PLC0415

    return {**TypeAdapter(document).json_schema(), "$schema": DIALECT, "title": title, "description": PROMISE}
