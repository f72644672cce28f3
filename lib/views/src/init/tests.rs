use super::*;

fn gates(files: &[(&str, &str)], there: &[&str]) -> Vec<String> {
    let files: Vec<Manifest> = files
        .iter()
        .map(|(path, text)| Manifest { path, text })
        .collect();
    let proposal = propose(&files, &|path| there.contains(&path));
    proposal
        .gates
        .into_iter()
        .map(|gate| gate.command)
        .collect()
}

/// Files with their texts, paths that are there, and the gates.
type Case = (
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
    &'static [&'static str],
);

#[test]
fn the_projects_own_script_goes_before_the_tool() {
    const NPM: &str = r#"{"scripts": {"test": "node --test"}}"#;
    let cases: [Case; 12] = [
        (&[("Cargo.toml", "[package]")], &[], &["cargo test"]),
        (&[("package.json", NPM)], &["yarn.lock"], &["yarn test"]),
        (&[("package.json", NPM)], &[], &["npm test"]),
        (
            &[(
                "package.json",
                r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#,
            )],
            &[],
            &[],
        ),
        (&[("package.json", "not json")], &[], &[]),
        (
            &[
                ("Makefile", "CHECK := 1\ntest: build\n\techo\n"),
                ("go.mod", "module x"),
            ],
            &[],
            &["make test"],
        ),
        (&[("Makefile", "test := x\nall:\n")], &[], &[]),
        (
            &[("go.mod", "module x"), ("package.json", NPM)],
            &[],
            &["npm test", "go test ./..."],
        ),
        (
            &[("pyproject.toml", "[tool.pytest.ini_options]")],
            &[],
            &["python3 -m pytest -q"],
        ),
        (
            &[("pyproject.toml", "[project]")],
            &[],
            &["python3 -m unittest discover"],
        ),
        (
            &[],
            &["tests/__init__.py"],
            &["python3 -m unittest discover"],
        ),
        (&[], &[], &[]),
    ];
    for (files, there, expected) in cases {
        assert_eq!(gates(files, there), expected, "{files:?}");
    }
}

#[test]
fn scripts_that_ci_and_the_projects_own_scripts_start_are_protected() {
    let files = [
        Manifest {
            path: "Makefile",
            text: "check: build\n\t@./hack/verify.sh -v && sh tests/all.sh\nbuild:\n\tcc src/main.c\n",
        },
        Manifest {
            path: "package.json",
            text: r#"{"main": "src/index.js", "scripts": {"test": "node tools/check.js src/index.js"}}"#,
        },
        Manifest {
            path: ".github/workflows/ci.yml",
            text: "steps:\n  - run: ./hack/verify.sh\n  - run: bash ci/all\n  - run: gone/x.sh\n",
        },
    ];
    let has = |path: &str| path != "gone/x.sh" && path.contains('/');
    let proposal = propose(&files, &has);
    let named: Vec<(&str, &str)> = proposal
        .protect
        .iter()
        .map(|gate| (gate.command.as_str(), gate.from.as_str()))
        .collect();
    assert_eq!(
        named,
        [
            ("hack/verify.sh", "Makefile"),
            ("tools/check.js", "package.json"),
            ("ci/all", ".github/workflows/ci.yml"),
        ]
    );
    let table: toml::Table = config(&proposal).parse().unwrap();
    assert_eq!(table["proof"]["protect"].as_array().unwrap().len(), 3);
}

#[test]
fn the_file_is_toml_whatever_the_commands_are() {
    let ci = "jobs:\n  a:\n    steps:\n      - run: cargo test --all\n      - run: |\n          x\n      - run: echo ${{ test }}\n";
    let files = [
        Manifest {
            path: "Cargo.toml",
            text: "",
        },
        Manifest {
            path: ".github/workflows/ci.yml",
            text: ci,
        },
    ];
    let there = ["yarn.lock", "package-lock.json", "uv.lock"];
    let mut proposal = propose(&files, &|path| there.contains(&path));
    let setup = proposal.setup.iter().map(|gate| gate.command.as_str());
    assert!(setup.eq(["yarn install --frozen-lockfile", "uv sync --frozen"]));
    assert_eq!(proposal.seen.len(), 1);
    proposal.gates.push(Gate {
        command: "sh -c \"a\\b\"".to_owned(),
        from: "x".to_owned(),
    });
    let table: toml::Table = config(&proposal).parse().unwrap();
    assert_eq!(table["run"]["setup"].as_array().unwrap().len(), 2);
    let gates = table["run"]["gates"].as_array().unwrap();
    assert_eq!(gates[1].as_str(), Some("sh -c \"a\\b\""));
    assert!(config(&Proposal::default()).parse::<toml::Table>().is_ok());
}
