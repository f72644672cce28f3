#!/usr/bin/env python3
"""What a second proof costs beside the bare gate, for gates of a given time.

Usage: benches/proof_sized.py OVERNIGHT [KIND…]   (needs python3 with pytest, node, cargo and go; no registry)

Small projects of six sources, whose tests wait, so that the gate takes about 0.3, 1 and 5 seconds more than it needs.
A run of three tasks: the first mends a fault; the second adds a page, which keeps everything green; the third adds a
function with tests of its own, red before green by these. Printed for each claim: the bare gate (the best of three),
its proof as a whole, each run in it (`!` is red) and everything between them, in milliseconds; and what the commit as
it is takes with everything between the runs, and the proof as a whole, in bare gates."""
import json, os, pathlib, shutil, subprocess, sys, tempfile, time

N = 6


def python(top, wait):
    for i in range(N):
        (top / f"m{i}.py").write_text(f"def add{i}(a, b):\n    return a + b + {i}\n\ndef name{i}(a):\n    return 'm{i}-' + a.strip().lower()\n")
        (top / f"tests/test_m{i}.py").write_text(
            f"import time, unittest\nfrom m{i} import add{i}, name{i}\n\nclass Sums(unittest.TestCase):\n"
            f"    def test_add(self):\n        time.sleep({wait})\n        self.assertEqual(add{i}(1, 2), {3 + i})\n\n"
            f"    def test_name(self):\n        self.assertEqual(name{i}(' A'), 'm{i}-a')\n")
    (top / "tests/__init__.py").write_text("")
    return "m0.py", "a + b", {
        "more.py": "def twice(a):\n    return a * 2\n",
        "tests/test_more.py": "import unittest\nfrom more import twice\n\nclass More(unittest.TestCase):\n    def test_twice(self):\n        self.assertEqual(twice(3), 6)\n"}


def node(top, wait):
    (top / "package.json").write_text('{"name":"p","version":"1.0.0","scripts":{"test":"node --test test/"}}\n')
    for i in range(N):
        (top / f"m{i}.js").write_text(f"exports.add = (a, b) => a + b + {i};\nexports.named = (a) => 'm{i}-' + a.trim().toLowerCase();\n")
        (top / f"test/m{i}.test.js").write_text(
            f"const test = require('node:test');\nconst assert = require('node:assert');\nconst m = require('../m{i}.js');\n"
            f"test('add', async () => {{\n  await new Promise((r) => setTimeout(r, {wait * 2 * 1000}));\n  assert.strictEqual(m.add(1, 2), {3 + i});\n}});\n"
            f"test('named', () => {{\n  assert.strictEqual(m.named(' A'), 'm{i}-a');\n}});\n")
    return "m0.js", "a + b", {
        "more.js": "exports.twice = (a) => a * 2;\n",
        "test/more.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { twice } = require('../more.js');\ntest('twice', () => {\n  assert.strictEqual(twice(3), 6);\n});\n"}


def cargo(top, wait):
    (top / "Cargo.toml").write_text('[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n')
    for i in range(N):
        (top / f"src/m{i}.rs").write_text(f"pub fn add(a: i64, b: i64) -> i64 {{\n    a + b + {i}\n}}\n\npub fn named(a: &str) -> String {{\n    format!(\"m{i}-{{}}\", a.trim().to_lowercase())\n}}\n")
    (top / "src/lib.rs").write_text("".join(f"pub mod m{i};\n" for i in range(N)))
    for i in range(2):
        (top / f"tests/t{i}.rs").write_text("".join(
            f"#[test]\nfn add{j}() {{\n    std::thread::sleep(std::time::Duration::from_millis({int(wait * 1000 * 2)}));\n    assert_eq!(p::m{j}::add(1, 2), {3 + j});\n}}\n\n"
            f"#[test]\nfn named{j}() {{\n    assert_eq!(p::m{j}::named(\" A\"), \"m{j}-a\");\n}}\n" for j in range(i, N, 2)))
    return "src/m0.rs", "a + b", {
        "src/lib.rs": "".join(f"pub mod m{i};\n" for i in range(N)) + "\npub fn twice(a: i64) -> i64 {\n    a * 2\n}\n",
        "tests/more.rs": "#[test]\nfn twice() {\n    assert_eq!(p::twice(3), 6);\n}\n"}


def go(top, wait):
    (top / "go.mod").write_text("module example.com/p\n\ngo 1.18\n")
    for i in range(N):
        (top / f"m{i}").mkdir()
        (top / f"m{i}/m.go").write_text(f"package m{i}\n\nfunc Add(a, b int) int {{\n\treturn a + b + {i}\n}}\n")
        (top / f"m{i}/m_test.go").write_text(
            f"package m{i}\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestAdd(t *testing.T) {{\n\ttime.Sleep({int(wait * 2 * 1000)} * time.Millisecond)\n"
            f"\tif got := Add(1, 2); got != {3 + i} {{\n\t\tt.Errorf(\"got %d\", got)\n\t}}\n}}\n")
    return "m0/m.go", "a + b", {
        "more/more.go": "package more\n\nfunc Twice(a int) int {\n\treturn a * 2\n}\n",
        "more/more_test.go": "package more\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif got := Twice(3); got != 6 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n"}


