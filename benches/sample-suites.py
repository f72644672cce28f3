#!/usr/bin/env python3
"""Samples of real test suites: how many tests run, and which share of the time that takes.

    cargo build --release --bin sample-tests && benches/sample-suites.py [SUITE...]

Fetches the suites from their registries into target/suites: jinja2, packaging and more-itertools
(pytest), typenum (nextest), and a generated project for jest. For each suite:

1. two full runs; the second is the measure, with the caches of the first;
2. ten iterations at rate 0.1, first by single tests, then in the mode that `sample-tests run`
   chooses by itself; predicted and measured shares side by side.

"tests' share" is the measured time of the tests that ran against that of all tests, giants apart;
"CPU" and "wall" the whole run against the whole full run, start and collection included; on a
machine that does other things as well, CPU is the figure to look at.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLE = str(ROOT / "target/release/sample-tests")
HOME = ROOT / "target/suites"
SDISTS = {"jinja2": ["trio"], "packaging": ["pretend", "hypothesis", "tomli_w"], "more-itertools": []}
CRATE = "typenum"
ITERATIONS = int(os.environ.get("ITERATIONS", "10"))


def sh(*words, cwd=None, check=True, env=None):
    environment = {**os.environ, **(env or {})}
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if check and done.returncode:
        sys.exit(f"{' '.join(map(str, words))}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def python_suite(name):
    folder = HOME / name
    venv = folder / "venv"
    if not folder.exists():
        folder.mkdir(parents=True)
        sh("python3", "-m", "venv", venv)
        pip = venv / "bin/pip"
        sh(pip, "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", folder, name)
        with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
            archive.extractall(folder, filter="data")
        source = next(path for path in folder.iterdir() if path.is_dir() and path != venv)
        source.rename(folder / "src")
        sh(pip, "install", "-q", "pytest", *SDISTS[name], folder / "src")
    return folder / "src", "pytest", {"PATH": f"{venv}/bin:{os.environ['PATH']}"}


def rust_suite(name):
    folder = HOME / name
    if not folder.exists():
        registry = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
        source = sorted(registry.glob(f"registry/src/*/{name}-[0-9]*"))[-1]
        shutil.copytree(source, folder)
        with open(folder / "Cargo.toml", "a", encoding="utf-8") as file:
            file.write("\n[workspace]\n")
    return folder, "nextest", {}


def jest_suite(name):
    folder = HOME / name
    if not folder.exists():
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"devDependencies":{"jest":"*"}}')
        sh("npm", "install", "--no-audit", "--no-fund", "jest", cwd=folder)
        for i in range(60):
            loops = 200_000 * (1 + i * 7 % 10)
            text = f"test('t{i}', () => {{ let s = 0; for (let i = 0; i < {loops}; i++) s += Math.sqrt(i); expect(s).toBeGreaterThan(0); }});\n"
            (folder / f"t{i}.test.js").write_text(text)
    return folder, "jest", {}


def run(folder, runner, env, *options):
    plan = folder.parent / f"{folder.name}-plan.json"
    plan.unlink(missing_ok=True)
    started, before = time.monotonic(), os.times()
    done = sh(SAMPLE, "run", "--runner", runner, "--plan", plan, *options, cwd=folder, check=False, env=env)
    wall, after = time.monotonic() - started, os.times()
    spent = sum(after[2:4]) - sum(before[2:4])
    if not plan.exists():
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
    return (wall, spent), json.loads(plan.read_text()), done


def suite(name):
    fetch = python_suite if name in SDISTS else jest_suite if name == "jest" else rust_suite
    folder, runner, env = fetch(name)
    if not (folder / ".git").exists():
        sh("git", "init", "-q", cwd=folder)
        (folder / ".git/info/exclude").write_text("node_modules\ntarget\n")
    kept = folder / ".git/overnight/tests"
    shutil.rmtree(kept, ignore_errors=True)
    run(folder, runner, env, "--rate", "1", "--unit", "test")
    full, plan, done = run(folder, runner, env, "--rate", "1", "--unit", "test")
    print(f"\n{name}: {plan['n']} tests, full run {full[0]:.2f} s, {full[1]:.2f} s CPU", done.stdout.strip().splitlines()[-1:] or "")
    durations = kept / runner / "durations.json"
    base = durations.read_bytes()
    for mode, options in (("test", ["--unit", "test"]), ("auto", [])):
        rows = []
        for iteration in range(1, ITERATIONS + 1):
            durations.write_bytes(base)
            (kept / runner / "failed").unlink(missing_ok=True)
            options_ = ["--rate", "0.1", "--agent", "a", "--iteration", str(iteration), *options]
            cost, plan, _ = run(folder, runner, env, *options_)
            rows.append((plan, cost, spent(base, durations, plan)))
        report(mode, rows, full)


def spent(base, durations, plan):
    """Seconds of the tests of this run: those whose record changed; and of all but the giants."""
    before, after = json.loads(base)["tests"], json.loads(durations.read_text())["tests"]
    giants = set(plan["time"]["giants"]) if plan["time"] else set()
    file = lambda name: name.split("::")[0]
    ran = [name for name in after if after[name] != before.get(name)]
    all_ = sum(seconds for name, seconds in before.items() if name not in giants and file(name) not in giants)
    return len(ran), sum(after[name] for name in ran) / all_ if all_ else 0.0


def report(mode, rows, full):
    plans = [plan for plan, _, _ in rows]
    mean = lambda values: statistics.mean(list(values))
    spread = lambda values: f"{mean(values):.3f} ({min(values):.3f} to {max(values):.3f})"
    first = plans[0]
    print(f"  {mode}: by {first['unit']}, {mean(plan['k'] for plan in plans):.1f} of {first['n']} a time")
    if first["time"]:
        giants = first["time"]["giants"]
        print(f"    giants               {len(giants)}: {', '.join(giants[:3])}")
        print(f"    share, predicted     {spread([plan['time']['share'] for plan in plans])}")
        print(f"    tests' share, taken  {spread([share for _, _, (_, share) in rows])}")
        if first["time"]["cost_s"]:
            predicted = [plan["time"]["cost_s"] / plan["time"]["full_s"] for plan in plans]
            print(f"    wall, predicted      {spread(predicted)}")
    print(f"    CPU, taken           {spread([cost[1] / full[1] for _, cost, _ in rows])}")
    print(f"    wall, taken          {spread([cost[0] / full[0] for _, cost, _ in rows])}")


for chosen in sys.argv[1:] or [*SDISTS, CRATE, "jest"]:
    suite(chosen)
