#!/usr/bin/env python3
"""What the second wall costs a shell of the client in a cell: `output-filter shell` with and without it, alternating.

    cargo build --bin overnight && benches/cell.py [target/debug/output-filter [ENTRIES IN THE HOME]]
"""
import os, statistics, subprocess, sys, tempfile

ROUNDS = 300


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/debug/output-filter")
    entries = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    # Not in /tmp: everything that stands beside a folder on the way to a hidden file is opened.
    with tempfile.TemporaryDirectory(dir=os.path.expanduser("~")) as home:
        os.makedirs(f"{home}/.claude")
        for number in range(entries):
            os.makedirs(f"{home}/folder-{number}")
        plain = {"PATH": os.environ["PATH"], "HOME": home}

        def took(environment):
            child = subprocess.Popen([program, "shell", "--", "true"], env=environment, cwd=home)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = status
            assert status == 0
            return (used.ru_utime + used.ru_stime) * 1e3

        walled = plain | {"OVERNIGHT_CELL": "agent"}
        for _ in range(20):
            took(plain), took(walled)
        both = [(took(plain), took(walled)) for _ in range(ROUNDS)]
        without, within = (statistics.median(column) for column in zip(*both))
        print(f"processor time of a shell {without:.2f} ms, behind the wall {within:.2f} ms: {within - without:.2f} ms more, "
              f"{entries} entries in the home, median of {ROUNDS}")


main()
