#!/usr/bin/env bash
# Four machines for real on one: clones in network, process, host-name and mount namespaces that reach a remote over
# a bridge, two with clocks ten minutes off, share a list of 60 tasks. One is killed, one is cut off for longer
# than a lease lives. Says who did what and checks that each task was done once, on one line, in one report.
# Needs root, iproute2, git-daemon and faketime. Usage: benches/fleet.sh [FOLDER OF THE BUILD]
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
bin=$(cd "${1:-$here/target/debug}" && pwd)
work=$(mktemp -d "${BENCH_DIR:-/tmp}/fleet.XXXXXX")
tasks=${TASKS:-60} ttl=${TTL:-60} bridge=ovnfleet
libfaketime=$(ldconfig -p | awk '/libfaketime.so.1/ {print $NF; exit}')
[ -n "$libfaketime" ] || libfaketime=$(find /usr/lib -name libfaketime.so.1 | head -n 1)

tidy() {
  for at in 1 2 3 4; do
    [ ! -f "$work/m$at/pid" ] || kill -KILL "$(cat "$work/m$at/pid")" 2>/dev/null || true
    ip netns del "$bridge$at" 2>/dev/null || true
  done
  [ -z "${daemon:-}" ] || kill "$daemon" 2>/dev/null || true
  ip link del "$bridge" 2>/dev/null || true
  [ -n "${KEEP:-}" ] || rm -rf "$work"
}
trap tidy EXIT

export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --file "$GIT_CONFIG_GLOBAL" user.name Person
git config --file "$GIT_CONFIG_GLOBAL" user.email person@example.invalid
git config --file "$GIT_CONFIG_GLOBAL" init.defaultBranch main
git config --file "$GIT_CONFIG_GLOBAL" safe.directory '*'

git init -q "$work/seed"
cd "$work/seed"
python3 - "$tasks" <<'LIST'
import json, sys
task = lambda at: {"objective": f"Write file {at}.", "definition_of_done": [f"test -s out/t{at}"], "allowed_tools": []}
with open("tasks.json", "w") as out:
    json.dump({f"t{at}": task(at) for at in range(int(sys.argv[1]))}, out, indent=1)
LIST
echo '# Write all files' > AGENT_PROMPT.md
git add -A
git commit -q -m tasks
git clone -q --bare . "$work/srv/list.git"

ip link add "$bridge" type bridge
ip addr add 10.77.0.1/24 dev "$bridge"
ip link set "$bridge" up
git daemon --listen=10.77.0.1 --port=9418 --base-path="$work/srv" --export-all --enable=receive-pack \
  --reuseaddr --timeout=10 "$work/srv" 2>"$work/daemon.log" &
daemon=$!
until git ls-remote -q git://10.77.0.1/list.git >/dev/null 2>&1; do sleep 0.1; done

cat > "$work/agent" <<'AGENT'
#!/bin/sh
sleep "${AGENT_SECONDS:-6}"
mkdir -p out
hostname > "out/$OVERNIGHT_TASK"
git add -A && git commit -q -m "Do $OVERNIGHT_TASK"
echo "<DONE>done</DONE>"
AGENT
chmod +x "$work/agent"

# begin NUMBER SKEW: a machine with its own network, processes, name, boot and clock.
begin() {
  local at=$1 skew=$2 own=$work/m$1
  mkdir -p "$own/home/.cache"
  cat /proc/sys/kernel/random/uuid > "$own/boot"
  ip netns add "$bridge$at"
  ip link add "$bridge-$at" type veth peer name eth0 netns "$bridge$at"
  ip link set "$bridge-$at" master "$bridge" up
  ip -n "$bridge$at" addr add "10.77.0.$((at + 1))/24" dev eth0
  ip -n "$bridge$at" link set eth0 up
  ip -n "$bridge$at" link set lo up
  cat > "$own/run" <<RUN
hostname m$at
mount --bind $own/boot /proc/sys/kernel/random/boot_id
export HOME=$own/home PATH=$bin:\$PATH
[ -z "$skew" ] || export LD_PRELOAD=$libfaketime FAKETIME=$skew DONT_FAKE_MONOTONIC=1
cd $own
git clone -q git://10.77.0.1/list.git work && cd work
overnight trust
exec overnight join --members 2 --no-pr --ttl $ttl --agent command:$work/agent --max-duration 20m
RUN
  unshare --pid --fork --mount-proc --kill-child --uts --mount \
    nsenter --net="/run/netns/$bridge$at" bash "$own/run" >"$own/log" 2>&1 &
  echo $! > "$own/pid"
}

