#!/usr/bin/env bash
# Measures the output filter side by side with what it replaces, in one run on the same machine:
#   1. logs of several kinds through the pipe (log written, digest made) against `tee FILE | wc -l`;
#   2. a command of 200 lines through the wrapper against the command alone.
# Usage: benches/output-filter.sh [MEGABYTES [KIND…]]   (needs bash, GNU time and a built output-filter,
# target/release/output-filter or what OUTPUT_FILTER_BIN names). Kinds: tests, places, warnings, colours,
# json, failures, log, gotest, jest, rustc, tracebacks, captures; without any all of them, and the run of 200
# lines, which is kind `small`. The four before the last have names of words and letters, so that hardly two
# lines differ in numbers only, and come again only after 12 to 20 MB; the last is what many real tools
# printed, one behind the other. A KIND with a slash in it is a file that is repeated.
set -euo pipefail
megabytes=${1:-1000}
shift || true
kinds=("$@")
[ ${#kinds[@]} -gt 0 ] || kinds=(tests places warnings colours json failures log gotest jest rustc tracebacks captures small)
for at in "${!kinds[@]}"; do
  [[ ${kinds[at]} != */* ]] || kinds[at]=$(realpath "${kinds[at]}")
done
here=$(cd "$(dirname "$0")/.." && pwd)
filter=${OUTPUT_FILTER_BIN:-$here/target/release/output-filter}
[ -x "$filter" ] || { echo "first: cargo build --release --bin overnight" >&2; exit 66; }
work=$(mktemp -d "${BENCH_DIR:-$(dirname "$filter")}/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" && mkdir .git && echo 'ref: refs/heads/main' > .git/HEAD

# A part of about 2 MB of each kind, of those with names of 12 to 20 MB, repeated up to the size.
part() {
  if [[ $1 == */* ]]; then
    local once
    once=$(wc -c < "$1")
    for ((size = 0; size < 2000000; size += once)); do cat "$1"; done
    return
  fi
  [ "$1" != captures ] || { cat "$here"/tests/cases/output-filter/captures/*.txt; return; }
  awk -v kind="$1" '
  function word(n) { return words[n % count + 1] }
  function letters(n) { return sprintf("%c%c%c%c", 97 + n % 26, 97 + int(n / 26) % 26, 97 + int(n / 676) % 26, 97 + int(n / 17576) % 26) }
  function name(n) { return word(n * 7) "_" letters(n * 7919) "_" word(int(n / 7) * 3) }
  BEGIN { esc = sprintf("%c", 27)
  count = split("user order invoice parse token stream buffer cache index query table column render layout button click event handler route request response header cookie session login password reset email message queue worker pool socket packet image pixel shape vector graph node leaf branch patch path", words, " ")
  most = kind == "gotest" ? 200000 : kind == "jest" ? 40000 : kind == "rustc" ? 60000 : kind == "tracebacks" ? 50000 : 20000
  for (i = 0; i < most; i++) {
    if (kind == "tests") { # 20,000 tests, some progress and log lines
      printf "test module_%d::sub_%d::case_%d ... ok\n", i % 97, i % 13, i
      if (i % 50 == 0) printf "   Compiling crate-%d v0.1.%d (/home/u/p/crates/c%d)\n", i, i % 10, i % 7
      if (i % 70 == 0) printf "2026-11-21T09:%02d:01Z INFO http request id=%08x path=/api/v1/items/%d status=200 took=%dms\n", i % 60, i * 7919, i, i % 90
    } else if (kind == "places") { # what a search or a trace prints
      printf "src/module_%d/file_%d.ts:%d:%d: const value%d = compute(input%d, options);\n", i % 97, i % 1013, i % 900, i % 80, i, i % 77
    } else if (kind == "warnings") {
      printf "src/module_%d/file_%d.c:%d:%d: warning: unused variable \"value%d\" [-Wunused-variable]\n", i % 97, i % 1013, i % 900, i % 80, i
      printf "  %d |   int value%d = 0;\n      |       ^~~~~~\n", i % 900, i
    } else if (kind == "colours") {
      printf "%s[32m  ✓%s[39m %s[2mmodule %d does what case %d wants%s[22m %s[33m%d%s[39m%s[2mms%s[22m\n", esc, esc, esc, i % 97, i, esc, esc, i % 90, esc, esc, esc
    } else if (kind == "json") { # long lines
      printf "{\"time\":\"2026-11-21T09:%02d:01Z\",\"level\":\"info\",\"msg\":\"request done\",\"path\":\"/api/v1/items/%d\"", i % 60, i
      for (j = 0; j < 20; j++) printf ",\"field%d\":{\"value\":%d,\"error\":null,\"text\":\"some text of %d words\"}", j, i * j, j
      printf "}\n"; if (i > 2000) exit
    } else if (kind == "failures") {
      printf "FAIL src/module_%d/file_%d.test.ts > suite %d > case %d\nAssertionError: expected %d to be %d\n ❯ src/module_%d/file_%d.test.ts:%d:%d\n\n", i % 97, i % 1013, i % 13, i, i, i + 1, i % 97, i % 1013, i % 900, i % 80
    } else if (kind == "gotest") { # go test -v, every tenth fails
      printf "=== RUN   Test_%s/%s\n", name(i), word(i * 3)
      if (i % 10 == 3) printf "    %s_test.go:%d: got %d, want %s\n", word(i), i % 900, i, word(i * 5)
      printf "--- %s: Test_%s/%s (0.%02ds)\n", i % 10 == 3 ? "FAIL" : "PASS", name(i), word(i * 3), i % 99
    } else if (kind == "jest") { # every third file fails
      if (i % 3) {
        printf "PASS src/%s/%s.test.js\n", word(i), name(i)
        for (j = 0; j < 5; j++) printf "    ✓ %s %s %s does what it should (%d ms)\n", word(i), word(i * 3 + j), word(i * 5 + j), (i + j) % 40
      } else {
        printf "FAIL src/%s/%s.test.js\n  ● %s › %s\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: %d\n    Received: %d\n\n", word(i), name(i), word(i * 3), name(i + 1), i, i + 1
        printf "      10 |   const value = compute(%s);\n    > 11 |   expect(value).toBe(%d);\n         |                 ^\n\n      at Object.toBe (src/%s/%s.test.js:11:%d)\n\n", name(i + 2), i, word(i), name(i), i % 80
      }
    } else if (kind == "rustc") {
      printf "error[E0425]: cannot find function `%s` in this scope\n  --> src/%s/%s.rs:%d:%d\n   |\n%3d |     let %s = %s(%d);\n   |             ^^^^^^^^ not found in this scope\n\n", name(i), word(i), word(i * 3), i % 900, i % 80, i % 900, word(i * 5), name(i), i
    } else if (kind == "tracebacks") { # of Python
      printf "Traceback (most recent call last):\n"
      for (j = 0; j < 3; j++) printf "  File \"/srv/%s/%s.py\", line %d, in %s\n    %s = self.%s(%s)\n", word(i + j), word(i * 3 + j), (i * 7 + j) % 900, name(i + j), word(i), name(i + j + 1), word(j)
      printf "ValueError: bad %s %s %d\n", word(i), word(i * 3), i
    } else { # a log of a service
      printf "2026-11-21 09:%02d:01,%03d %s [worker-%d] com.example.Service - request %08x failed over to node %d\n", i % 60, i % 1000, i % 9 ? "INFO " : "ERROR", i % 8, i * 7919, i % 5
      if (i % 40 == 0) printf "java.lang.IllegalStateException: pool %d is empty\n\tat com.example.Pool.take(Pool.java:%d)\n\tat com.example.Service.run(Service.java:%d)\n", i % 7, i % 200, i % 300
    }
  } }'
}
measure() { /usr/bin/time -f '%e %M' -o figures bash -c "$1" > /dev/null; cat figures; }
for kind in "${kinds[@]}"; do
  [ "$kind" != small ] || continue
  part "$kind" > part
  for _ in 1 2 3 4 5 6 7 8; do cat part; done > parts
  : > big
  while [ "$(stat -c %s big)" -lt $((megabytes * 1000000)) ]; do cat parts >> big; done
  echo "$kind: $(stat -c %s big) bytes"
  for round in ${ROUNDS:-1 2 3}; do
    read -r tee_seconds _ <<< "$(measure 'tee copy < big | wc -l')"
    rm -f copy
    read -r filter_seconds kilobytes <<< "$(measure "exec '$filter' < big")"
    rm -rf logs
    awk -v round="$round" -v t="$tee_seconds" -v f="$filter_seconds" -v k="$kilobytes" \
      'BEGIN { printf "  round %d: tee|wc %.2f s, output-filter %.2f s, ratio %.2f, %.1f MB resident\n", round, t, f, f / t, k / 1000 }'
  done
done

[[ " ${kinds[*]} " == *" small "* ]] || exit 0
seq -f 'test number_%g ... ok' 200 > small
runs=200
loop() { local start end; start=$(date +%s%N); for ((i = 0; i < runs; i++)); do "$@" > /dev/null; done; end=$(date +%s%N); echo $(((end - start) / runs / 1000)); }
echo "a run of 200 lines, mean of $runs:"
for round in 1 2 3; do
  alone=$(loop sh -c 'cat small')
  wrapped=$(loop "$filter" -- sh -c 'cat small')
  echo "  round $round: alone $alone us, wrapped $wrapped us, more: $((wrapped - alone)) us"
done
