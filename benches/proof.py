#!/usr/bin/env python3
"""Proofs of real projects beside their bare gate.

Usage: benches/proof.py OVERNIGHT [NAME…]   (needs python3, node with npm, cargo, go, apt-get, and the registries)

Two projects each of Python, JavaScript, Rust and Go are fetched from PyPI, npm, crates.io and Debian, with what
their tests need in ignored folders (a virtual environment, node_modules, vendored sources). Each gets a fault in its
sources and a run of two tasks: the first mends the fault, the second adds a page, which keeps everything green.
Nothing is set up for Overnight. Printed for each: whether both were proved, the bare gate in the person's tree (the
best of three), the second proof as a whole, and what of it were gates: on the commit as it is, with canaries, with
wrong expectations; and everything between them."""
import json, os, pathlib, shutil, subprocess, sys, tempfile, time

PROJECTS = [
    # name, kind, version, gate, file with the fault, what stands there, the fault
    ("python-slugify", "pypi", "8.0.4", ".venv/bin/python -m unittest -q test", "slugify/slugify.py", "text = text.lower()", "text = text"),
    ("tabulate", "pypi", "0.9.0", ".venv/bin/python -m pytest -q test", "tabulate/__init__.py", 'fmt = "{0:<%ds}" % width', 'fmt = "{0:>%ds}" % width'),
    ("minimist", "npm", "1.2.8", "npx tape test/*.js", "index.js", "setKey(argv, key.split('.'), value);", "setKey(argv, [key], value);"),
    ("qs", "npm", "6.14.0", "npx tape test/*.js", "lib/formats.js", "'+'", "'%2B'"),
    ("semver", "crate", "1.0.26", "cargo test -q --offline", "src/eval.rs", "if ver.minor != minor", "if ver.minor == minor"),
    ("indexmap", "crate", "2.7.1", "cargo test -q --offline", "src/map.rs", "self.as_entries().first()", "self.as_entries().last()"),
    ("spf13/cast", "go", "", "go test ./...", "caste.go", "return strconv.FormatBool(s), nil", 'return "", nil'),
    ("stretchr/testify", "go", "", "go test ./assert ./require ./mock", "assert/assertions.go", "return bytes.Equal(exp, act)", "return !bytes.Equal(exp, act)"),
]
NPM = {"minimist": "tape@5", "qs": "tape@5 es-value-fixtures for-each has-bigints has-override-mistake has-property-descriptors "
       "has-proto has-symbols iconv-lite@0.5 mock-property object-inspect qs-iconv safer-buffer side-channel"}
SLUGIFY_TEST = """import unittest
from slugify import slugify

class Slugs(unittest.TestCase):
    def test_lower(self):
        self.assertEqual(slugify("This Is a Test"), "this-is-a-test")

    def test_umlauts(self):
        self.assertEqual(slugify("C'est d\\u00e9j\\u00e0 l'\\u00e9t\\u00e9."), "c-est-deja-l-ete")

    def test_limit(self):
        self.assertEqual(slugify("jaja lol mememe", max_length=9), "jaja-lol")
"""
GO_DEBIAN = ("stretchr-testify davecgh-go-spew pmezard-go-difflib stretchr-objx spf13-cast frankban-quicktest kr-pretty "
             "kr-text google-go-cmp rogpeppe-go-internal").split()


