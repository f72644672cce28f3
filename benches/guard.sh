#!/usr/bin/env bash
# What the guard costs: a process for an ordinary command, and commands of growing size.
# Run: cargo build --release --bin command-guard && benches/guard.sh
set -euo pipefail
bin=${1:-target/release/command-guard}
ms() { local start=$EPOCHREALTIME; "$@" >/dev/null || true; local end=$EPOCHREALTIME; awk -v a="$start" -v b="$end" 'BEGIN{printf "%.1f ms\n", (b-a)*1000}'; }
hundred() { for _ in $(seq 100); do "$bin" check 'cargo test 2>&1 | tail -20' || true; done; }
echo "100 processes, ordinary command: $(ms hundred)"
for kib in 64 256 1024 2000; do
  word() { printf 'echo %*s' $((kib * 1024)) '' | tr ' ' x | sed 's/xx*/ &/' | "$bin" check; }
  list() { yes 'echo hello world from a long list of words;' | tr -d '\n' | head -c $((kib * 1024 / 43 * 43)) | "$bin" check; }
  echo "$kib KiB in one word: $(ms word); in a list of commands: $(ms list)"
done
large() { head -c 10000000 /dev/zero | tr '\0' x | "$bin" check; }
echo "10 MB: $(ms large)"
