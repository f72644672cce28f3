#!/usr/bin/env python3
"""What the guard costs: processor time and memory of single processes, measured with wait4.

Run: cargo build --release --bin overnight && benches/guard.py
Nothing that is judged here is ever run. The answers of the hostile events are checked: each must be
"deny" or "ask".
"""
import json
import os
import subprocess
import sys
import tempfile
import time

GUARD = os.path.abspath(sys.argv[1] if len(sys.argv) == 2 else "target/release/command-guard")
DANGER = "rm -rf ~"
ORDINARY = [
    "cargo test 2>&1 | tail -20",
    "git add -A && git commit -m 'Fix it' && git push origin HEAD",
    "grep -rn 'rm -rf' scripts/ | head",
    "python3 -c 'import json; print(json.load(open(\"x.json\")))'",
    "for f in src/*.rs; do wc -l \"$f\"; done",
]


def run(arguments, path, env):
    """One process that reads a file: its output, status, CPU and wall milliseconds, peak memory in MB.

    Linux counts the memory of the process that starts another into the other's peak: this one stays
    small, the large events are made by another process (`--write`)."""
    with tempfile.TemporaryFile() as out, open(path, "rb") as given:
        start = time.monotonic()
        child = subprocess.Popen([GUARD, *arguments], stdin=given, stdout=out, stderr=subprocess.DEVNULL, env=env)
        _, status, used = os.wait4(child.pid, 0)
        wall = (time.monotonic() - start) * 1000
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        cpu = (used.ru_utime + used.ru_stime) * 1000
        return out.read(), child.returncode, cpu, wall, used.ru_maxrss / 1024


def event(command, **more):
    base = {"session_id": "s", "cwd": os.getcwd(), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    return json.dumps({**base, "tool_input": {"command": command}, **more}).encode()


def hostile():
    """Events in the manner of hostile.md 3.1, with their names."""
    good = event(DANGER)
    deep = b"[" * 100_000 + b"]" * 100_000
    yield from {
        "empty": b"", "blank": b" \n", "no JSON": b"not json", "truncated": good[:-1], "UTF-16": good.decode().encode("utf-16"),
        "byte order mark": b"\xef\xbb\xbf" + good, "null": b"null", "list": b"[]", "string": b'"x"', "1e999": b"1e999",
        "two documents": event("ls") + good, "rubbish behind": good + b"x", "log line before": b"log\n" + good,
        "key twice": good.replace(b'{"command"', b'{"command": "ls", "command"'),
        "input twice": good.replace(b'"tool_input"', b'"tool_input": {"command": "ls"}, "tool_input"'),
        "no tool name": good.replace(b'"tool_name"', b'"tool"'), "list for a name": good.replace(b'"Bash"', b'["Bash"]'),
        "small name": good.replace(b'"Bash"', b'"bash"'), "name with a blank": good.replace(b'"Bash"', b'"Bash "'),
        "input in a string": event(DANGER, tool_input=json.dumps({"command": DANGER})), "null input": event(DANGER, tool_input=None),
        "number": event(7), "list": event([DANGER]), "object": event({"a": DANGER}), "other case": good.replace(b'"command"', b'"Command"'),
        "bad UTF-8": good.replace(b"rm", b"r\xffm"), "lone surrogate": good.replace(b"rm", b"\\ud800rm"), "NUL": good.replace(b"rm", b"\\u0000rm"),
        "deep elsewhere": good[:-1] + b', "x": ' + deep + b"}", "deep input": good.replace(b'"command"', b'"y": ' + deep + b', "command"'),
        "deep alone": b"[" * 1_000_000, "many keys": good[:-1] + b"".join(b', "k%d": 1' % n for n in range(200_000)) + b"}",
        "long session": event(DANGER, session_id="x" * 100_000), "escape in session": event(DANGER, session_id="\n\x1b[2J"),
        "path as session": event(DANGER, session_id="../../../tmp/x"),
        "no folder": event(DANGER, cwd=None), "number for a folder": event(DANGER, cwd=7), "missing folder": event(DANGER, cwd="/nonexistent"),
        "long folder": event(DANGER, cwd="/x" * 100_000),
        "50 MB": event("x" * 50_000_000), "10 MB command": event("x" * 10_000_000), "10 MB of blanks": event(" " * 10_000_000 + DANGER),
        "1 MB comment": event("# " * 500_000 + "\n" + DANGER), "padding": event(":;" * 32_768 + DANGER), "5,000 segments": event("true;" * 5_000 + DANGER),
        "1 MB of segments": event("true;" * 200_000 + DANGER), "200 substitutions": event("$(" * 200 + DANGER + ")" * 200),
        "100,000 substitutions": event("$(" * 100_000 + DANGER + ")" * 100_000), "2,000 groups": event("(" * 2_000 + DANGER + ")" * 2_000),
        "10,000 open": event("(" * 10_000), "quotes": event("'\"\\" * 33_000 + DANGER), "nested shells": event("bash -c " * 9 + f"'{DANGER}'"),
        "git git": event("git " * 50_000), "long flags": event("rm -" + "rf" * 25_000 + " ~"), "blanks": event("rm" + " " * 50_000 + "-rf ~"),
        "doubling variables": event("a=xx;" + "a=$a$a;" * 64 + "$a; " + DANGER), "braces": event("echo " + "{a,b}" * 64 + ";" + DANGER),
        "here-documents": event("cat <<E " * 2_000), "cases": event("case x in " * 500), "backquotes": event("`" * 9_999),
        "functions": event("f() { g; g; }; g() { f; f; }; f; " + DANGER), "many functions": event("".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }};" for n in range(40)) + "f0; " + DANGER),
        "loops of ordinary commands": event("for a in 1 2 3 4 5 6 7 8; do " * 12 + "ls $a" + "; done" * 12),
        "loops": event("for a in 1 2 3 4 5 6 7 8; do " * 12 + DANGER + "; done" * 12), "aliases": event("alias a=b;" * 5_000 + DANGER),
        "base64 in base64": event("echo " + "A" * 500_000 + "= | base64 -d | base64 -d | sh; " + DANGER),
        "python code": event("python3 -c '" + "os.system(\"x\");" * 20_000 + "'; " + DANGER), "awk code": event("awk '" + "{print $1}" * 50_000 + "' f; " + DANGER),
        "sed code": event("sed '" + "s/a/b/;" * 50_000 + "' f; " + DANGER), "words": event("echo " + "a " * 400_000 + ";" + DANGER),
        "globs": event("rm -rf " + "*/" * 50_000), "SQL": event("psql -c '" + "select 1;" * 50_000 + "drop table x'"),
        "100,000 pieces": event("a|" * 100_000 + DANGER), "braces in braces": event("echo " + "{a," * 5_000 + "}" * 5_000 + ";" + DANGER),
        "ranges": event("echo {1..99999}{1..99999}{a..z};" + DANGER), "nested arithmetic": event("echo $((" * 3_000 + "1" + "))" * 3_000 + ";" + DANGER),
        "nested parameters": event("echo " + "${a:-" * 20_000 + "}" * 20_000 + ";" + DANGER), "long folder in it": event("rm -rf " + "a/" * 200_000),
        "redirections": event(">a " * 100_000 + DANGER), "combining marks": event("e" + "\u0301" * 400_000 + ";" + DANGER),
        "unicode": event("\u202e" * 200_000 + DANGER), "right to left": event("\u202els; " + DANGER),
    }.items()


