#!/bin/sh
# Measures `completion-check judge` on a 100 MB text beside `grep -c` for the marker, in one run:
# wall time of the best of five each, and the largest resident memory.
# usage: benches/judge.sh [path to completion-check]; the default is the release build.
set -eu
judge=${1:-target/release/completion-check}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - "$folder" <<'PYTHON'
import sys
line = b"Iteration 12: changed src/parser.rs, `cargo test` passes; see <https://example.org>.\n"
for name, lines in (("log", [line]), ("code", [b"```rust\n", b"let x = a < b;\n", b"```\n", line])):
    block = b"".join(lines) * (1_000_000 // sum(map(len, lines)))
    with open(f"{sys.argv[1]}/{name}", "wb") as out:
        for _ in range(100):
            out.write(block)
        out.write(b"\n<DONE>ok</DONE>\n")
PYTHON
python3 - "$judge" "$folder" <<'PYTHON'
import resource, subprocess, sys, time
judge, folder = sys.argv[1:]
def best(command):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        output = subprocess.run(command, capture_output=True)
        times.append(time.perf_counter() - start)
        assert output.returncode == 0, output
    return min(times)
for name in ("log", "code"):
    grep = best(["grep", "-c", "<DONE>", f"{folder}/{name}"])
    ours = best([judge, "judge", "--text", f"{folder}/{name}"])
    print(f"{name}: grep -c {grep*1000:.1f} ms, judge {ours*1000:.1f} ms, {ours/grep:.2f} times")
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"largest resident memory of all: {peak/1024:.1f} MiB")
PYTHON
