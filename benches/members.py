#!/usr/bin/env python3
"""What members and leases cost, beside plain git: benches/members.py [path of overnight] [trees|leases|merge|night]
Build first: cargo build --release --bin overnight"""
import glob, json, os, subprocess, sys, tempfile, time

TOOL = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/overnight")
WHICH = sys.argv[2:] or ["trees", "leases", "merge", "night"]


def environment(home):
    os.makedirs(home + "/.cache", exist_ok=True)
    path = os.path.dirname(TOOL) + ":" + os.environ["PATH"]
    names = {f"GIT_{who}_{what}": "t@t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {"HOME": home, "PATH": path, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", **names}


class Project:
    """A project on auto/night with a trusted list: each task with its gates, one a line."""

    def __init__(self, tasks, agent, files=0):
        self.folder = tempfile.TemporaryDirectory()
        root = os.path.realpath(self.folder.name)
        self.top, self.env = root + "/p", environment(root + "/home")
        os.makedirs(self.top)
        for number in range(files):
            folder = f"{self.top}/d{number // 100}"
            os.makedirs(folder, exist_ok=True)
            open(f"{folder}/f{number}", "w").write(f"{number}\n" * 20)
        open(self.top + "/AGENT_PROMPT.md", "w").write("x\n")
        entry = lambda gates: {"objective": "do it", "definition_of_done": gates.split("\n"), "allowed_tools": []}
        json.dump({task: entry(gates) for task, gates in tasks.items()}, open(self.top + "/tasks.json", "w"))
        self.sh("git init -qb main && git config maintenance.auto false && git add -A && git commit -qm s && git switch -qc auto/night && git gc -q")
        self.agent = root + "/agent"
        open(self.agent, "w").write(f"#!/bin/sh\n{agent}\necho '<DONE>x</DONE>'\n")
        os.chmod(self.agent, 0o755)
        trust = ["script", "-qec", f"{TOOL} trust tasks.json", "/dev/null"]
        subprocess.run(trust, cwd=self.top, env=self.env, input=b"y\nyes\n", capture_output=True)

    def sh(self, command):
        subprocess.run(command, shell=True, cwd=self.top, env=self.env, check=True, capture_output=True)

    def start(self, members):
        command = [TOOL, "run", "--members", str(members), "--agent", "command:" + self.agent, "--no-pr"]
        out = open(self.agent + ".out", "w")
        return subprocess.Popen(command, cwd=self.top, env=self.env, stdout=out, stderr=out, stdin=subprocess.DEVNULL)

    def journal(self):
        """What the run has recorded so far."""
        lines = [line for path in glob.glob(self.top + "/.git/overnight/runs/*/journal.jsonl") for line in open(path)]
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def night(self, members):
        """The seconds of a whole run, and its journal."""
        began = time.time()
        status = self.start(members).wait()
        took = time.time() - began
        assert status == 0, open(self.agent + ".out").read()[-2000:]
        return took, self.journal()


def trees():
    tasks = {f"t{n}": f"test -s t{n}" for n in range(8)}
    project = Project(tasks, "sleep 600", files=50_000)

    def git(numbers):
        began = time.time()
        for n in numbers:
            project.sh(f"git worktree add -q --detach ../plain{n}")
        return time.time() - began

    # Half before and half after, and none removed: a disk gets slower with all that was written and deleted.
    plain = git(range(4))
    run = project.start(8)
    given = []
    while len(given) < 8 and run.poll() is None:
        time.sleep(0.1)
        events = project.journal()
        given = [event["t"] for event in events if event["event"] == "hand_out"]
    run.terminate()
    run.wait()
    plain += git(range(4, 8))
    before = max(event["t"] for event in events if event["t"] < given[0])
    ours = (given[7] - before) / 1000
    print(f"8 work trees of 50,000 files: git {plain:.1f} s, members {ours:.1f} s, {ours / plain:.2f} times")


def leases():
    folder = tempfile.TemporaryDirectory()
    root = os.path.realpath(folder.name)
    env = environment(root + "/home")
    run = lambda arguments, **more: subprocess.run(arguments, cwd=root + "/p", env=env, check=True, capture_output=True, **more)
    os.makedirs(root + "/p")
    run(["git", "init", "-q", "--bare", root + "/remote.git"])
    run(["sh", "-c", "git init -q && git commit -q --allow-empty -m s && git remote add origin ../remote.git"])
    lock = os.path.dirname(TOOL) + "/task-lock"
    run([lock, "acquire", "t0", "--agent", "a"])
    record = run(["git", "--git-dir", root + "/remote.git", "log", "-1", "--format=%B", "refs/overnight/leases/t0"]).stdout
    stream = b""
    for n in range(1, 10_000):
        text = record.strip().replace(b'"t0"', b'"t%d"' % n)
        stream += b"commit refs/overnight/leases/t%d\ncommitter t <t@t> 1 +0000\ndata %d\n%s\n" % (n, len(text), text)
    run(["git", "--git-dir", root + "/remote.git", "fast-import", "--quiet"], input=stream)
    run([lock, "list"])
    run([lock, "doctor"])
    push = ["git", "push", "-q", "origin", "HEAD:refs/bench/new"]
    acquire = [lock, "acquire", "--agent", "a"]
    for what in ([lock, "list"], [lock, "list"], push, acquire + ["new1"], acquire + ["new2"]):
        began = time.time()
        run(what)
        print(f"10,000 leases, after packing: {os.path.basename(what[0])} {what[1]} {time.time() - began:.3f} s")


def merge():
    tasks = {f"t{n}": "it is written" for n in range(20)}
    claim = "completion-check declare complete --reason done --answer '1:it is there'"
    project = Project(tasks, f"echo x > $OVERNIGHT_TASK; git add -A; git commit -qm x; {claim}; exit")
    _, events = project.night(1)
    times, began = [], None
    for event in events:
        if event["event"] == "merging" and len(event["tasks"]) == 1:
            began = event["t"]
        elif event["event"] == "merge_ended" and began:
            times.append(event["t"] - began)
            began = None
    times.sort()
    print(f"a merge without gates: median of {len(times)} {times[len(times) // 2]} ms")


def night():
    # What a suite is: one gate of a second that every task has and that looks at the sources, beside a quick one
    # of its own.
    tasks = {f"t{n}": f"sleep 1; cat d*/* | grep -qx 0\ntest -s t{n}" for n in range(64)}
    project = Project(tasks, "sleep 1; echo x > $OVERNIGHT_TASK; git add -A; git commit -qm x", files=1)
    began = time.time()
    run = project.start(8)
    # Afterwards it tells how much of the change is proved, for as long as `proof.minutes` says.
    while not (proved := [event["t"] for event in project.journal() if event["event"] == "line_proved"]):
        assert run.poll() is None, open(project.agent + ".out").read()[-2000:]
        time.sleep(0.1)
    run.terminate()
    run.wait()
    took, ideal = proved[0] / 1000 - began, 64 / 8 * 2
    print(f"64 tasks of 1 s with gates of 1 s, 8 members: {took:.1f} s, {took / ideal:.2f} times {ideal:.0f} s")


for which in WHICH:
    globals()[which]()
