#!/usr/bin/env bash
# What a lease costs, beside a bare push to the same remote: benches/task-lock.sh [path of task-lock]
# Build first: cargo build --release --bin overnight
set -euo pipefail
tool=$(realpath "${1:-target/release/task-lock}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
git init -q --bare -b main remote.git
git clone -q "file://$folder/remote.git" one 2>/dev/null
(cd one && git commit -q --allow-empty -m start && git push -q origin HEAD:main)

now() { echo "${EPOCHREALTIME/./}"; }
# Prints median and 99th percentile in milliseconds of the microseconds in a file.
show() { sort -n "$2" | awk -v what="$1" '{v[NR]=$1} END {m=int((NR+1)/2); p=int(NR*0.99+0.999); printf "%-52s n=%-3d median %7.2f ms   p99 %7.2f ms\n", what, NR, v[m]/1000, v[p]/1000}'; }

cd one
for i in $(seq 30); do # alternating, so that both see the same machine
  # A bare push of a commit that the remote does not have, on a new ref.
  oid=$(git commit-tree "HEAD^{tree}" -m "$i")
  a=$(now); git push -q origin "$oid:refs/bench/$i"; b=$(now); echo $((b - a)) >> ../push
  a=$(now); "$tool" acquire "bench-$i" --agent a > /dev/null; b=$(now); echo $((b - a)) >> ../acquire
  a=$(now); "$tool" acquire "local-$i" --agent a --remote none > /dev/null; b=$(now); echo $((b - a)) >> ../local
  token=$(sed -n 's/^Token: //p' "current_tasks/bench-$i.txt")
  a=$(now); "$tool" check "bench-$i" --token "$token" > /dev/null; b=$(now); echo $((b - a)) >> ../check
  a=$(now); "$tool" --version > /dev/null; b=$(now); echo $((b - a)) >> ../start
  a=$(now); git --version > /dev/null; b=$(now); echo $((b - a)) >> ../git
done
cd ..
show "bare git push of a new ref, file://" push
show "task-lock acquire, uncontended, file://" acquire
show "task-lock acquire --remote none" local
show "task-lock check" check
show "task-lock --version (start of the process alone)" start
show "git --version (start of the process alone)" git
awk -v a="$(sort -n acquire | sed -n 15p)" -v p="$(sort -n push | sed -n 15p)" 'BEGIN {printf "acquire / bare push: %.2f\n", a / p}'

# 64 contenders in 64 clones.
git clone -q --no-local one model 2>/dev/null
for i in $(seq 64); do cp -r one "clone-$i"; done
race() { # name of the task, given the number of the contender
  rm -f times winners
  for i in $(seq 64); do
    (cd "clone-$i"; a=$(now); if "$tool" acquire "$($1 "$i")" --agent "a$i" > /dev/null 2>&1; then echo "$i" >> ../winners; fi; b=$(now); echo $((b - a)) >> ../times) &
  done
  wait
}
same() { echo contended; }
each() { echo "each-$1"; }
race same; show "64 clones at once on one task" times; echo "winners: $(wc -l < winners)"
race each; show "64 clones at once on 64 tasks" times; echo "winners: $(wc -l < winners)"
# 64 agents of one clone.
for i in $(seq 64); do rm -rf "clone-$i"; ln -s one "clone-$i"; done
shared() { echo shared; }
race shared; show "64 agents of one clone at once on one task" times; echo "winners: $(wc -l < winners)"
