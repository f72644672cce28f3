//! What runs although no argument names its file, and what code brings in from beside it.

use super::Files;
use crate::{Context, Decision, judge_command};

/// A command, what was written before it, and where in that the path stands to which it depends.
type Case = (&'static str, &'static [(&'static str, &'static str)]);

/// `PATH` is in the work tree, or in another project of the home folder.
const CASES: &[Case] = &[
    (
        "python3 tools/install.py",
        &[
            (
                "tools/paths.py",
                "from pathlib import Path\nTARGET = Path('PATH')",
            ),
            (
                "tools/install.py",
                "import paths\npaths.TARGET.write_text('x')",
            ),
        ],
    ),
    (
        "node scripts/reset.js",
        &[
            (
                "scripts/lib/all.js",
                "module.exports = {\n  made: 'build',\n  data: 'PATH',\n};",
            ),
            (
                "scripts/reset.js",
                "const fs = require('fs');\nconst { made, data } = require('./lib/all');\nfunction remove(it) {\n  fs.rmSync(it, { recursive: true });\n}\n[made, data].forEach(remove);",
            ),
        ],
    ),
    (
        "npx tsx scripts/a.ts",
        &[
            (
                "scripts/clean.ts",
                "import { rmSync } from 'fs';\nexport function clean(dir: string, deep: boolean): void { rmSync(dir); }",
            ),
            (
                "scripts/a.ts",
                "import { clean } from './clean';\nclean('PATH', true);",
            ),
        ],
    ),
    (
        "ruby a.rb",
        &[
            (
                "lib/clean.rb",
                "def clean(dir)\n  FileUtils.rm_rf(dir)\nend",
            ),
            ("a.rb", "require_relative 'lib/clean'\nclean('PATH')"),
        ],
    ),
    (
        "php a.php",
        &[
            (
                "lib/clean.php",
                "<?php function clean(string $dir): void { unlink($dir . '/x'); }",
            ),
            (
                "a.php",
                "<?php require __DIR__ . '/lib/clean.php'; clean('PATH');",
            ),
        ],
    ),
    (
        "go run ./cmd/a",
        &[
            (
                "internal/clean/clean.go",
                "package clean\nfunc All(dirs []string) {\n\tfor _, dir := range dirs {\n\t\tos.RemoveAll(dir)\n\t}\n}",
            ),
            (
                "cmd/a/main.go",
                "package main\nimport \"example.org/a/internal/clean\"\nfunc main() { clean.All([]string{\"PATH\"}) }",
            ),
        ],
    ),
    (
        "cargo test",
        &[
            (
                "src/lib.rs",
                "pub fn add(file: &Path) { OpenOptions::new().append(true).open(file); }",
            ),
            (
                "tests/add.rs",
                "use a::add;\nfn target() -> PathBuf { PathBuf::from(\"PATH\") }\n#[test]\nfn adds() { add(Path::new(\"PATH\")); }",
            ),
        ],
    ),
    (
        "cargo run --example reset",
        &[(
            "examples/reset.rs",
            "fn main() { fs::remove_dir_all(\"PATH\"); }",
        )],
    ),
    (
        "cargo xtask clean",
        &[(
            "xtask/src/main.rs",
            "fn main() { fs::remove_dir_all(\"PATH\"); }",
        )],
    ),
    (
        "mvn test",
        &[(
            "src/test/java/a/ATest.java",
            "class ATest { void a() { Files.writeString(Paths.get(\"PATH\"), \"x\"); } }",
        )],
    ),
    (
        "go test ./...",
        &[(
            "client/client_test.go",
            "package client\nfunc TestMain(m *testing.M) { os.WriteFile(\"PATH\", nil, 0o600) }",
        )],
    ),
    (
        "go generate ./...",
        &[("doc.go", "package a\n//go:generate cp -f a.txt PATH")],
    ),
    (
        "python manage.py cleanup --dry",
        &[(
            "core/management/commands/cleanup.py",
            "def add_arguments(self, parser):\n    parser.add_argument('--dir', default='PATH')\ndef handle(self, *args, **options):\n    shutil.rmtree(options['dir'])",
        )],
    ),
    (
        "python manage.py migrate",
        &[(
            "core/migrations/0001_a.py",
            "def up(apps, editor):\n    os.remove('PATH')",
        )],
    ),
    (
        "bundle exec rake cleanup:all",
        &[(
            "lib/tasks/cleanup.rake",
            "task(:all) { FileUtils.rm_rf('PATH') }",
        )],
    ),
    (
        "php artisan backups:purge",
        &[(
            "app/Console/Commands/Purge.php",
            "<?php File::deleteDirectory('PATH');",
        )],
    ),
    (
        "composer install",
        &[
            (
                "composer.json",
                r#"{"scripts": {"post-install-cmd": ["Acme\\Installer::run"]}}"#,
            ),
            (
                "src/Installer.php",
                "<?php class Installer { static function run() { unlink('PATH'); } }",
            ),
        ],
    ),
    (
        "make clean",
        &[
            ("Makefile", "include config.mk\nclean:\n\trm -rf $(DIR)\n"),
            ("config.mk", "DIR := PATH\n"),
        ],
    ),
    (
        "task reset",
        &[(
            "Taskfile.yml",
            "vars:\n  DIR: PATH\ntasks:\n  reset:\n    cmds:\n      - rm -rf {{.DIR}}\n",
        )],
    ),
    (
        "cmake -B build",
        &[("CMakeLists.txt", "file(APPEND \"PATH\" \"x\")")],
    ),
    (
        "phpunit",
        &[(
            "tests/bootstrap.php",
            "<?php rmdir('PATH'); unlink('PATH');",
        )],
    ),
    (
        "npm test",
        &[
            ("package.json", r#"{"scripts": {"test": "jest"}}"#),
            ("jest.config.js", "fs.appendFileSync('PATH', 'x')"),
        ],
    ),
    (
        "sphinx-build docs out",
        &[("docs/conf.py", "import shutil\nshutil.rmtree('PATH')")],
    ),
];

fn decide(command: &str, files: &[(&'static str, &str)], path: &str) -> Decision {
    let files = files
        .iter()
        .map(|(name, text)| (*name, text.replace("PATH", path)));
    let facts = Files {
        files: files.collect(),
        before: None,
    };
    let context = Context {
        facts: &facts,
        ..Context::repository("/srv/repo", "/home/dev")
    };
    judge_command(command, &context).decision
}

#[test]
fn what_no_argument_names_is_read_and_what_lies_beside_it() {
    for (command, files) in CASES {
        for (path, stopped) in [("build/out", false), ("/home/dev/other", true)] {
            let decision = decide(command, files, path);
            assert_eq!(decision != Decision::Allow, stopped, "{command}: {path}");
        }
    }
}

#[test]
fn who_ends_processes_that_it_searched_for_is_asked() {
    for (search, ends, stopped) in [
        ("psutil.process_iter()", "one.kill()", true),
        ("psutil.process_iter()", "print(one)", false),
        ("[subprocess.Popen(['make'])]", "one.kill()", false),
    ] {
        let text = format!("import psutil, subprocess\nfor one in {search}:\n    {ends}");
        let decision = decide("python3 a.py", &[("a.py", &text)], "");
        assert_eq!(decision != Decision::Allow, stopped, "{text}");
    }
}

#[test]
fn a_home_of_its_own_is_not_the_persons() {
    let writes = "from pathlib import Path\ndef test_a(home):\n    (Path.home() / '.bashrc').write_text('x')";
    for (value, stopped) in [("tmp_path / 'home'", false), ("'/home/dev'", true)] {
        let own = format!(
            "@pytest.fixture\ndef home(tmp_path, monkeypatch):\n    monkeypatch.setenv('HOME', {value})"
        );
        let files: &[(&'static str, &str)] = &[("conftest.py", &own), ("tests/test_a.py", writes)];
        assert_eq!(
            decide("pytest", files, "") != Decision::Allow,
            stopped,
            "{value}"
        );
    }
    for (home, stopped) in [("$(mktemp -d)", false), ("/home/dev", true)] {
        let script = format!("export HOME=\"{home}\"\npython3 a.py");
        let files: &[(&'static str, &str)] = &[("a.sh", &script), ("a.py", writes)];
        assert_eq!(
            decide("sh a.sh", files, "") != Decision::Allow,
            stopped,
            "{home}"
        );
    }
}

#[test]
fn what_is_brought_in_stays_a_file_of_its_own() {
    // In a file what is not followed is no question, whoever brings it in.
    let computed = &[("a.py", "import os\nos.system(command)\nexec(text)")];
    assert_eq!(
        decide("python3 -c 'import a'", computed, ""),
        Decision::Allow
    );
    // One loops without an end, another one starts a program.
    let files = &[
        ("b.py", "def serve():\n    while True:\n        take()"),
        (
            "a.py",
            "import b, subprocess\nsubprocess.run(['make'])\nb.serve()",
        ),
    ];
    assert_eq!(decide("python3 a.py", files, ""), Decision::Allow);
}

#[test]
fn of_very_many_files_no_more_is_read_than_takes_a_moment() {
    let text = format!("let a = 1; // {}\n", "x".repeat(300_000));
    let files: &[(&'static str, &str)] = &[
        ("tests/a.rs", &text),
        ("tests/b.rs", "remove_dir_all(\"PATH\")"),
    ];
    assert_ne!(
        decide("cargo test", files, "/home/dev/other"),
        Decision::Allow
    );
    let all = format!("{}remove_dir_all(\"PATH\");", "let a = 1;\n".repeat(30_000));
    assert_eq!(
        decide("cargo test", &[("tests/a.rs", &all)], "/home/dev/other"),
        Decision::Allow
    );
}
