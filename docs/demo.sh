#!/usr/bin/env bash
# What `make demo` shows: a stock fabric, the way to the intent, three changes by hand, and what finds them.
set -euo pipefail
cd "$(dirname "$0")/.."

lab=$(mktemp -d)
export FABRIC_DRIFT_LAB=$lab/lab
out=$lab/out
trap 'fabric-drift lab down >/dev/null 2>&1 || true; rm -rf "$lab"' EXIT

say() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
show() {
	printf '$ %s\n' "$*"
	"$@"
}
# Drift is what the demo wants to see: exit code 4 (3 where a part can't be seen) is no failure here.
drift() {
	local status=0
	show "$@" || status=$?
	((status == 0 || status == 3 || status == 4)) || exit "$status"
	echo "(exit code $status)"
}

say "An emulated fabric: 2 spines, 4 leaves, 8 hosts with 8 NICs each"
show fabric-drift lab up

say "As it comes from the factory it isn't what the intent asks for"
drift fabric-drift check --intent intent/pod1 --inventory "$FABRIC_DRIFT_LAB/inventory.yml" -o text:"$out.stock"
tail -n 3 "$out.stock"

say "The devices get the rendered configuration, as if they had booted with it"
show fabric-drift render --intent intent/pod1 --output "$out"
show fabric-drift lab load "$out"
drift fabric-drift check --intent intent/pod1 --inventory "$FABRIC_DRIFT_LAB/inventory.yml"

say "Three changes by hand, at night"
show fabric-drift lab drift leaf1 pfc_enable
show fabric-drift lab drift leaf3 ecn
show fabric-drift lab drift gpu5 trust

say "What differs now, who asked for it, and which line of the device says so"
drift fabric-drift check --intent intent/pod1 --inventory "$FABRIC_DRIFT_LAB/inventory.yml" -o text -o md:"$out.md"

say "The same as a report for a ticket (first lines)"
head -n 20 "$out.md"

say "The fabric stops"
show fabric-drift lab down
