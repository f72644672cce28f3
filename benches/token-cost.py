#!/usr/bin/env python3
"""What the plugin's always-on part costs: what the real client sends with its first request because
the plugin is there (descriptions of commands and agents, the session's start), beside a session
without it. Tokens are bytes / 4.

    benches/token-cost.py CLAUDE PLUGIN

CLAUDE is the client's executable, PLUGIN an assembled plugin folder (dist/overnight). The last line
is for a project whose progress/README.md fills what session-start restores.
"""
import difflib
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

ANSWER = [("message_start", {"message": {"id": "m", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
                                         "content": [], "stop_reason": None, "usage": {"input_tokens": 1, "output_tokens": 1}}}),
          ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
          ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "ok"}}),
          ("content_block_stop", {"index": 0}),
          ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}), ("message_stop", {})]


class Model(http.server.BaseHTTPRequestHandler):
    first = None

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if body.get("tools") and not Model.first:
            Model.first = body
        data = "".join(f"event: {name}\ndata: {json.dumps({**part, 'type': name})}\n\n" for name, part in ANSWER).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def texts(value):
    """Every text of a request, line by line: what is the same in both requests drops out."""
    if isinstance(value, str):
        yield from value.split("\n")
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)


def request(claude, base, url, plugin):
    Model.first = None
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(base / "home"), "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-api03-overnight-tests-0123456789abcdef", "LANG": "C.UTF-8",
        "SHELL": "/bin/bash", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
    }
    command = [claude, "-p", "go", "--output-format", "json"] + (["--plugin-dir", str(plugin)] if plugin else [])
    subprocess.run(command, env=environment, cwd=base / "project", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return list(texts({key: Model.first.get(key) for key in ("system", "tools", "messages")}))


def added(before, after):
    # The request's own ids and the client's session differ from run to run: only whole new lines count.
    lines = [line[2:] for line in difflib.ndiff(before, after) if line.startswith("+ ")]
    return "\n".join(line for line in lines if line.strip())


def main():
    claude, plugin = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as base:
        base = pathlib.Path(base)
        (base / "home").mkdir()
        subprocess.run(["git", "init", "-q", str(base / "project")], check=True)
        request(claude, base, url, None)  # the first start of a new HOME says more
        without = request(claude, base, url, None)
        noise = added(without, request(claude, base, url, None))
        with_plugin = request(claude, base, url, plugin)
        progress = base / "project/progress"
        progress.mkdir()
        (progress / "README.md").write_text("# where we are\n" + "- [x] a task that is done\n" * 1000)
        restored = request(claude, base, url, plugin)
    for name, text in [("two sessions without it", noise), ("with the plugin", added(without, with_plugin)),
                       ("and a progress page that is too long", added(without, restored))]:
        print(f"{name:<40}{len(text.encode()):>7} bytes {len(text.encode()) // 4:>6} tokens")
    if "--show" in sys.argv:
        print(added(without, with_plugin))


if __name__ == "__main__":
    main()
