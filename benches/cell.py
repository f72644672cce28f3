#!/usr/bin/env python3
"""What the second wall costs a shell of the client in a cell: `output-filter shell` with and without it, alternating; and
what it costs the kernel to keep the ports closed on which a desk listens.

    cargo build --bin overnight && benches/cell.py [target/debug/output-filter [ENTRIES IN THE HOME]]
"""
import ctypes, os, statistics, subprocess, sys, tempfile, time

ROUNDS = 300


def ports():
    """Every port but sixteen, in a process of its own: the list, the wall, and a wall behind it, which gets a copy."""
    if os.fork():
        os.wait()
        return
    call = ctypes.CDLL(None, use_errno=True).syscall

    class Handled(ctypes.Structure):
        _fields_ = [("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]

    class Port(ctypes.Structure):
        _fields_ = [("access", ctypes.c_uint64), ("port", ctypes.c_uint64)]

    def used(work):
        before = time.process_time()
        return work(), (time.process_time() - before) * 1e3

    made = lambda files, net: call(444, ctypes.byref(Handled(files, net, 0)), 24, 0)
    ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
    rules = made(0, 2)
    one = Port(2, 0)
    for one.port in range(65536):
        if not 61000 <= one.port <= 61015:
            call(445, rules, 2, ctypes.byref(one), 0)
    (_, first), (_, second) = used(lambda: call(446, rules, 0)), used(lambda: call(446, made(2, 0), 0))
    print(f"with the ports of desks closed a wall takes the kernel {first:.1f} ms, one behind it {second:.1f} ms")
    os._exit(0)


def main():
    ports()
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
