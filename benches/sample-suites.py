#!/usr/bin/env python3
"""Samples of real test suites: how many tests run, and which share of the time that takes.

    cargo build --release --bin overnight && benches/sample-suites.py [SUITE...]

Fetches the suites from their registries into target/suites: jinja2, packaging and more-itertools
(pytest), typenum (nextest), and a generated project of 150 files for jest. For each suite:

1. four full runs: the first fills caches, the others make the durations known;
2. ROUNDS times (default 3) the ten iterations at rate 0.1, by single tests; then once the ten in the
   mode that `sample-tests run` chooses by itself, where that is another.

"tests, predicted" is the plan's share of the time, giants apart. "tests, taken" is what the tests of
one iteration took, as their runner recorded it (for pytest set-up, call and tear-down, and the
median of what pytest spends between them), against what those of all ten took; of each test the
shortest time of all rounds, since whatever else the machine does only adds to it; "in one round" is
the same without that. Given are the median of the ten iterations and their range. "whole" is the run, start, listing and
collection included, against a full run, as the plan predicts it, on the wall and in CPU time. On a
machine that does other things as well, CPU is the figure to look at; `nice -n -20` keeps those away.
"""

import hashlib
import json
import math
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
ROUNDS = int(os.environ.get("ROUNDS", "3"))
SEED = "a"


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
        for i in range(150):
            loops = 100_000 * (1 + i * 7 % 10)
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
    whole = ["--rate", "1", "--unit", "test"]
    run(folder, runner, env, *whole)
    (kept / runner / "durations.json").unlink()
    fulls = [run(folder, runner, env, *whole) for _ in range(3)]
    full = [statistics.median(cost[i] for cost, _, _ in fulls) for i in (0, 1)]
    plan = fulls[-1][1]
    base = (kept / runner / "durations.json").read_text()
    last = fulls[-1][2].stdout.strip().splitlines()[-1:]
    print(f"\n{name}: {plan['n']} tests, full run {full[0]:.2f} s, {full[1]:.2f} s CPU", last or "")
    single = [rounds(folder, runner, env, base, ["--unit", "test"]) for _ in range(ROUNDS)]
    report("by single tests", single, full)
    auto = rounds(folder, runner, env, base, [])
    if auto[0][0]["unit"] != single[0][0][0]["unit"]:
        report("chosen by itself", [auto], full)


def rounds(folder, runner, env, base, options):
    """The ten iterations, each with nothing known but `base`: plan, cost, seconds by test."""
    kept = folder / ".git/overnight/tests" / runner
    durations = kept / "durations.json"
    frozen = kept / f"frozen-{hashlib.sha256(SEED.encode()).hexdigest()[:16]}.json"
    rows = []
    # Iteration 11 is the first part again; from the second on the frozen durations hold.
    for iteration in range(2, 12):
        for file in (durations, kept / "failed"):
            file.unlink(missing_ok=True)
        frozen.write_text(base)
        which = ["--rate", "0.1", "--agent", SEED, "--iteration", str(iteration)]
        cost, plan, _ = run(folder, runner, env, *which, *options)
        ran = json.loads(durations.read_text())["tests"] if durations.exists() else {}
        rows.append((plan, cost, ran))
    return rows


def shares(parts):
    """Each part of what all take together."""
    sums = [sum(part.values()) for part in parts]
    return [seconds / sum(sums) for seconds in sums]


def report(mode, all_rounds, full):
    rows = [row for rows in all_rounds for row in rows]
    single = [share for rows in all_rounds for share in shares([ran for _, _, ran in rows])]
    shortest = [
        {name: min(ran.get(name, math.inf) for _, _, ran in same) for name in same[0][2]}
        for same in zip(*all_rounds)
    ]
    spread = lambda values: f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"
    first = rows[0][0]
    count = statistics.mean(plan["k"] for plan, _, _ in rows)
    ran = statistics.mean(len(ran) for _, _, ran in rows)
    print(f"  {mode}: by {first['unit']}, {count:.1f} of {first['n']} drawn, {ran:.1f} tests ran a time")
    if first["time"]:
        giants = first["time"]["giants"]
        print(f"    giants            {len(giants)}: {', '.join(giants[:3])}")
        print(f"    tests, predicted  {spread([plan['time']['share'] for plan, _, _ in rows])}")
        if first["time"]["cost_s"]:
            predicted = [plan["time"]["cost_s"] / plan["time"]["full_s"] for plan, _, _ in rows]
            print(f"    whole, predicted  {spread(predicted)}")
    print(f"    tests, taken      {spread(shares(shortest))}")
    print(f"    in one round      {spread(single)}")
    print(f"    whole, wall       {spread([cost[0] / full[0] for _, cost, _ in rows])}")
    print(f"    whole, CPU        {spread([cost[1] / full[1] for _, cost, _ in rows])}", flush=True)


for chosen in sys.argv[1:] or [*SDISTS, CRATE, "jest"]:
    suite(chosen)
