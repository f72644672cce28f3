//! `find` and `fd`: what they name, and what they do to each.

use super::{How, Row, deletes, effect, options, writes};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::{mark, policy};

pub(super) const ROWS: &[Row] = &[("find gfind bfs", find), ("fd fdfind", fd)];

/// The names that a search may give: one text for each root, with the pattern of `-name` if all
/// of the tests are simple.
fn results(roots: &[String], patterns: &[&str], negated: bool) -> Vec<String> {
    roots
        .iter()
        .flat_map(|root| {
            // Where nothing is named, find looks here or nowhere, never below the root of all.
            let nothing = mark::arbitrary(root) && !root.contains('/');
            let root = if nothing {
                format!("{root}{}", mark::SEGMENT)
            } else {
                root.trim_end_matches('/').to_owned()
            };
            if patterns.is_empty() || negated {
                return vec![format!("{root}/{}", mark::STAR)];
            }
            let in_root = move |pattern: &&str| {
                if pattern.starts_with("./") || pattern.starts_with('/') {
                    // The whole path, of `-path`.
                    return pattern.replace('*', &mark::STAR.to_string());
                }
                format!(
                    "{root}/{}/{}",
                    mark::STAR,
                    pattern.replace('*', &mark::STAR.to_string())
                )
            };
            patterns.iter().map(in_root).collect::<Vec<_>>()
        })
        .collect()
}

fn find(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let mut at = args
        .iter()
        .take_while(|arg| {
            matches!(arg.as_str(), "-H" | "-L" | "-P")
                || arg.starts_with("-O")
                || arg.starts_with("-D")
        })
        .count();
    let mut roots = Vec::new();
    while let Some(arg) = args
        .get(at)
        .filter(|arg| !arg.starts_with(['-', '(', '!', ')']))
    {
        roots.push(arg.clone());
        at += 1;
    }
    if roots.is_empty() {
        roots.push(".".to_owned());
    }
    let tests = &args[at..];
    if options::any(args, "-L -follow") {
        let below = |root: &String| machine.ways(format!("{root}/{}", mark::STAR));
        roots = roots.iter().flat_map(below).collect();
    }
    let mut all = Vec::new();
    for branch in branches(tests) {
        let found = of_branch(&roots, branch);
        actions(machine, branch, &found);
        // What it does not look into it does not name.
        if !options::any(branch, "-prune") {
            all.extend(found);
        }
    }
    Data::known(&(all.join("\n") + "\n"))
}

/// The ways that tests are put together, each with what is done where it holds: `A -prune -o B -delete`.
fn branches(tests: &[String]) -> Vec<&[String]> {
    let (mut branches, mut begin, mut depth, mut runs) = (Vec::new(), 0, 0_usize, false);
    for (at, test) in tests.iter().enumerate() {
        match test.as_str() {
            ";" | "+" => runs = false,
            _ if runs => {}
            "-exec" | "-execdir" | "-ok" | "-okdir" => runs = true,
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "-o" | "-or" | "," if depth == 0 => {
                branches.push(&tests[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    branches.push(&tests[begin..]);
    branches
}

/// What a branch may name below the roots.
fn of_branch(roots: &[String], tests: &[String]) -> Vec<String> {
    let mut patterns: Vec<&str> = Vec::new();
    let mut negated = false;
    for (index, test) in tests.iter().enumerate() {
        match test.as_str() {
            "-name" | "-iname" | "-path" | "-wholename"
                if index == 0 || !matches!(tests[index - 1].as_str(), "!" | "-not") =>
            {
                patterns.extend(tests.get(index + 1).map(String::as_str));
            }
            "!" | "-not" => negated |= patterns.is_empty(),
            _ => {}
        }
    }
    let shown: Vec<String> = patterns.iter().map(|pattern| mark::show(pattern)).collect();
    let patterns: Vec<&str> = shown.iter().map(String::as_str).collect();
    results(roots, &patterns, negated)
}

fn actions(machine: &mut Machine<'_>, tests: &[String], found: &[String]) {
    for (index, test) in tests.iter().enumerate() {
        match test.as_str() {
            "-delete" => {
                for name in found {
                    deletes(machine, name);
                }
            }
            "-fprint" | "-fprintf" | "-fls" | "-fprint0" => {
                if let Some(file) = tests.get(index + 1) {
                    writes(machine, file, How::Write);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let words = &tests[index + 1..];
                let end = words
                    .iter()
                    .position(|word| matches!(word.as_str(), ";" | "+"))
                    .unwrap_or(words.len());
                for name in found {
                    let words: Vec<String> = words[..end]
                        .iter()
                        .map(|word| word.replace("{}", name))
                        .collect();
                    machine.run_words(&words, &Data::empty());
                }
            }
            _ => {}
        }
    }
}

fn fd(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let split = args
        .iter()
        .position(|arg| matches!(arg.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))
        .unwrap_or(args.len());
    let operands = options::words(
        &args[..split],
        "-e -t -E -d --extension --type --exclude --max-depth -j -g --glob",
    );
    let extension = options::parse(&args[..split], "eEtdj", "extension type exclude", false)
        .value("e", "extension")
        .map(|end| format!("*.{end}"));
    let roots: Vec<String> = match operands.get(1..) {
        Some([]) | None => vec![".".to_owned()],
        Some(roots) => roots.iter().map(|root| (*root).to_owned()).collect(),
    };
    let pattern = extension.or_else(|| {
        operands
            .first()
            .filter(|pattern| pattern.len() > 2)
            .map(|pattern| format!("*{pattern}*"))
    });
    let patterns: Vec<&str> = pattern.iter().map(String::as_str).collect();
    let found = results(&roots, &patterns, false);
    if split < args.len() {
        let command = &args[split + 1..];
        for name in &found {
            let mut words: Vec<String> = command
                .iter()
                .map(|word| word.replace("{}", name))
                .collect();
            if !command.iter().any(|word| word.contains('{')) {
                words.push(name.clone());
            }
            if words.len() > 1 || !words[0].is_empty() {
                machine.run_words(&words, &Data::empty());
            } else {
                effect(machine, &policy::COMPUTED, "fd -x");
            }
        }
    }
    Data::known(&(found.join("\n") + "\n"))
}
