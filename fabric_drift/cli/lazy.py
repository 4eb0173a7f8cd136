"""Sub-commands of other rooms, imported when they are called: ``--help`` must not wait for SSH or pydantic."""

from __future__ import annotations

import importlib
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

LAZY = {
    "lab": ("fabric_drift.lab.commands", "app", "Start and use the emulated fabric: up, status, exec, drift, down."),
    "review": ("fabric_drift.review", "command", "What a change of the intent would do; reads Git, no device."),
}


class LazyGroup(TyperGroup):
    """A group that lists the commands of ``LAZY`` by a placeholder and loads them when they are run."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, those of ``LAZY`` last."""
        return [*super().list_commands(ctx), *LAZY]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """For listings; the placeholder has the name and the help."""
        if cmd_name in LAZY:
            return TyperGroup(name=cmd_name, help=LAZY[cmd_name][2])
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """For running and completing: the real command."""
        if args and args[0] in LAZY:
            return args[0], load(args[0]), args[1:]
        return super().resolve_command(ctx, args)


def load(name: str) -> Any:
    """The command behind a name of ``LAZY``."""
    module, attribute, _ = LAZY[name]
    target = getattr(importlib.import_module(module), attribute)
    if isinstance(target, typer.Typer):
        return get_command(target)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name)(target)
    return get_command(single)
