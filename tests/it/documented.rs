//! The examples in `lib-docs/`: what stands in a `console` block is typed into bash, and what the
//! page says comes out.
//!
//! A comment `<!-- given … -->` right before a block prepares its project. In the page's output `…`
//! stands for any text, alone on its line for any lines, and a number for any number; a long one
//! (six digits and more) that a later command repeats is the one that came out. A command without
//! output on the page may print what it likes.

use crate::project::Project;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Digits of a number that later commands may repeat.
const REPEATED_DIGITS: usize = 6;

struct Block {
    given: String,
    /// Commands, each with the lines it prints.
    steps: Vec<(String, Vec<String>)>,
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lib-docs");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut given = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        match line {
            "<!-- given" => given = until(&mut lines, "-->").join("\n"),
            "```console" => {
                let mut steps: Vec<(String, Vec<String>)> = Vec::new();
                for line in until(&mut lines, "```") {
                    match (line.strip_prefix("$ "), steps.last_mut()) {
                        (Some(command), _) => steps.push((command.to_owned(), Vec::new())),
                        (None, Some((_, printed))) => printed.push(line.to_owned()),
                        (None, None) => panic!("a console block begins with a command: {line}"),
                    }
                }
                found.push(Block {
                    given: std::mem::take(&mut given),
                    steps,
                });
            }
            _ => given.clear(),
        }
    }
    found
}

fn until<'a>(lines: &mut impl Iterator<Item = &'a str>, end: &str) -> Vec<&'a str> {
    lines.take_while(|line| *line != end).collect()
}

/// A shell in the project, its stderr and stdout together; gives the status too.
fn bash(project: &Project, command: &str) -> (i32, String) {
    let bins = assert_cmd::cargo::cargo_bin!("overnight").parent().unwrap();
    let own = project.path("../home/bin");
    let path = format!(
        "{}:{}:/usr/local/bin:/usr/bin:/bin",
        own.display(),
        bins.display()
    );
    let mut shell = project.command("bash");
    shell.args(["-c", &format!("exec 2>&1\n{command}")]);
    let done = shell
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    (done.status.code().unwrap_or(-1), printed)
}

/// Does the line say what the page says? Gives the numbers that stand for the page's long ones.
fn fits(page: &str, line: &str) -> Option<BTreeMap<String, String>> {
    let (mut page_at, mut line_at) = (page, line);
    let mut numbers = BTreeMap::new();
    while let Some(c) = page_at.chars().next() {
        if c == '…' {
            let rest = &page_at[c.len_utf8()..];
            return line_at
                .char_indices()
                .map(|(at, _)| at)
                .chain([line_at.len()])
                .find_map(|at| fits(rest, &line_at[at..]))
                .map(|more| numbers.into_iter().chain(more).collect());
        }
        let (said, printed) = (digits(page_at), digits(line_at));
        if said > 0 && printed > 0 {
            if said >= REPEATED_DIGITS {
                numbers.insert(page_at[..said].to_owned(), line_at[..printed].to_owned());
            }
            (page_at, line_at) = (&page_at[said..], &line_at[printed..]);
            continue;
        }
        line_at = line_at.strip_prefix(c)?;
        page_at = &page_at[c.len_utf8()..];
    }
    line_at.is_empty().then_some(numbers)
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The same for whole outputs.
fn all_fit(page: &[String], lines: &[&str]) -> Option<BTreeMap<String, String>> {
    let Some((first, rest)) = page.split_first() else {
        return lines.is_empty().then(BTreeMap::new);
    };
    if first == "…" {
        return (0..=lines.len()).find_map(|skipped| all_fit(rest, &lines[skipped..]));
    }
    let (line, more) = lines.split_first()?;
    let mut numbers = fits(first, line)?;
    numbers.extend(all_fit(rest, more)?);
    Some(numbers)
}

fn run(name: &str, block: &Block) -> Vec<String> {
    let project = Project::new();
    std::fs::remove_file(project.path("AGENT_PROMPT.md")).unwrap();
    std::fs::create_dir(project.path("../home/bin")).unwrap();
    let (_, said) = bash(&project, &block.given);
    let mut wrong = Vec::new();
    let mut numbers = BTreeMap::new();
    let mut status = 0;
    for (command, page) in &block.steps {
        let typed = numbers.iter().fold(
            command.clone(),
            |typed, (said, printed): (&String, &String)| typed.replace(said, printed),
        );
        let (ended, printed) = bash(&project, &format!("(exit {status})\n{typed}"));
        status = ended;
        let lines: Vec<&str> = printed.lines().collect();
        if page.is_empty() {
            continue;
        }
        match all_fit(page, &lines) {
            Some(more) => numbers.extend(more),
            None => wrong.push(format!(
                "{name}: $ {typed}\n{printed}instead of\n{}\n(given: {said})",
                page.join("\n")
            )),
        }
    }
    wrong
}

#[test]
fn every_page_has_an_example_and_every_example_is_true() {
    let mut wrong = Vec::new();
    for page in pages() {
        let name = page.file_stem().unwrap().to_str().unwrap().to_owned();
        let blocks = blocks(&std::fs::read_to_string(&page).unwrap());
        if blocks.is_empty() {
            wrong.push(format!("{name}: no example"));
        }
        wrong.extend(blocks.iter().flat_map(|block| run(&name, block)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_false_example_is_noticed() {
    let page = ["run 17 …".to_owned(), "…".to_owned(), "end".to_owned()];
    assert!(all_fit(&page, &["run 4 ok", "a", "b", "end"]).is_some());
    assert!(all_fit(&page, &["run 4 ok", "a", "end", "b"]).is_none());
    assert!(fits("a 1", "a b").is_none());
    assert_eq!(fits("token 123456", "token 77").unwrap()["123456"], "77");
}