KINDS = {
    "unittest": (python, "python3 -m unittest discover -s tests -t ."),
    "pytest": (python, "pytest -q tests"),
    "node:test": (node, "node --test"),
    "cargo": (cargo, "cargo test -q --offline"),
    "go": (go, "go test -count=1 ./..."),
}
DIRS = {python: ["tests"], node: ["test"], cargo: ["src", "tests"], go: ["more"]}


def sh(command, cwd, env=None, check=True):
    done = subprocess.run(command, cwd=cwd, env=env, shell=isinstance(command, str), input="y\nyes\n", capture_output=True, text=True)
    if check and done.returncode:
        sys.exit(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def measure(overnight, kind, seconds, base):
    make, gate = KINDS[kind]
    home, top, log = base / "home", base / "project", base / "home/.cache/gates/log"
    log.parent.mkdir(parents=True)
    (base / "bin").mkdir()
    top.mkdir()
    for folder in DIRS[make]:
        (top / folder).mkdir()
    path, right, more = make(top, seconds / N)
    # The runner as it is, with a note of when it ran.
    program = gate.split()[0]
    wrapper = base / "bin" / program
    wrapper.write_text(f'#!/bin/sh\ns=$(date +%s%N)\n"{shutil.which(program)}" "$@"\nr=$?\necho $s $(date +%s%N) $r >> {log}\nexit $r\n')
    wrapper.chmod(0o755)
    env = {"HOME": str(home), "PATH": f"{base}/bin:{os.environ['PATH']}", "LANG": "C.UTF-8"}
    for tool, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
        env[tool] = os.environ.get(tool, os.path.expanduser(f"~/{folder}"))
    (top / ".gitignore").write_text("__pycache__/\n.pytest_cache/\ntarget/\nCargo.lock\n")
    sh(gate, top, env)
    bare = []
    for _ in range(3):
        start = time.monotonic()
        sh(gate, top, env)
        bare.append((time.monotonic() - start) * 1000)
    bare = min(bare)
    good = (top / path).read_text()
    (base / "good").write_text(good)
    (top / path).write_text(good.replace(right, "a - b", 1))
    for name, text in more.items():
        (base / "more" / name).parent.mkdir(parents=True, exist_ok=True)
        (base / "more" / name).write_text(text)
    task = lambda words, **more: dict(objective=words, definition_of_done=["$ " + gate], allowed_tools=[], status="todo", **more)
    tasks = {"mend": task("Make the tests pass."), "page": task("Add a page.", depends_on=["mend"], proof="green"),
             "twice": task("Add twice.", depends_on=["page"])}
    (top / "tasks.json").write_text(json.dumps(tasks))
    (top / "AGENT_PROMPT.md").write_text("Do the tasks.\n")
    sh("git init -q -b main && git config user.name b && git config user.email b@example.invalid && git add -A && git commit -qm start", top, env)
    sh(["script", "-qec", f"{overnight} trust", "/dev/null"], top, env)
    agent = (f"command:cat > /dev/null; case $OVERNIGHT_TASK in mend) cp {base}/good {path};; twice) cp -r {base}/more/. .;; "
             "*) echo '# A page' > PAGE.md;; esac; git add -A; git commit -qm work; echo '<DONE>done</DONE>'")
    run = sh([overnight, "run", "--agent", agent, "--max-iterations", "5", "--no-pr"], top, env, check=False)
    journal, = (top / ".git/overnight/runs").glob("*/journal.jsonl")
    records = [json.loads(line) for line in journal.read_text().splitlines()]
    ends, judged = ([r["t"] for r in records if r["event"] == event] for event in ("outcome", "judged"))
    gates = [tuple(int(n) / 1e6 for n in line.split()[:2]) + (line.endswith(" 0"),) for line in log.read_text().splitlines()]
    shown = json.loads(sh([overnight, "status", "--json"], top, env, check=False).stdout)
    standing = [task["standing"] for task in shown["night"]["tasks"]]
    if len(judged) != 3 or set(standing) - {"proved", "kept_green"}:
        print(f"{kind} {seconds}: {standing} {run.stderr[-600:]}", flush=True)
        return
    for task, end, judge, state in zip(tasks, ends, judged, standing):
        inside = [(stop - start, green) for start, stop, green in gates if end <= stop <= judge]
        proof = judge - end
        between = proof - sum(took for took, _ in inside)
        runs = " ".join(f"{took:.0f}{'' if green else '!'}" for took, green in inside)
        print(f"{kind} {seconds:g} s, {task} ({state}): bare {bare:.0f}, proof {proof:.0f}, runs {runs}, between {between:.0f}; "
              f"{(inside[0][0] + between) / bare:.2f}, {proof / bare:.2f}", flush=True)


def main():
    overnight = os.path.abspath(sys.argv[1])
    for kind in KINDS:
        if len(sys.argv) == 2 or kind in sys.argv[2:]:
            for seconds in (0.3, 1, 5):
                with tempfile.TemporaryDirectory() as base:
                    measure(overnight, kind, seconds, pathlib.Path(base).resolve())


main()
