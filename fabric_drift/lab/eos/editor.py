"""Configuration mode: lines typed one after another, with the sections they enter and leave."""

from __future__ import annotations

from collections.abc import Sequence

from fabric_drift.lab.eos import tree
from fabric_drift.lab.eos.grammar import MODES
from fabric_drift.lab.eos.syntax import Match, Refused, Rule, match, match_removal, refusal

CREATED_BY_NAME = ("Port-Channel", "Loopback", "Management", "Vlan", "Tunnel", "Vxlan")
"""Interfaces that configuration may create; an Ethernet port exists or not."""


class Editor:
    """One configuration mode over a configuration tree, which it changes.

    ``type`` answers "" or the error text of the device. ``ports``: Ethernet ports of the hardware.
    """

    def __init__(self, root: tree.Section, ports: frozenset[str]) -> None:
        self.root = root
        self.ports = ports
        self.path: list[str] = []
        self.open = True

    def type(self, line: str) -> str:
        """Takes one line. Answers "" or what the device complains."""
        text = line.strip()
        tokens = text.split()
        if not text or (text.startswith("!") and not text.startswith("!!")):
            return ""
        if text.startswith("!!"):
            return self._comment(text)
        if text in {"end", "exit"}:
            return self._leave(text)
        if tokens[0] in {"no", "default"} and len(tokens) == 1:
            return "% Incomplete command"
        return self._dispatch(tokens)

    def _leave(self, word: str) -> str:
        if word == "exit" and self.path:
            self.path.pop()
        else:
            self.path.clear()
            self.open = False
        return ""

    def _comment(self, text: str) -> str:
        if self.path:
            tree.enter(self.root, self.path)["lines"][text] = text
        return ""

    def _mode(self, depth: int) -> str:
        return tree.mode_of(self.path[depth - 1]) if depth else "global"

    def _depths(self) -> list[int]:
        """Where a line may belong: the section, then those around it; what we don't look into comes last."""
        depths = list(range(len(self.path), -1, -1))
        return sorted(depths, key=lambda depth: self._mode(depth) == "opaque") if depths else depths

    def _dispatch(self, tokens: list[str]) -> str:
        failures: list[Refused] = []
        for depth in self._depths():
            rules = MODES[self._mode(depth)]
            refused = self._set(rules, tokens, depth)
            if refused and tokens[0] in {"no", "default"}:
                refused = self._remove(rules, tokens, depth)
            if not refused:
                return ""
            failures += refused
        return refusal(tokens, failures)

    def _set(self, rules: Sequence[Rule], tokens: list[str], depth: int) -> list[Refused]:
        """Sets what the line says; no failures when a rule took it."""
        negated = tokens[0] == "no" and len(tokens) > 1
        failures = []
        for rule in rules:
            plain = negated and rule.negative
            found = match(rule, tokens[1:] if plain else tokens)
            if plain and not isinstance(found, Match):
                found = match(Rule(rule.key), tokens[1:])
            if isinstance(found, Match) and self._may_enter(rule, found):
                self._store(found, depth, negated=plain)
                return []
            failures.append(found if isinstance(found, Refused) else Refused(1, ended=False))
        return failures

    def _may_enter(self, rule: Rule, found: Match) -> bool:
        if rule.enters != "interface":
            return True
        name = found.keys[0].removeprefix("interface ")
        return name in self.ports or name.startswith(CREATED_BY_NAME)

    def _store(self, found: Match, depth: int, *, negated: bool) -> None:
        del self.path[depth:]
        if found.rule.enters:
            self.path.append(found.keys[0])
            tree.enter(self.root, self.path)
            return
        lines = tree.enter(self.root, self.path)["lines"]
        for key in found.keys:
            lines[key] = f"no {key}" if negated else f"{key} {found.value}".strip()

    def _remove(self, rules: Sequence[Rule], tokens: list[str], depth: int) -> list[Refused]:
        """Takes ``no ...`` and ``default ...``: back to the default; no failures when a rule took it."""
        failures = []
        exact = [rule for rule in rules if isinstance(match(rule, tokens[1:]), Match)]
        for rule in exact or rules:
            keys = match_removal(rule, tokens[1:])
            if isinstance(keys, Refused):
                failures.append(Refused(keys.position + 1, keys.ended))
                continue
            del self.path[depth:]
            self._forget(rule, keys)
            return []
        return failures

    def _forget(self, rule: Rule, keys: Sequence[str]) -> None:
        section = tree.find(self.root, self.path)
        for key in keys:
            if rule.enters == "interface" and key.removeprefix("interface ") in self.ports:
                section["sections"][key] = tree.empty()
            elif rule.enters:
                section["sections"].pop(key, None)
            section["lines"].pop(key, None)
        if rule.clears:
            for key in [key for key in section["lines"] if key.startswith(rule.clears)]:
                del section["lines"][key]
