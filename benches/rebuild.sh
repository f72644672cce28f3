#!/usr/bin/env bash
# Measures what a change costs the person who makes it, for each given commit in the same run: a cold debug build
# of the programs, then, after one changed constant, the time until the programs are built again and until the
# tests of the crate with that constant have been built and begin.
# Usage: benches/rebuild.sh COMMIT FILE:CONSTANT… [-- COMMIT FILE:CONSTANT…]…
# For example: benches/rebuild.sh HEAD lib/digest/src/block.rs:LINES_MAX lib/guard/src/answer.rs:REPEATS_MANY
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d "${BENCH_DIR:-$here/target}/rebuild.XXXXXX")
trap 'rm -rf "$work"' EXIT
export CARGO_TERM_QUIET=true

# Runs a command and prints what it took, in seconds.
took() {
  local what=$1 begin=$EPOCHREALTIME
  shift
  "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
  awk -v from="$begin" -v to="$EPOCHREALTIME" -v what="$what" 'BEGIN { printf "  %-60s %6.1f s\n", what, to - from }'
}

# Adds 1 to the number of a constant.
change() {
  perl -pi -e "s/(const $2: \\w+ = )(\\d+)/\$1 . (\$2 + 1)/e" "$1"
}

while [ $# -gt 0 ]; do
  commit=$1 tree=$work/$1
  shift
  git clone -q "$here" "$tree"
  git -C "$tree" checkout -q "$commit"
  cd "$tree"
  echo "$commit"
  cargo fetch --locked
  took "cold build of the programs" cargo build --bins --locked
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    file=${1%:*} constant=${1#*:}
    shift
    crate=overnight-$(cut -d/ -f2 <<<"$file")
    cargo test -p "$crate" --lib --locked --no-run >"$work/out" 2>&1
    change "$file" "$constant"
    took "$file: programs" cargo build --bins --locked
    took "$file: tests of $crate begin" cargo test -p "$crate" --lib --locked --no-run
  done
  [ $# -eq 0 ] || shift
  cd "$here"
done