def odd():
    """More of the same kind: keys spelled with escapes, odd names and types, broken text, other depths and tangles."""
    good = event(DANGER)
    key, name = b'"command":', b'"tool_name":'
    for what, new in {
        "escaped key": b'"\\u0063ommand":', "escaped key again": key + b'"ls","\\u0063ommand":', "escaped key first": b'"\\u0063ommand":"ls","command":',
        "key with NUL": b'"command\\u0000":', "key with a blank": b'" command":', "other key": b'"cmd":',
    }.items():
        yield what, good.replace(key, new)
    for field, value in ((b"tool_name", b'"Read"'), (b"hook_event_name", b'"Stop"'), (b"session_id", b'"x"'), (b"cwd", b'"/"')):
        yield "twice " + field.decode(), good.replace(b'"%s":' % field, b'"%s":%s,"%s":' % (field, value, field))
    for tool in ("BASH", "bash\n", "Bash\u0000", " Bash", "B\u0430sh", "", "mcp__sh__bash", "Shell", "Task\u200b", 7, {"a": 1}, True, None, 1.5):
        yield f"tool {tool!r}", event(DANGER, tool_name=tool)
    for given in ([{"command": DANGER}], 7, True, DANGER, {}, {"COMMAND": DANGER}, {"command": {"x": DANGER}}, {"command": True}, {"command": [["rm"]]}, {"tool_input": {"command": DANGER}}):
        yield f"input {given!r}"[:40], event(DANGER, tool_input=given)
    yield from {
        "inside data": json.dumps({"data": json.loads(good)}).encode(), "trailing comma": good[:-1] + b",}", "single quotes": good.replace(b'"', b"'"),
        "comment before": b"/* x */" + good, "NaN": good[:-1] + b',"x":NaN}', "raw line break": good.replace(b"rm", b"ls\nrm"), "raw control": good.replace(b"rm", b"r\x01m"),
        "raw NUL": good.replace(b"rm", b"r\x00m"), "UTF-16 backwards": good.decode().encode("utf-16be"), "UTF-32": good.decode().encode("utf-32"),
        "two marks": b"\xef\xbb\xbf" * 2 + good, "overlong": good.replace(b"~", b"\xc0\xaf"), "surrogate bytes": good.replace(b"rm", b"\xed\xa0\x80rm"),
        "two high surrogates": good.replace(b"rm", b"\\ud800\\ud800rm"), "low surrogate first": good.replace(b"rm", b"\\udc00\\ud800rm"),
        "record separator": b"\x1e" + good, "danger first": good + b"\n" + event("ls"), "8 MB of braces": b"{" * 8_000_000, "8 MB of quotes": b'"' * 8_000_000,
        "8 MB of backslashes": good.replace(b"rm", b"\\\\" * 4_000_000 + b";rm"), "key of 10 MB": good[:-1] + b',"' + b"k" * 10_000_000 + b'":1}',
        "a million elements": good[:-1] + b',"x":[' + b"[]," * 999_999 + b"[]]}", "deep objects": good.replace(key, b'"y":' + b'{"a":' * 400_000 + b"1" + b"}" * 400_000 + b"," + key),
        "number of 5 MB": good[:-1] + b',"x":' + b"9" * 5_000_000 + b"}", "a list of 10 MB": event("true;" * 2_000_000 + DANGER),
    }.items()
    for piece in ("$(", "${", "((", "<<A ", "\\\n", "`", "|&", "*?[", "[", "[[ ", "for i in a; do ", "a=b ", "<(", "$'\\x41'", "#\n", ">&1 ", "'a'\"b\""):
        yield f"1.9 MB of {piece!r}", event(piece * (1_900_000 // len(piece)) + "\n" + DANGER)
    for folder in ("/proc/self/root/../..", "/tmp\u0000", "~", "", "../..", "C:\\"):
        yield f"folder {folder!r}", event(DANGER, cwd=folder)


def write(folder):
    """Every event and command as a file, and their names in order."""
    line = "echo hello world from a long list of words;"
    names = []

    def put(kind, name, data):
        with open(os.path.join(folder, str(len(names))), "wb") as file:
            file.write(data)
        names.append((kind, name))

    for command in ORDINARY:
        put("ordinary", command, event(command))
    for mebibytes in (0.25, 0.5, 1, 1.9, 2, 5, 10):
        size = int(mebibytes * (1 << 20))
        put("size", f"{mebibytes:5.2f} MiB in one word", ("echo " + "x" * size).encode())
        put("size", f"{mebibytes:5.2f} MiB in a list of commands", (line * (size // len(line))).encode())
        put("event", f"{mebibytes:5.2f} MiB as an event", event(line * (size // len(line)) + DANGER))
    for name, data in [*hostile(), *odd()]:
        put("hostile", name, data)
    with open(os.path.join(folder, "names"), "w") as file:
        json.dump(names, file)


def main():
    home, folder = tempfile.mkdtemp(), tempfile.mkdtemp()
    env = {"HOME": home, "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, os.path.abspath(__file__), "--write", folder], check=True)
    with open(os.path.join(folder, "names")) as file:
        names = [(kind, name, os.path.join(folder, str(at))) for at, (kind, name) in enumerate(json.load(file))]
    ordinary = [path for kind, _, path in names if kind == "ordinary"]
    calls = [run(["check", command], os.devnull, env)[2] for _ in range(50) for command in ORDINARY]
    calls += [run(["hook"], path, env)[2] for _ in range(50) for path in ordinary]
    calls.sort()
    print(f"ordinary command, CPU per process with its start: median {calls[len(calls) // 2]:.2f} ms, 95th of 100 {calls[len(calls) * 95 // 100]:.2f} ms")
    for name, path in [(name, path) for kind, name, path in names if kind == "size"]:
        print(f"{name}: {min(run(['check'], path, env)[2] for _ in range(3)):.0f} ms")
    for name, path in [(name, path) for kind, name, path in names if kind == "event"]:
        times = [run(["hook"], path, env) for _ in range(3)]
        print(f"{name}: {min(used[2] for used in times):.0f} ms, {max(used[4] for used in times):.0f} MB")
    count, slowest, largest, wrong = 0, (0, ""), (0, ""), []
    for name, path in [(name, path) for kind, name, path in names if kind == "hostile"]:
        out, status, _, wall, memory = run(["hook"], path, env)
        count += 1
        slowest, largest = max(slowest, (wall, name)), max(largest, (memory, name))
        if wall > 300 or memory > 40:
            print(f"  {name}: {wall:.0f} ms, {memory:.0f} MB")
        if status not in (0, 2) or not (b'"deny"' in out or b'"ask"' in out):
            wrong.append(name)
    floor = run(["check", "ls"], os.devnull, env)[4]
    print(f"{count} hostile events: slowest {slowest[0]:.0f} ms ({slowest[1]}), largest {largest[0]:.0f} MB ({largest[1]}; an ls shows {floor:.0f} MB), wrong: {wrong or 'none'}")


if sys.argv[1:2] == ["--write"]:
    write(sys.argv[2])
else:
    main()
