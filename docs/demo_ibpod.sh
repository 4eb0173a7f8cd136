#!/usr/bin/env bash
# What `make demo FABRIC=ibpod` shows: a real subnet manager, its files, a write behind its back, and what finds it.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
export FABRIC_DRIFT_LAB=$folder/lab FABRIC_DRIFT_INTENT=intent/ibpod FABRIC_DRIFT_INVENTORY=$folder/lab/inventory.yml
trap 'fabric-drift lab down >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT

say() { printf '\n# %s\n' "$*"; }
show() {
	local status=0
	printf '$ %s\n' "${*//$folder/.}"
	"$@" || status=$?
	((status == 0)) || echo "(exit code $status)"
	((status == 0 || status == 3 || status == 4)) || exit "$status"
}

say "26 HCAs on 4 rails, simulated; two real OpenSMs with the files of their package"
show fabric-drift lab up --fabric ibpod --base-port 0

say "No tenants yet: everybody is in the default partition (the last lines of the report)"
show fabric-drift check -o text:"$folder/stock.txt"
tail -n 2 "$folder/stock.txt"

say "The SM nodes get their files and start again; the hardware follows"
show fabric-drift render --output "$folder/rendered"
show fabric-drift lab load "$folder/rendered"
sleep 5
show fabric-drift check

say "Somebody writes a P_Key into an HCA. The subnet manager doesn't notice, and its sweeps won't repair it"
show fabric-drift lab infiniband drift rogue-pkey "gpu001 mlx5_0"
show fabric-drift check -v

say "The subnet stops"
show fabric-drift lab down
