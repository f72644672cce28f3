#!/usr/bin/env python3
"""What hooks cost a tool call of the real client: the time from the model's answer (a Bash call) to
the client's next request, with no hook, with this plugin as it comes in an ordinary session and with
each shell led through the filter (filter.attended), and with hooks in bash and Python beside it, in turns in one run. Two hooks that do nothing (a static program that returns)
show the client's own share: what starting two processes and talking to them costs it.

    benches/tool-call.py CLAUDE PLUGIN [ROUNDS [COMMAND [PATTERN]]]

CLAUDE is the client's executable, PLUGIN an assembled plugin folder (dist/overnight). A scripted
model on loopback asks for COMMAND (echo) 20 times a session; the session's first two are left out.
Only the cases whose name fits PATTERN are measured, and those without hooks.
"""
import http.server
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

CALLS, WARM = 20, 2
COMMAND = sys.argv[4] if len(sys.argv) > 4 else "echo"
PATTERN = sys.argv[5] if len(sys.argv) > 5 else ""


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Else the answer's second packet may wait 40 ms for the acknowledgement of the first.
    disable_nagle_algorithm = True
    gaps: list = []
    calls = 0
    answered = 0.0

    def log_message(self, *_):
        pass

    def do_POST(self):
        came = time.perf_counter()
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if not body.get("tools"):
            return self.send(text("ok"))
        if "tool_result" in json.dumps(body["messages"][-2:]):
            Model.gaps.append((came - Model.answered) * 1000)
        if Model.calls >= CALLS:
            return self.send(text("end"))
        Model.calls += 1
        self.send(bash(f"{COMMAND} {Model.calls}"))

    def send(self, data):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()
        Model.answered = time.perf_counter()


def events(block, delta, stop):
    message = {"id": "m", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
               "content": [], "stop_reason": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    parts = [("message_start", {"message": message}),
             ("content_block_start", {"index": 0, "content_block": block}),
             ("content_block_delta", {"index": 0, "delta": delta}),
             ("content_block_stop", {"index": 0}),
             ("message_delta", {"delta": {"stop_reason": stop}, "usage": {"output_tokens": 2}}),
             ("message_stop", {})]
    return "".join(f"event: {name}\ndata: {json.dumps({**part, 'type': name})}\n\n" for name, part in parts).encode()


def text(said):
    return events({"type": "text", "text": ""}, {"type": "text_delta", "text": said}, "end_turn")


def bash(command):
    block = {"type": "tool_use", "id": f"toolu_{Model.calls}", "name": "Bash", "input": {}}
    call = json.dumps({"command": command, "description": "count"})
    return events(block, {"type": "input_json_delta", "partial_json": call}, "tool_use")


def hooks_in(folder, program, script, after=True):
    """A plugin with one hook before and, as a rule, one after each call, in another language."""
    (folder / ".claude-plugin").mkdir(parents=True)
    (folder / ".claude-plugin/plugin.json").write_text(json.dumps({"name": folder.name, "version": "1.0.0"}))
    (folder / "hook").write_text(script)
    hook = [{"matcher": "Bash", "hooks": [{"type": "command", "command": program, "args": ["${CLAUDE_PLUGIN_ROOT}/hook"]}]}]
    (folder / "hooks").mkdir()
    events = ["PreToolUse", "PostToolUse"] if after else ["PreToolUse"]
    (folder / "hooks/hooks.json").write_text(json.dumps({"hooks": {event: hook for event in events}}))
    return folder


def nothing_in(folder):
    """A program that does nothing, static where a C compiler is there."""
    source, program = folder / "nothing.c", folder / "nothing"
    source.write_text("int main(void) { return 0; }\n")
    compiler = shutil.which("cc")
    if compiler and subprocess.run([compiler, "-static", "-O2", "-o", program, source]).returncode == 0:
        return str(program)
    return "/bin/true"


def session(claude, home, project, url, plugin):
    Model.calls, Model.gaps = 0, []
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-api03-overnight-tests-0123456789abcdef", "LANG": "C.UTF-8",
        "SHELL": "/bin/bash", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
    }
    command = [claude, "-p", "go", "--output-format", "json", "--allowedTools", f"Bash({COMMAND}:*)"]
    if plugin:
        command += ["--plugin-dir", str(plugin)]
    subprocess.run(command, env=environment, cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    if len(Model.gaps) != CALLS:
        sys.exit(f"{len(Model.gaps)} of {CALLS} calls seen with {plugin}")
    return Model.gaps[WARM:]


def alone(command, event, times=150):
    """The shortest of many starts, in ms."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        subprocess.run(command, input=json.dumps(event).encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        took.append((time.perf_counter() - began) * 1000)
    return min(took)


def main():
    claude, plugin = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as base:
        base = pathlib.Path(base)
        home, attended, project = base / "home", base / "attended", base / "project"
        home.mkdir()
        (attended / ".config/overnight").mkdir(parents=True)
        (attended / ".config/overnight/config.toml").write_text('[filter]\nattended = "on"\n')
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        shell = hooks_in(base / "in-bash", "/bin/bash", 'read -r -d "" event\ncommand=$(sed -n \'s/.*"command":"\\([^"]*\\)".*/\\1/p\' <<< "$event")\n[[ $command == *"rm -rf"* ]] && exit 2\nexit 0\n')
        python = hooks_in(base / "in-python", "/usr/bin/python3", "import json, sys\nevent = json.load(sys.stdin)\nsys.exit(2 if 'rm -rf' in event['tool_input']['command'] else 0)\n")
        idle = nothing_in(base)
        cases = {
            "no hooks": None,
            "one hook that does nothing": hooks_in(base / "one", idle, "", after=False),
            "two hooks that do nothing": hooks_in(base / "two", idle, ""),
            "Overnight as it comes": plugin,
            "Overnight, filter attended": plugin,
            "two hooks in bash": shell,
            "two hooks in Python": python,
        }
        cases = {name: folder for name, folder in cases.items() if re.search(PATTERN, name) or not folder}
        gaps = {name: [] for name in cases}
        for _ in range(rounds):
            for name, folder in cases.items():
                gaps[name] += session(claude, attended if "attended" in name else home, project, url, folder)
        event = {"session_id": "s", "cwd": str(project), "tool_name": "Bash", "tool_input": {"command": "echo 1"}}
        before = {**event, "hook_event_name": "PreToolUse"}
        after = {**event, "hook_event_name": "PostToolUse", "tool_response": {"stdout": "1", "stderr": "", "interrupted": False}}
        ours = [plugin / "bin/overnight", "hook"]
        programs = [alone([idle], before), alone([*ours, "PreToolUse"], before), alone([*ours, "PostToolUse"], after)]
        print("started alone: nothing {:.2f}, guard {:.2f}, filter {:.2f} ms (best of 150)".format(*programs))
    quarter = lambda each: sorted(each)[len(each) // 4]
    nothing = quarter(gaps["no hooks"]), statistics.median(gaps["no hooks"])
    print(f"{'':<32}{'best':>8}{'p25':>8}{'median':>8}{'p90':>8}  above no hooks (p25, median), ms; {rounds * (CALLS - WARM)} calls each")
    for name, each in gaps.items():
        each.sort()
        low, middle = quarter(each), statistics.median(each)
        print(f"{name:<32}{each[0]:>8.1f}{low:>8.1f}{middle:>8.1f}{each[len(each) * 9 // 10]:>8.1f}  {low - nothing[0]:.1f} {middle - nothing[1]:.1f}")


if __name__ == "__main__":
    os.umask(0o077)
    main()
