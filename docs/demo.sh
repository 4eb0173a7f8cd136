#!/usr/bin/env bash
# What `make demo` shows: a stock fabric, the way to the intent, three changes by hand, and what finds them.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
export FABRIC_DRIFT_LAB=$folder/lab FABRIC_DRIFT_INTENT=intent/pod1 FABRIC_DRIFT_INVENTORY=$folder/lab/inventory.yml
trap 'fabric-drift lab down >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
mkdir "$folder/rendered"

say() { printf '\n# %s\n' "$*"; }
# Runs a command in sight. Drift (exit code 4) and incomplete (3) are what a check may find, not failures.
show() {
	local status=0
	printf '$ %s\n' "${*//$folder/.}"
	"$@" || status=$?
	((status == 0)) || echo "(exit code $status)"
	((status == 0 || status == 3 || status == 4)) || exit "$status"
}

say "An emulated fabric: 2 spines, 4 leaves, 8 hosts with 8 NICs each"
show fabric-drift lab up --base-port 0

say "As it comes it isn't what the intent asks for (the last lines of the report)"
show fabric-drift check -o text:"$folder/stock.txt"
tail -n 2 "$folder/stock.txt"

say "The devices get the rendered configuration, as if they had booted with it"
show fabric-drift render --output "$folder/rendered"
show fabric-drift lab load "$folder/rendered" | cut -c 1-100
show fabric-drift check

say "Three changes by hand, at night"
show fabric-drift lab drift leaf1 ports/Ethernet0/qos/pfc/watchdog
show fabric-drift lab drift leaf3 extra/pfc_priority
show fabric-drift lab drift gpu5 ports/0000:18:00.0/qos/pfc/priorities

say "What differs, who asked for it, and which line of the device says so"
show fabric-drift check -o text -o md:"$folder/report.md" -o json:"$folder/report.json"

say "The same for a ticket (its first lines)"
head -n 12 "$folder/report.md" | cut -c 1-150

say "The fabric stops"
show fabric-drift lab down
