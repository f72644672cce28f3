#!/bin/sh
# Machines that ssh reaches work on this repository's tasks.json together: sh fleet/start.sh
# Each needs git, overnight and claude, logged in, and access to the remote; nothing of that stands here.
set -eu
here=$(dirname -- "$0")
grep -v '^[[:space:]]*\(#\|$\)' "$here/hosts" | while IFS= read -r host; do
  echo "$host"
  ssh -o BatchMode=yes -- "$host" sh -s <<'MACHINE' || echo "$host: not started" >&2
set -eu
folder=$(mktemp -d "${TMPDIR:-/tmp}/overnight.XXXXXX")
git clone --quiet --branch @branch@ -- @url@ "$folder/work"
cd "$folder/work"
overnight trust
overnight join origin --members @members@ --detach
MACHINE
done
