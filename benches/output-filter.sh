#!/usr/bin/env bash
# Measures the output filter side by side with what it replaces, in one run on the same machine:
#   1. a log of 1 GB through the pipe (log written, digest made) against `tee FILE | wc -l`;
#   2. a command of 200 lines through the wrapper against the command alone.
# Usage: benches/output-filter.sh [MEGABYTES]   (needs a release build, bash, GNU time)
set -euo pipefail
megabytes=${1:-1000}
filter=$(cd "$(dirname "$0")/.." && pwd)/target/release/output-filter
[ -x "$filter" ] || { echo "first: cargo build --release --bin output-filter" >&2; exit 66; }
work=$(mktemp -d "${BENCH_DIR:-$(dirname "$filter")}/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" && mkdir .git && echo 'ref: refs/heads/main' > .git/HEAD

# Ordinary test output: 20,000 tests, some progress and log lines, repeated up to the size.
awk 'BEGIN { for (i = 0; i < 20000; i++) {
  printf "test module_%d::sub_%d::case_%d ... ok\n", i % 97, i % 13, i
  if (i % 50 == 0) printf "   Compiling crate-%d v0.1.%d (/home/u/p/crates/c%d)\n", i, i % 10, i % 7
  if (i % 70 == 0) printf "2026-11-21T09:%02d:01Z INFO http request id=%08x path=/api/v1/items/%d status=200 took=%dms\n", i % 60, i * 7919, i, i % 90
} }' > part
while [ "$(stat -c %s big 2>/dev/null || echo 0)" -lt $((megabytes * 1000000)) ]; do
  for _ in 1 2 3 4 5 6 7 8; do cat part; done >> big
done
measure() { /usr/bin/time -f '%e %M' -o figures bash -c "$1" > /dev/null; cat figures; }
echo "throughput: $(stat -c %s big) bytes"
for round in 1 2 3; do
  read -r tee_seconds _ <<< "$(measure 'tee copy < big | wc -l')"
  rm -f copy
  read -r filter_seconds kilobytes <<< "$(measure "exec '$filter' < big")"
  rm -rf logs
  awk -v round="$round" -v t="$tee_seconds" -v f="$filter_seconds" -v k="$kilobytes" \
    'BEGIN { printf "  round %d: tee|wc %.2f s, output-filter %.2f s, ratio %.2f, %.1f MB resident\n", round, t, f, f / t, k / 1000 }'
done

seq -f 'test number_%g ... ok' 200 > small
runs=200
loop() { local start end; start=$(date +%s%N); for ((i = 0; i < runs; i++)); do "$@" > /dev/null; done; end=$(date +%s%N); echo $(((end - start) / runs / 1000)); }
echo "a run of 200 lines, mean of $runs:"
for round in 1 2 3; do
  alone=$(loop sh -c 'cat small')
  wrapped=$(loop "$filter" -- sh -c 'cat small')
  echo "  round $round: alone $alone us, wrapped $wrapped us, more: $((wrapped - alone)) us"
done
