//! The house's invariants, as tests: arrows, sizes, versions, and what the plugin names.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a test that cannot go on fails; its name is its documentation"
)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates that pure crates may depend on, beside each other: none of them can open a file or a
/// socket, read a clock or start a process, but for jiff, of which only the arithmetic is used
/// (`classify` gets its time zones as arguments; `lib/clippy.toml` bans the calls that read the system).
const PURE: [&str; 12] = [
    "crc32c",
    "globset",
    "jiff",
    "memchr",
    "saphyr-parser",
    "serde",
    "serde_json",
    "sha2",
    "strsim",
    "thiserror",
    "toml",
    "wide",
];
/// Longest source file, in lines.
const FILE_LINES_MAX: usize = 500;
/// Longest median source file, in lines before its own tests.
const MEDIAN_LINES_MAX: usize = 120;
/// Longest main file of a binary, in lines: it is a table of contents.
const MAIN_LINES_MAX: usize = 60;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Names of the normal dependencies of a package of this workspace.
fn dependencies(metadata: &Value, package: &str) -> BTreeSet<String> {
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|candidate| candidate["name"] == package)
        .unwrap();
    let normal = package["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["kind"].is_null());
    normal
        .map(|entry| entry["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Every Rust source file of the product, tests and build folders left out.
fn sources() -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = ["bins", "lib", "xtask"]
        .map(|name| root().join(name))
        .into();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() && !path.ends_with("target") {
            open.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap().lines().count()
}

/// The street, from the ground up: a crate depends only on crates that stand before it. All but the
/// last four are pure: they decide and never act.
const STREET: [&str; 16] = [
    "overnight-base",
    "overnight-redact",
    "overnight-digest",
    "overnight-sample",
    "overnight-shell",
    "overnight-guard",
    "overnight-tasks",
    "overnight-lease",
    "overnight-judge",
    "overnight-filter",
    "overnight-run",
    "overnight-views",
    "overnight-host",
    "overnight-engine",
    "overnight-tools",
    "overnight",
];
/// How many at the end of the street act: host, engine, what small tools do, and the programs.
const ACTING: usize = 4;
/// Lines of a crate at most; what is larger compiles too slowly for who changes it.
const CRATE_LINES_MAX: usize = 25_000;

/// The crates of ours that a crate depends on.
fn ours(metadata: &Value, package: &str) -> BTreeSet<String> {
    let mut all = dependencies(metadata, package);
    all.retain(|name| name.starts_with("overnight"));
    all
}

#[test]
fn arrows_point_down_only() {
    let metadata = metadata();
    for (place, name) in STREET.iter().enumerate() {
        let below: BTreeSet<String> = STREET[..place]
            .iter()
            .map(|&name| name.to_owned())
            .collect();
        let up: Vec<String> = ours(&metadata, name).difference(&below).cloned().collect();
        assert!(
            up.is_empty(),
            "{name} depends on {up:?}, which stands above it"
        );
    }
    let packages = metadata["packages"].as_array().unwrap();
    let names = packages
        .iter()
        .map(|package| package["name"].as_str().unwrap());
    let strangers: Vec<&str> = names
        .filter(|name| *name != "xtask" && !STREET.contains(name))
        .collect();
    assert!(
        strangers.is_empty(),
        "{strangers:?}: where in the street do they stand?"
    );
}

#[test]
fn what_decides_depends_on_nothing_that_can_do_io() {
    let metadata = metadata();
    let pure = &STREET[..STREET.len() - ACTING];
    let allowed: BTreeSet<String> = PURE
        .iter()
        .chain(pure)
        .map(|&name| name.to_owned())
        .collect();
    for name in pure {
        let all = dependencies(&metadata, name);
        let more: Vec<_> = all.difference(&allowed).collect();
        assert!(
            more.is_empty(),
            "{name}: {more:?}: can they do I/O? then they belong into the host"
        );
    }
}

/// Lines before the file's own tests: what every build of the programs compiles. None of a file of
/// tests.
fn lines_before_tests(path: &Path) -> usize {
    let inside = path.strip_prefix(root()).unwrap();
    if inside
        .iter()
        .any(|part| part == "tests.rs" || part == "tests")
    {
        return 0;
    }
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .count()
}

#[test]
fn no_crate_is_a_city() {
    let mut sizes = BTreeMap::<PathBuf, usize>::new();
    for path in sources() {
        let inside = path.strip_prefix(root()).unwrap();
        let krate: PathBuf = inside.iter().take(2).collect();
        if krate.starts_with("lib") {
            *sizes.entry(krate).or_default() += lines_before_tests(&path);
        }
    }
    sizes.retain(|_, lines| *lines > CRATE_LINES_MAX);
    assert!(sizes.is_empty(), "over {CRATE_LINES_MAX} lines: {sizes:?}");
}

#[test]
fn files_are_one_noun_each() {
    let mut sizes: Vec<(usize, PathBuf)> = sources()
        .into_iter()
        .map(|path| (lines(&path), path))
        .collect();
    sizes.sort();
    let large: Vec<_> = sizes
        .iter()
        .filter(|(lines, _)| *lines > FILE_LINES_MAX)
        .collect();
    assert!(large.is_empty(), "over {FILE_LINES_MAX} lines: {large:#?}");
    let mut sizes: Vec<usize> = sizes
        .iter()
        .map(|(_, path)| lines_before_tests(path))
        .filter(|lines| *lines > 0)
        .collect();
    sizes.sort_unstable();
    let median = sizes[sizes.len() / 2];
    assert!(
        median <= MEDIAN_LINES_MAX,
        "the median file has {median} lines"
    );
}

#[test]
fn the_main_file_of_a_binary_is_a_table_of_contents() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let targets = packages
        .iter()
        .filter(|package| package["name"] == "overnight")
        .flat_map(|package| package["targets"].as_array().unwrap());
    for target in targets.filter(|target| target["kind"][0] == "bin") {
        let path = Path::new(target["src_path"].as_str().unwrap());
        assert!(
            lines(path) <= MAIN_LINES_MAX,
            "{} has {} lines",
            path.display(),
            lines(path)
        );
    }
}

#[test]
fn no_module_is_called_mod() {
    let nameless: Vec<_> = sources()
        .into_iter()
        .filter(|path| path.ends_with("mod.rs"))
        .collect();
    assert!(nameless.is_empty(), "{nameless:?}");
}

#[test]
fn every_version_is_the_same() {
    let version = env!("CARGO_PKG_VERSION");
    let plugin: Value = serde_json::from_str(&read(".claude-plugin/plugin.json")).unwrap();
    assert_eq!(plugin["version"], version, "plugin.json");
    let changes = read("CHANGELOG.md");
    let newest = changes
        .lines()
        .filter_map(|line| line.strip_prefix("## ["))
        .find(|line| !line.starts_with("Unreleased"))
        .and_then(|line| line.split(']').next());
    assert_eq!(newest, Some(version), "CHANGELOG.md");
}

#[test]
fn both_readmes_are_in_step() {
    let shape = |name: &str| -> (usize, Vec<String>) {
        let text = read(name);
        let blocks = text
            .split("```")
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        (
            text.lines().filter(|line| line.starts_with('#')).count(),
            blocks,
        )
    };
    let (english, japanese) = (shape("README.md"), shape("README.ja.md"));
    assert_eq!(english.0, japanese.0, "they have the same headings");
    assert_eq!(english.1, japanese.1, "they have the same commands");
}

/// With this variable set the pages are written: `cargo xtask docs`.
const WRITE_PAGES: overnight_base::vars::Var = overnight_base::vars::Var {
    name: "OVERNIGHT_WRITE_PAGES",
    alias: None,
    default: "unset",
    doc: "Tests only: generated pages are written, not compared.",
};

#[test]
fn generated_pages_are_current() {
    use overnight_views::config::pages;
    let manifest = ".claude-plugin/plugin.json";
    let mut plugin: serde_json::Map<String, Value> = serde_json::from_str(&read(manifest)).unwrap();
    plugin.insert("userConfig".to_owned(), pages::options());
    for (name, page) in [
        ("lib-docs/errors.md", overnight_base::code::page()),
        ("lib-docs/decisions.md", overnight_views::decisions::page()),
        ("lib-docs/settings.md", pages::page()),
        ("lib-docs/overnight.schema.json", pages::schema()),
        (manifest, format!("{:#}\n", Value::Object(plugin))),
    ] {
        if overnight_host::env::get(&WRITE_PAGES).is_some() {
            std::fs::write(root().join(name), page).unwrap();
        } else {
            assert!(read(name) == page, "{name} is old: cargo xtask docs");
        }
    }
}

#[test]
fn comments_cite_only_what_is_in_the_repository() {
    /// Files of the person's or of a project, which comments speak of.
    const THEIRS: &[&str] = &[
        "AGENT_PROMPT.md",
        "CLAUDE.md",
        "README.md",
        "blocked.md",
        "completed.md",
        "next_actions.md",
    ];
    let mut wrong = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        let comments = text
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with("//"));
        for word in comments.flat_map(|line| line.split([' ', '(', ')', '`', ',', ':', ';'])) {
            let name = word.trim_end_matches('.');
            let cited = Path::new(name).extension().is_some_and(|end| end == "md")
                && !name.ends_with(".prompt.md")
                && !name.starts_with(['*', '.', '/']);
            let last = name.rsplit('/').next().unwrap_or(name);
            if cited && !THEIRS.contains(&last) && !root().join(name).exists() {
                wrong.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The largest circle of modules that a crate may have: a table of siblings, which know each other by
/// the table that lists them.
const CIRCLE_MAX: usize = 4;

/// Which modules of a crate each of its modules names, by the names of the files at its top.
fn modules(sources: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut texts = BTreeMap::<String, String>::new();
    let mut open = vec![sources.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).unwrap();
            open.extend(entries.map(|entry| entry.unwrap().path()));
            continue;
        }
        if path.ends_with("tests.rs") {
            continue;
        }
        let inside = path.strip_prefix(sources).unwrap();
        let top = inside.iter().next().unwrap().to_str().unwrap();
        let name = top.trim_end_matches(".rs").to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        // What stands at the top may call its neighbours `super`.
        let text = if inside.iter().count() == 1 {
            text.replace("super::", "crate::")
        } else {
            text.to_owned()
        };
        texts.entry(name).or_default().push_str(&text);
    }
    texts.remove("lib");
    let known: BTreeSet<String> = texts.keys().cloned().collect();
    let named = |text: &str| -> BTreeSet<String> {
        let words = |text: &str| -> Vec<String> {
            let mut depth = 0_i32;
            let mut flat = String::new();
            for letter in text.chars() {
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                flat.push(if depth > 0 { ' ' } else { letter });
            }
            let heads = flat.split(',').map(|part| part.trim().to_owned());
            heads.collect()
        };
        let uses = text.split("crate::").skip(1).flat_map(|rest| {
            rest.strip_prefix('{').map_or_else(
                || vec![rest.to_owned()],
                |group| words(group.split(';').next().unwrap().trim_end_matches('}')),
            )
        });
        let head = |part: String| -> String {
            part.chars()
                .take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_')
                .collect()
        };
        uses.map(head).filter(|name| known.contains(name)).collect()
    };
    texts
        .iter()
        .map(|(name, text)| {
            let mut others = named(text);
            others.remove(name);
            (name.clone(), others)
        })
        .collect()
}

#[test]
fn modules_form_no_large_circle() {
    for entry in std::fs::read_dir(root().join("lib")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().unwrap().to_str().unwrap();
        let graph = modules(&folder.join("src"));
        let reached = |from: &str| {
            let mut seen = BTreeSet::new();
            let mut open = vec![from.to_owned()];
            while let Some(module) = open.pop() {
                for next in &graph[&module] {
                    if seen.insert(next.clone()) {
                        open.push(next.clone());
                    }
                }
            }
            seen
        };
        let all: BTreeMap<&String, BTreeSet<String>> = graph
            .keys()
            .map(|module| (module, reached(module)))
            .collect();
        let circle = |module: &&String| {
            let with = all[*module]
                .iter()
                .filter(|other| all[other].contains(*module));
            with.cloned().collect::<Vec<String>>()
        };
        let largest = graph.keys().map(|module| circle(&module));
        let largest = largest.max_by_key(Vec::len).unwrap_or_default();
        assert!(largest.len() <= CIRCLE_MAX, "lib/{name}: {largest:?}");
    }
}
