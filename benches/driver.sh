#!/bin/sh
# Overhead of the driver: an agent that ends at once, 200 iterations, journal fsyncs included.
# Prints the median time from one start to the next, and the driver's largest resident size.
# Needs: a release build, git, GNU time (/usr/bin/time).
set -eu
cd "$(dirname "$0")/.."
cargo build --release --quiet --bin overnight
overnight=$PWD/target/release/overnight
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
git init -q . && echo '# Goal' > AGENT_PROMPT.md && git add -A
git -c user.name=b -c user.email=b@b.invalid commit -qm start
/usr/bin/time -q -f '%M' -o rss "$overnight" run --max-iterations 200 --calls-per-hour 10000 \
  --agent 'command:echo $OVERNIGHT_ITERATION > work' > /dev/null 2>&1 || [ $? -eq 1 ]
journal=$(ls .git/overnight/runs/*/journal.jsonl)
grep -o '"t":[0-9]*.*"event":"intent"' "$journal" | sed 's/"t":\([0-9]*\).*/\1/' |
  awk 'NR > 1 { print $1 - last } { last = $1 }' | sort -n |
  awk '{ v[NR] = $1 } END { printf "iterations %d\nmedian %d ms\np90 %d ms\n", NR + 1, v[int((NR + 1) / 2)], v[int(NR * 0.9)] }'
printf 'resident %s KB\n' "$(cat rss)"
