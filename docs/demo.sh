#!/usr/bin/env bash
# What `make demo` shows: a stock fabric, the playbook that brings it to the intent, three changes by hand, what finds
# them, and the playbook that puts them right.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
export FABRIC_DRIFT_LAB=$folder/lab FABRIC_DRIFT_INTENT=intent/pod1 FABRIC_DRIFT_INVENTORY=$folder/lab/inventory.yml
export ANSIBLE_FORKS=8 ANSIBLE_DISPLAY_SKIPPED_HOSTS=false ANSIBLE_LOCALHOST_WARNING=false
trap 'fabric-drift lab down >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
mkdir "$folder/rendered"

say() { printf '\n# %s\n' "$*"; }
# Runs a command in sight. Drift (exit code 4) and incomplete (3) are what a check may find, not failures.
show() {
	local status=0
	printf '$ %s\n' "$*" | sed "s#$folder#.#g; s#$PWD/##g"
	"$@" || status=$?
	((status == 0)) || echo "(exit code $status)"
	((status == 0 || status == 3 || status == 4)) || exit "$status"
}
# A new pod carries no jobs, so everything is allowed, by name. In service leave `allow` out: see before_you_write.md.
play() {
	show ansible-playbook -i "$FABRIC_DRIFT_INVENTORY" playbooks/roce_lossless.yml -e intent="$PWD/$FABRIC_DRIFT_INTENT" \
		-e allow=reload,unknown,in_place -e run_log="$folder/runs" -e look_every=1 "$@" >"$folder/play.txt" ||
		{ cat "$folder/play.txt"; exit 1; }
	grep -E '^\$|"(shape|[0-9]+ [a-z_]+[,":])' "$folder/play.txt" | cut -c 1-150
	sed -n '/^PLAY RECAP/,$p' "$folder/play.txt" | cut -c 1-80
}

# The hosts' own part: the program that guards a change there, a drain gate, and firmware, which the next boot brings.
hosts() {
	show ansible-playbook -i "$FABRIC_DRIFT_INVENTORY" playbooks/roce_hosts.yml -e gate=slurm \
		-e rendered="$folder/rendered" --tags all,firmware >"$folder/play.txt" || { cat "$folder/play.txt"; exit 1; }
	head -n 1 "$folder/play.txt" | cut -c 1-150
	grep -m 2 -- '-> .* at the next boot' "$folder/play.txt" || true
	sed -n '/^PLAY RECAP/,$p' "$folder/play.txt" | cut -c 1-80
	each "lab reboot"
}

say "An emulated fabric as it comes: stock SONiC, EOS and hosts, which Slurm has drained"
show fabric-drift lab up --base-port 0
fabric-drift render --output "$folder/rendered" >/dev/null
each() { for host in gpu{1..8}; do fabric-drift lab exec "$host" "$1"; done; }
each "lab uninstall roce-qos; lab slurm drained"
if lacks=$(fabric-drift lab sandbox); then
	say "The role roce_host installs on the hosts what a change needs there; they boot with their new firmware settings"
	hosts
else
	say "The hosts have program, drain gate and firmware settings from their image: the role that installs them $lacks"
	find "$folder/rendered" -type f ! -path '*/mlxconfig/*' -delete
	fabric-drift lab load "$folder/rendered" >/dev/null
	each "lab install roce-qos; lab gate drained"
fi
show fabric-drift check -o text:"$folder/stock.txt"
tail -n 2 "$folder/stock.txt"

say "The playbook shows what it will do, by shape, and does it: canaries, then waves, each device guarded by a timer"
play

say "Again: nothing is left to do"
play
show fabric-drift check

say "Three changes by hand, at night"
show fabric-drift lab drift leaf1 ports/Ethernet0/qos/pfc/watchdog
show fabric-drift lab drift leaf3 extra/pfc_priority
show fabric-drift lab drift gpu5 ports/0000:18:00.0/qos/pfc/priorities

say "What differs, who asked for it, and which line of the device says so"
show fabric-drift check -o text -o md:"$folder/report.md" -o json:"$folder/report.json"

say "The same for a ticket (its first lines)"
head -n 12 "$folder/report.md" | cut -c 1-150

say "The playbook puts them right"
play
show fabric-drift check

say "The fabric stops"
show fabric-drift lab down
