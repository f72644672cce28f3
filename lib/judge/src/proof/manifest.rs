//! Manifests say what a project needs, which an agent may change, and how its tests run, which it may
//! not: dusk's keys of the second kind go into the claimed file.

use super::protect;
use serde_json::Value as Json;
use toml::{Table, Value};

mod cmake;
mod gomod;

/// Is this a file that [`merge`] understands?
pub fn is(path: &str) -> bool {
    // One among the tests is theirs.
    matches!(
        name(path),
        "Cargo.toml" | "package.json" | "composer.json" | "pyproject.toml" | "setup.cfg" | "go.mod"
    ) || name(path) == "CMakeLists.txt" && protect::kind(path).is_none()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The claimed file with dusk's keys for what decides; `None` when one of them cannot be read: then
/// dusk's file stands as it is.
pub fn merge(path: &str, dusk: Option<&str>, claimed: &str) -> Option<String> {
    let dusk = dusk.unwrap_or_default();
    match name(path) {
        "Cargo.toml" => toml_with(dusk, claimed, cargo),
        "pyproject.toml" => toml_with(dusk, claimed, pyproject),
        "setup.cfg" => Some(sections(dusk, claimed)),
        "go.mod" => Some(gomod::merge(dusk, claimed)),
        "CMakeLists.txt" => cmake::merge(dusk, claimed),
        _ => json(dusk, claimed),
    }
}

fn toml_with(dusk: &str, claimed: &str, merge: fn(&Table, &mut Table)) -> Option<String> {
    let dusk: Table = dusk.parse().ok()?;
    let mut merged: Table = claimed.parse().ok()?;
    merge(&dusk, &mut merged);
    toml::to_string(&merged).ok()
}

/// Keys of a target that say whether and how its tests run.
const TARGET: [&str; 4] = ["test", "harness", "doctest", "required-features"];

fn cargo(dusk: &Table, claimed: &mut Table) {
    for key in ["test", "profile", "lints", "patch", "replace", "badges"] {
        take(key, dusk, claimed);
    }
    if let Some(package) = claimed.get_mut("package").and_then(Value::as_table_mut) {
        let empty = Table::new();
        let before = dusk
            .get("package")
            .and_then(Value::as_table)
            .unwrap_or(&empty);
        for key in [
            "autotests",
            "autobins",
            "autoexamples",
            "autolib",
            "build",
            "metadata",
            "default-run",
        ] {
            take(key, before, package);
        }
    }
    if let Some(lib) = claimed.get_mut("lib").and_then(Value::as_table_mut) {
        target(dusk.get("lib").and_then(Value::as_table), lib);
    }
    let old = dusk
        .get("bin")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for bin in claimed
        .get_mut("bin")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(bin) = bin.as_table_mut() {
            let same = old
                .iter()
                .filter_map(Value::as_table)
                .find(|before| before.get("name") == bin.get("name"));
            target(same, bin);
        }
    }
    for key in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let before = dusk.get(key).and_then(Value::as_table);
        let now = claimed.get_mut(key).and_then(Value::as_table_mut);
        if let (Some(before), Some(now)) = (before, now) {
            sources(before, now);
        }
    }
    workspace(dusk, claimed);
}

/// A dependency that was there comes from where it came from: not from another folder or repository.
fn sources(before: &Table, now: &mut Table) {
    let from = |value: &Value| {
        ["path", "git", "package", "registry"]
            .map(|key| value.as_table().and_then(|table| table.get(key).cloned()))
    };
    for (name, value) in before {
        if let Some(other) = now.get_mut(name).filter(|other| from(other) != from(value)) {
            *other = value.clone();
        }
    }
}

/// Members may be added; what ran before stays among them.
fn workspace(dusk: &Table, claimed: &mut Table) {
    let Some(before) = dusk.get("workspace").and_then(Value::as_table) else {
        return;
    };
    let Some(now) = claimed.get_mut("workspace").and_then(Value::as_table_mut) else {
        claimed.insert("workspace".to_owned(), Value::Table(before.clone()));
        return;
    };
    for key in ["exclude", "default-members", "lints", "metadata"] {
        take(key, before, now);
    }
    let old = before
        .get("members")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    if let Some(members) = now.get_mut("members").and_then(Value::as_array_mut) {
        for member in old {
            if !members.contains(&member) {
                members.push(member);
            }
        }
    }
}

fn target(before: Option<&Table>, now: &mut Table) {
    let empty = Table::new();
    for key in TARGET {
        take(key, before.unwrap_or(&empty), now);
    }
}

/// Makes a key what it was: gone, where it was not there.
fn take(key: &str, dusk: &Table, claimed: &mut Table) {
    match dusk.get(key) {
        Some(value) => claimed.insert(key.to_owned(), value.clone()),
        None => claimed.remove(key),
    };
}

/// Tools that build and publish; any other tool's section decides.
const BUILDERS: [&str; 13] = [
    "poetry",
    "setuptools",
    "setuptools_scm",
    "setuptools-scm",
    "hatch",
    "pdm",
    "flit",
    "uv",
    "maturin",
    "scikit-build",
    "cibuildwheel",
    "rye",
    "pixi",
];

