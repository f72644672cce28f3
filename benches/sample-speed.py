#!/usr/bin/env python3
"""Speed of sample-tests beside sha256sum and wc on the same bytes.

    cargo build --release --bin overnight && benches/sample-speed.py

CPU seconds (user and system) and peak memory of each process, as wait4 reports them; the best of
five runs each, taken in turn.
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLE = str(ROOT / "target/release/sample-tests")
FOLDER = ROOT / "target/bench"


def lists():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, count in (("million", 1_000_000), ("thousand", 1_000)):
        path = FOLDER / name
        if path.exists():
            continue
        with open(path, "w", encoding="ascii") as file:
            for i in range(count):
                ids = f"tests/unit/pkg_{i % 997:03}/test_module_{i % 4999:04}.py::TestCase{i % 31:02}::test_{i:07}"
                file.write(ids.ljust(79, "x")[:79] + "\n")


def cost(words, path):
    with open(path, "rb") as stdin, open(os.devnull, "wb") as null:
        actions = [
            (os.POSIX_SPAWN_DUP2, stdin.fileno(), 0),
            (os.POSIX_SPAWN_DUP2, null.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, null.fileno(), 2),
        ]
        pid = os.posix_spawnp(words[0], words, os.environ, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{words[0]} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    lists()
    sample = [SAMPLE, "--rate", "0.1", "--agent", "a"]
    rows = [
        ("sha256sum, 1,000,000 ids", ["sha256sum"], FOLDER / "million"),
        ("wc -l, 1,000,000 ids", ["wc", "-l"], FOLDER / "million"),
        ("sample-tests, 1,000,000 ids", sample, FOLDER / "million"),
        ("sample-tests, 1,000 ids", sample, FOLDER / "thousand"),
        ("true (start of a process)", ["true"], FOLDER / "thousand"),
    ]
    best = {}
    for _ in range(5):
        for name, words, path in rows:
            seconds, memory = cost(words, path)
            known = best.get(name, (seconds, memory))
            best[name] = (min(seconds, known[0]), max(memory, known[1]))
    for name, (seconds, memory) in best.items():
        print(f"{name:<30} {seconds * 1000:8.1f} ms CPU {memory:8.0f} MB")
    base = best[rows[0][0]][0] + best[rows[1][0]][0]
    print(f"sample-tests / (sha256sum + wc): {best[rows[2][0]][0] / base:.2f}")


main()