since=$SECONDS
begin 1 ""
begin 2 +600s
begin 3 -600s
begin 4 ""

# landed: how many tasks the line holds.
landed() { git -C "$work/srv/list.git" ls-tree -r --name-only auto/main -- out 2>/dev/null | wc -l; }
until [ "$(landed)" -ge 8 ]; do sleep 0.5; done
kill -KILL "$(cat "$work/m2/pid")"
echo "m2 killed after $((SECONDS - since)) s, with $(landed) tasks on the line"
ip link set "$bridge-3" down
cut=$SECONDS
echo "m3 cut off"
while [ $((SECONDS - cut)) -lt $((ttl + 30)) ]; do sleep 1; done
ip link set "$bridge-3" up
echo "m3 is back after $((SECONDS - cut)) s, with $(landed) tasks on the line"
for at in 1 3 4; do
  wait "$(cat "$work/m$at/pid")" && ended=0 || ended=$?
  echo "m$at ended with $ended after $((SECONDS - since)) s"
done

# A clone that never joined tells the night.
git clone -q git://10.77.0.1/list.git "$work/laptop"
cd "$work/laptop"
export HOME=$work/home PATH=$bin:$PATH
mkdir -p "$HOME"
# When its clock is ahead, that m2 is gone is known a lease after the first look.
overnight status > /dev/null || true
sleep $((ttl + 5))
overnight status --json > "$work/night.json" || true
overnight status || true
overnight report --md "$work/report.md" || true
git -C "$work/srv/list.git" fsck --no-dangling
python3 - "$work" "$tasks" <<'CHECK'
import collections, json, subprocess, sys
work, tasks = sys.argv[1], int(sys.argv[2])
git = lambda *args: subprocess.run(["git", "-C", f"{work}/srv/list.git", *args], check=True, text=True, capture_output=True).stdout
marks = git("log", "--first-parent", "--format=%(trailers:key=Overnight-Task,valueonly)", "auto/main").split("\n")
done = collections.Counter(mark.split(" ")[0] for mark in marks if mark.strip())
twice = {task: n for task, n in done.items() if n != 1}
files = git("ls-tree", "-r", "--name-only", "auto/main", "--", "out").split()
by = collections.Counter(git("show", f"auto/main:{file}").strip() for file in files)
night = json.load(open(f"{work}/night.json"))["night"]
print("done", len(done), "of", tasks, "| more than once:", twice, "| files on the line:", len(files), "| by", dict(by))
print("lines:", git("for-each-ref", "--format=%(refname)", "refs/heads/auto/").split())
print("the night:", night["sentence"])
told = collections.Counter(task["machine"] for task in night["tasks"])
# Of what landed behind the last word of its machine the line says whose it is, and nothing more.
untold = night["done"]["before"]
print("told of:", dict(told), "| by the line alone:", untold)
assert len(done) == tasks and not twice and len(files) == tasks and night["done"]["proved"] + untold == tasks
# A task that two machines did, because a lease ran out in the queue, may be told of either.
assert None not in told and set(told) <= set(by) and told.total() == tasks, (told, by)
assert {one["name"]: one["standing"] for one in night["machines"]} == {"m1": "ended", "m2": "gone", "m3": "ended", "m4": "ended"}
assert night["ending"] == "done"
CHECK
echo "all of it took $((SECONDS - since)) s"