fn pyproject(dusk: &Table, claimed: &mut Table) {
    let empty = Table::new();
    let before = dusk.get("tool").and_then(Value::as_table).unwrap_or(&empty);
    let now = claimed
        .get("tool")
        .and_then(Value::as_table)
        .unwrap_or(&empty);
    let builder = |name: &str| BUILDERS.contains(&name);
    let mut tool: Table = now
        .iter()
        .filter(|(name, _)| builder(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    tool.extend(
        before
            .iter()
            .filter(|(name, _)| !builder(name))
            .map(|(name, value)| (name.clone(), value.clone())),
    );
    claimed.insert("tool".to_owned(), Value::Table(tool));
}

/// Keys of `package.json` and `composer.json` that say what the project is and needs.
const FREE: [&str; 38] = [
    "name",
    "version",
    "description",
    "keywords",
    "homepage",
    "license",
    "author",
    "contributors",
    "bugs",
    "repository",
    "funding",
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "bundledDependencies",
    "peerDependenciesMeta",
    "main",
    "module",
    "types",
    "typings",
    "bin",
    "files",
    "exports",
    "browser",
    "private",
    "sideEffects",
    "engines",
    "require",
    "require-dev",
    "suggest",
    "authors",
    "support",
    "minimum-stability",
    "publishConfig",
    "type",
    "imports",
    "man",
];

fn json(dusk: &str, claimed: &str) -> Option<String> {
    let object = |text: &str| match serde_json::from_str(text) {
        Ok(Json::Object(object)) => Some(object),
        _ => None,
    };
    let dusk = if dusk.is_empty() {
        serde_json::Map::new()
    } else {
        object(dusk)?
    };
    let mut merged = object(claimed)?;
    merged.retain(|key, _| FREE.contains(&key.as_str()));
    // A name that was there stands for what it stood for: tests may take in their helpers by it.
    if let (Some(Json::Object(now)), Some(Json::Object(before))) =
        (merged.get_mut("imports"), dusk.get("imports"))
    {
        now.extend(before.clone());
    }
    merged.extend(
        dusk.into_iter()
            .filter(|(key, _)| !FREE.contains(&key.as_str())),
    );
    serde_json::to_string_pretty(&merged).ok()
}

/// An INI file: what the package is comes from the claimed file, every other section from dusk's.
fn sections(dusk: &str, claimed: &str) -> String {
    let free = |header: &str| header.starts_with("[metadata") || header.starts_with("[options");
    let pick = |text: &str, wanted: bool| {
        let mut kept = String::new();
        let mut taken = false;
        for line in text.lines() {
            if line.trim_start().starts_with('[') {
                taken = free(line.trim()) == wanted;
            }
            if taken {
                kept.push_str(line);
                kept.push('\n');
            }
        }
        kept
    };
    pick(claimed, true) + &pick(dusk, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_keeps_new_dependencies_and_loses_switched_off_tests() {
        let dusk = "[package]\nname = \"p\"\nversion = \"0.1.0\"\n";
        let claimed = "[package]\nname = \"p\"\nversion = \"0.1.0\"\nautotests = false\n[lib]\ntest = false\npath = \"src/lib.rs\"\n[dependencies]\nserde = \"1\"\n[[test]]\nname = \"x\"\ntest = false\n";
        let merged = merge("Cargo.toml", Some(dusk), claimed).unwrap();
        assert!(
            merged.contains("serde = \"1\"") && merged.contains("src/lib.rs"),
            "{merged}"
        );
        assert!(
            !merged.contains("test = false") && !merged.contains("autotests"),
            "{merged}"
        );
    }

    #[test]
    fn a_dependency_stays_where_it_came_from() {
        let dusk = "[dev-dependencies]\nproptest = \"1\"\n";
        let claimed =
            "[dev-dependencies]\nfresh = { path = \"f\" }\nproptest = { path = \"fake\" }\n";
        let merged = merge("Cargo.toml", Some(dusk), claimed).unwrap();
        assert!(
            merged.contains("proptest = \"1\"") && merged.contains("path = \"f\""),
            "{merged}"
        );
    }

    #[test]
    fn a_workspace_keeps_its_members() {
        let dusk = "[workspace]\nmembers = [\"a\", \"b\"]\n";
        let merged = merge(
            "Cargo.toml",
            Some(dusk),
            "[workspace]\nmembers = [\"c\"]\nexclude = [\"b\"]\n",
        )
        .unwrap();
        assert_eq!(merged, "[workspace]\nmembers = [\"c\", \"a\", \"b\"]\n");
    }

    #[test]
    fn scripts_and_runner_sections_are_dusks() {
        let dusk = r#"{"name":"p","scripts":{"test":"node --test"}}"#;
        let claimed = r#"{"name":"p","dependencies":{"x":"1"},"scripts":{"test":"true","pretest":"rm -r test"},"jest":{"bail":1}}"#;
        let merged: Json =
            serde_json::from_str(&merge("package.json", Some(dusk), claimed).unwrap()).unwrap();
        assert_eq!(
            merged,
            serde_json::json!({"name": "p", "dependencies": {"x": "1"}, "scripts": {"test": "node --test"}})
        );
        let merged = merge("pyproject.toml", None, "[project]\nname = \"p\"\n[tool.pytest.ini_options]\naddopts = \"--co\"\n[tool.poetry]\nx = 1\n").unwrap();
        assert!(
            merged.contains("poetry") && !merged.contains("pytest"),
            "{merged}"
        );
        let merged = merge(
            "setup.cfg",
            Some("[tool:pytest]\na = 1\n"),
            "[metadata]\nname = p\n[tool:pytest]\naddopts = -k none\n",
        )
        .unwrap();
        assert_eq!(merged, "[metadata]\nname = p\n[tool:pytest]\na = 1\n");
        assert_eq!(merge("package.json", Some("{}"), "{"), None);
        let names = |is: &str, more: &str| format!("{{\"imports\":{{\"#is\":\"{is}\"{more}}}}}");
        let more = ",\"#new\":\"./new.js\"";
        let merged = merge(
            "package.json",
            Some(&names("./is.js", "")),
            &names("./near.js", more),
        );
        let read = |text: &str| serde_json::from_str::<Json>(text).unwrap();
        assert_eq!(read(&merged.unwrap()), read(&names("./is.js", more)));
    }
}
