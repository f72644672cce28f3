//! Turns the built-in grammars, which are data, into what the engine reads: nothing of them is parsed when a
//! program starts.

#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "this runs when the crate is built"
)]

#[path = "src/format.rs"]
mod format;
#[path = "src/meaning.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the crate asks more of them than this does"
)]
mod meaning;

use meaning::Category;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Those of lines, in the order in which they are asked.
const GRAMMARS: [&str; 7] = [
    "javascript",
    "python",
    "native",
    "functional",
    "jvm",
    "others",
    "more",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reporters {
    reporter: Vec<Reporter>,
}

/// `Shape` in `src/json/shapes.rs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Reporter {
    tool: String,
    signs: Vec<String>,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    tests: bool,
    #[serde(default)]
    lists: bool,
    #[serde(default)]
    from_zero: bool,
    #[serde(default)]
    warnings: Vec<String>,
    #[serde(default)]
    totals: Vec<(String, String, Category)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    tool: Vec<Tool>,
}

/// `Tool` in `src/tools.rs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Tool {
    name: String,
    #[serde(default)]
    encloses: Vec<String>,
    #[serde(default)]
    serves: Vec<String>,
    #[serde(default)]
    sums: Vec<String>,
    #[serde(default)]
    echoed: bool,
    #[serde(default)]
    names_failing_only: bool,
    #[serde(default)]
    pending: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=grammars");
    let mut tables = Vec::new();
    for name in GRAMMARS {
        let path = format!("grammars/{name}.toml");
        let grammars = format::read(&text(&path)?).map_err(|why| format!("{path}: {why}"))?;
        tables.extend(grammars.iter().flat_map(table));
    }
    write("tables.rs", &tables)?;
    let reporters: Reporters = read("grammars/reporters.toml")?;
    let rows: Vec<String> = reporters.reporter.iter().map(reporter).collect();
    write("reporters.rs", &rows)?;
    let tools: Tools = read("grammars/tools.toml")?;
    let rows: Vec<String> = tools.tool.iter().map(tool).collect();
    write("tools.rs", &rows)
}

fn text(path: &str) -> Result<String, Box<dyn Error>> {
    Ok(fs::read_to_string(path)?)
}

fn read<T: DeserializeOwned>(path: &str) -> Result<T, Box<dyn Error>> {
    toml::from_str(&text(path)?).map_err(|why| format!("{path}: {why}").into())
}

/// Writes the rows as the text of a slice.
fn write(name: &str, rows: &[String]) -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo names no folder")?);
    let text = format!("&[\n{}\n]\n", rows.join(",\n"));
    Ok(fs::write(Path::new(&folder).join(name), text)?)
}

/// A `Table` for each text that it may begin with.
fn table(grammar: &format::Grammar) -> Vec<String> {
    let format::Grammar {
        tool,
        begins,
        headings,
        suites,
        rules,
    } = grammar;
    let none = [String::new()];
    let begins: &[String] = if begins.is_empty() { &none } else { begins };
    let row = |begins: &String| {
        let firm = !begins.is_empty();
        format!(
            "Table {{ tool: {tool:?}, begins: {begins:?}, firm: {firm}, headings: {headings}, suites: {suites}, rules: &rules({rules:?}) }}"
        )
    };
    begins.iter().map(row).collect()
}

fn reporter(reporter: &Reporter) -> String {
    let Reporter {
        tool,
        signs,
        words,
        tests,
        lists,
        from_zero,
        warnings,
        totals,
    } = reporter;
    let parted = signs
        .iter()
        .map(|sign| sign.split_once('=').unwrap_or((sign, "")));
    let signs: Vec<(&str, &str)> = parted.collect();
    format!(
        "Shape {{ tool: {tool:?}, signs: &{signs:?}, words: &{words:?}, tests: {tests}, lists: {lists}, from_zero: {from_zero}, warnings: &{warnings:?}, totals: &{totals:?} }}"
    )
}

fn tool(tool: &Tool) -> String {
    let Tool {
        name,
        encloses,
        serves,
        sums,
        echoed,
        names_failing_only,
        pending,
    } = tool;
    format!(
        "Tool {{ name: {name:?}, encloses: &{encloses:?}, serves: &{serves:?}, sums: &{sums:?}, echoed: {echoed}, names_failing_only: {names_failing_only}, pending: {pending} }}"
    )
}