def sh(command, cwd, env=None, check=True):
    done = subprocess.run(command, cwd=cwd, env=env, shell=isinstance(command, str), input="y\nyes\n", capture_output=True, text=True)
    if check and done.returncode:
        sys.exit(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def from_pypi(name, version, top):
    sh(f"pip download -q --no-deps --no-binary :all: {name}=={version}", top.parent)
    sh(f"tar --no-same-owner -xzf {name}-{version}.tar.gz && mv {name}-{version} {top}", top.parent)
    sh("rm -rf *.egg-info && python3 -m venv .venv && .venv/bin/pip install -q pytest text-unidecode setuptools wheel", top)
    if name == "python-slugify":
        (top / "test.py").write_text(SLUGIFY_TEST)
    # As its developers have it: the project itself, editable.
    sh("SETUPTOOLS_SCM_PRETEND_VERSION=1 .venv/bin/pip install -q --no-build-isolation --no-deps -e . || "
       "SETUPTOOLS_SCM_PRETEND_VERSION=1 .venv/bin/pip install -q --no-deps -e .", top)
    return ".venv/\n__pycache__/\n*.egg-info/\n.pytest_cache/\nversion.py\nbuild/\n"


def from_npm(name, version, top):
    sh(f"npm pack --silent {name}@{version} && tar --no-same-owner -xzf {name}-{version}.tgz && mv package {top}", top.parent)
    # Only what the tests need of what is named for development.
    (top.parent / "needed").mkdir()
    (top.parent / "needed/package.json").write_text("{}")
    sh("npm install --silent --no-audit --no-fund --ignore-scripts " + NPM[name], top.parent / "needed")
    shutil.move(top.parent / "needed/node_modules", top)
    return "node_modules/\n"


def from_crates(name, version, top):
    (top.parent / "fetch/src").mkdir(parents=True)
    (top.parent / "fetch/src/lib.rs").write_text("")
    (top.parent / "fetch/Cargo.toml").write_text(f'[package]\nname = "fetch"\nversion = "0.1.0"\n[dependencies]\n{name} = "={version}"\n')
    sh("cargo vendor -q v", top.parent / "fetch")
    shutil.move(top.parent / f"fetch/v/{name}", top)
    for extra in (".cargo-checksum.json", "Cargo.toml.orig"):
        (top / extra).unlink(missing_ok=True)
    (top / ".cargo").mkdir(exist_ok=True)
    config = sh("cargo vendor -q vendor", top).stdout
    (top / ".cargo/config.toml").write_text(config)
    return "target/\nvendor/\n"


def from_debian(name, _version, top):
    packages = " ".join(f"golang-github-{name}-dev" for name in GO_DEBIAN) + " golang-gopkg-yaml.v3-dev golang-gopkg-check.v1-dev"
    sh(f"apt-get download -q {packages} && for d in *.deb; do dpkg -x $d deb; done", top.parent)
    source = top.parent / "deb/usr/share/gocode/src"
    shutil.copytree(source / "github.com" / name, top)
    own = f"github.com/{name}"
    modules = [f"github.com/{module.replace('-', '/', 1)}" for module in GO_DEBIAN] + ["gopkg.in/yaml.v3", "gopkg.in/check.v1"]
    lines = [f"module {own}", "", "go 1.18", ""]
    for module in sorted(set(modules) - {own}):
        (source / module / "go.mod").write_text(f"module {module}\n\ngo 1.18\n")
        version = "v3.0.1" if module.endswith(".v3") else "v1.0.0"
        lines += [f"require {module} {version}", f"replace {module} => {source / module}"]
    (top / "go.mod").write_text("\n".join(lines) + "\n")
    (top / "go.sum").unlink(missing_ok=True)
    env = dict(os.environ, GOFLAGS="-mod=mod", GOPROXY="off")
    sh(["go", "mod", "tidy"], top, env)
    sh(["go", "mod", "vendor"], top, env)
    return "vendor/\n"


FETCH = {"pypi": from_pypi, "npm": from_npm, "crate": from_crates, "go": from_debian}


def measure(overnight, project, base):
    name, kind, version, gate, path, right, fault = project
    home, top = base / "home", base / "project"
    (home / ".cache/gates").mkdir(parents=True)
    ignore = FETCH[kind](name, version, top)
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    for tool, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
        env[tool] = os.environ.get(tool, os.path.expanduser(f"~/{folder}"))
    (top / ".gitignore").write_text(ignore)
    good = (top / path).read_text()
    assert right in good, f"{name}: {right!r} is not in {path}"
    (base / "good").write_text(good)
    # Its person has run it before: caches of tools are warm.
    sh(gate, top, env)
    (top / path).write_text(good.replace(right, fault, 1))
    # The gate itself, and when it ran.
    log = home / ".cache/gates/log"
    timed = f"s=$(date +%s%N); {gate}; r=$?; echo $s $(date +%s%N) >> {log}; exit $r"
    task = lambda words, **more: dict(objective=words, definition_of_done=["$ " + timed], allowed_tools=[], status="todo", **more)
    tasks = {"a": task("Make the tests pass."), "b": task("Add a page.", depends_on=["a"], proof="green")}
    (top / "tasks.json").write_text(json.dumps(tasks))
    (top / "AGENT_PROMPT.md").write_text("Do the tasks.\n")
    sh("git init -q -b main && git config user.name b && git config user.email b@example.invalid && git add -A && git commit -qm start", top, env)
    sh(["script", "-qec", f"{overnight} trust", "/dev/null"], top, env)
    agent = (f"command:cat > /dev/null; if [ $OVERNIGHT_TASK = a ]; then cp {base}/good {path}; else echo '# A page' > PAGE.md; fi; "
             "git add -A; git commit -qm work; echo '<DONE>done</DONE>'")
    run = sh([overnight, "run", "--agent", agent, "--max-iterations", "4", "--no-pr"], top, env, check=False)
    shown = json.loads(sh([overnight, "status", "--json"], top, env, check=False).stdout)
    standing = {task["id"]: task["standing"] for task in shown["night"]["tasks"]}
    journal, = (top / ".git/overnight/runs").glob("*/journal.jsonl")
    records = [json.loads(line) for line in journal.read_text().splitlines()]
    ends = [r["t"] for r in records if r["event"] == "outcome"]
    judged = [r["t"] for r in records if r["event"] == "judged"]
    gates = [tuple(int(n) / 1e6 for n in line.split()) for line in log.read_text().splitlines()]
    notes = [line for line in run.stderr.splitlines() if "gate" in line or "lacks" in line]
    if len(judged) < 2 or set(standing.values()) - {"proved", "kept_green"}:
        print(f"{name}: {standing}; {' | '.join(notes[:3])} {run.stderr[-600:] if not notes else ''}", flush=True)
        return
    inside = [end - start for start, end in gates if ends[1] <= end <= judged[1]]
    shutil.copy(base / "good", top / path)
    bare = []
    for _ in range(3):
        start = time.monotonic()
        sh(gate, top, env)
        bare.append((time.monotonic() - start) * 1000)
    proof, bare = judged[1] - ends[1], min(bare)
    claim, canary, rest = inside[0], inside[1] if len(inside) > 1 else 0, sum(inside[2:])
    between = proof - sum(inside)
    print(f"{name} {standing['a']}/{standing['b']}: gate {bare:.0f} ms, proof {proof:.0f} ms = as it is {claim:.0f} + canaries {canary:.0f} "
          f"+ expectations {rest:.0f} ({max(0, len(inside) - 2)} runs) + between {between:.0f}; "
          f"(as it is + between) / gate = {(claim + between) / bare:.2f}", flush=True)


def main():
    overnight = os.path.abspath(sys.argv[1])
    for project in PROJECTS:
        if len(sys.argv) == 2 or project[0] in sys.argv[2:]:
            with tempfile.TemporaryDirectory() as base:
                measure(overnight, project, pathlib.Path(base).resolve())


main()
