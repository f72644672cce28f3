#!/usr/bin/env bash
# A cluster of one node for real: munge, slurmctld and slurmd of the distribution run the array that
# `overnight fleet init --on slurm` writes, against a bare remote. One machine gets the warning that Slurm sends
# before a time limit, one is killed. Says who did what and checks that each task was done once, on one line.
# Needs root, the packages slurm-wlm and munge, and no cluster of this machine. Usage: benches/slurm.sh [FOLDER OF THE BUILD]
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
bin=$(cd "${1:-$here/target/debug}" && pwd)
work=$(mktemp -d "${BENCH_DIR:-/tmp}/slurm.XXXXXX")
tasks=${TASKS:-32}

tidy() {
  scancel --quiet --user="$(id -un)" 2>/dev/null || true
  for one in slurmd slurmctld munged; do
    [ ! -f "$work/$one.pid" ] || kill "$(cat "$work/$one.pid")" 2>/dev/null || true
  done
  [ -n "${KEEP:-}" ] || rm -rf "$work"
}
trap tidy EXIT

head -c 1024 /dev/urandom > "$work/munge.key"
chmod 600 "$work/munge.key"
munged --force --key-file="$work/munge.key" --socket="$work/munge.sock" --pid-file="$work/munged.pid" \
  --log-file="$work/munged.log" --seed-file="$work/munge.seed"
export SLURM_CONF=$work/slurm.conf
mkdir "$work/spool" "$work/state"
# Eight processors whatever the machine has, so that four machines of two run at the same time.
cat > "$SLURM_CONF" <<CONF
ClusterName=bench
SlurmctldHost=$(hostname)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.sock
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
SlurmctldPort=26817
SlurmdPort=26818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
NodeName=$(hostname) CPUs=8
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
slurmctld
slurmd
until sinfo --noheader --format=%T 2>/dev/null | grep -q idle; do sleep 0.1; done

export HOME=$work/home PATH=$bin:$PATH TMPDIR=$work GIT_CONFIG_NOSYSTEM=1 BEGUN=$work/begun
mkdir "$HOME"
git config --global user.name Person
git config --global user.email person@example.invalid
git config --global init.defaultBranch main
git init -q "$work/seed"
git init -q --bare "$work/list.git"
cd "$work/seed"
git remote add origin "$work/list.git"
python3 - "$tasks" <<'LIST'
import json, sys
task = lambda at: {"objective": f"Write file {at}.", "definition_of_done": [f"test -s out/t{at}"], "allowed_tools": []}
with open("tasks.json", "w") as out:
    json.dump({f"t{at}": task(at) for at in range(int(sys.argv[1]))}, out, indent=1)
LIST
echo '# Write all files' > AGENT_PROMPT.md
cat > "$work/agent" <<'AGENT'
#!/bin/sh
sleep "${AGENT_SECONDS:-4}"
mkdir -p out
echo "m$SLURM_ARRAY_TASK_ID" > "out/$OVERNIGHT_TASK"
git add -A && git commit -q -m "Do $OVERNIGHT_TASK"
echo "<DONE>done</DONE>"
AGENT
chmod +x "$work/agent"
overnight fleet init --on slurm --machines 4 --members 2
# As a person does who reads it: another agent, and leases that end within the patience of a bench.
sed -i "s|overnight join origin|& --no-pr --ttl 60 --agent command:$work/agent|" fleet/fleet.sbatch
git add -A
git commit -q -m tasks
git push -q origin main

cd "$work"
job=$(sbatch --parsable seed/fleet/fleet.sbatch)
# landed: how many tasks the line holds.
landed() { git -C "$work/list.git" ls-tree -r --name-only auto/main -- out 2>/dev/null | wc -l; }
until [ "$(landed)" -ge 6 ]; do sleep 0.2; done
scancel --batch --signal=TERM "${job}_2"
# scancel would ask before it kills.
scontrol listpids "$(squeue --noheader --format=%A --job "${job}_3")" | awk 'NR > 1 && $1 > 0 {print $1}' | xargs kill -KILL || true
echo "m2 warned and m3 killed after $SECONDS s, with $(landed) tasks on the line"
while squeue --noheader --array --job "$job" 2>/dev/null | grep -q .; do sleep 0.5; done
sinfo --noheader --format='the node is %T'
for log in overnight-"$job"_*.log; do
  echo "$log: $(grep '^run ' "$log" || tail -n 1 "$log")"
done
git -C "$work/list.git" fsck --no-dangling
python3 - "$work" "$tasks" <<'CHECK'
import collections, subprocess, sys
work, tasks = sys.argv[1], int(sys.argv[2])
git = lambda *args: subprocess.run(["git", "-C", f"{work}/list.git", *args], check=True, text=True, capture_output=True).stdout
marks = git("log", "--first-parent", "--format=%(trailers:key=Overnight-Task,valueonly)", "auto/main").split("\n")
done = collections.Counter(mark.split(" ")[0] for mark in marks if mark.strip())
files = git("ls-tree", "-r", "--name-only", "auto/main", "--", "out").split()
by = collections.Counter(git("show", f"auto/main:{file}").strip() for file in files)
print("done", len(done), "of", tasks, "| by", dict(by))
assert len(done) == len(files) == tasks and set(done.values()) == {1} and {"m1", "m4"} <= set(by)
CHECK
left=$(find "$work" -maxdepth 1 -name 'overnight.*' | wc -l)
[ "$left" -le 1 ] || { echo "$left clones are left, and only that of the killed one may be"; exit 1; }
echo "all of it took $SECONDS s"
