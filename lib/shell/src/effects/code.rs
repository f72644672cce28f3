//! Inline code of other languages: not parsed, but searched for what deletes, runs, sends or
//! hides, with the string literals as its arguments.

mod awk;
mod bindings;
mod calls;
mod environment;
mod proven;
mod texts;
mod words;

pub(super) use awk::awk;

use super::{How, deletes, effect, reads, runs_text, writes};
use crate::data::Data;
use crate::machine::Machine;
use crate::verdict::Decision;
use crate::{mark, policy};
use texts::literals;
use words::{DELETING, EXHAUSTING, HIDING, HOMES, RUNNING, SENDING, WRITING};

/// Judges code of any language but the shell.
pub(super) fn judge(machine: &mut Machine<'_>, code: &str, language: &str) {
    search(machine, &bindings::followed(code), language, false);
}

/// The texts that calls which start programs may be given.
fn started_with(code: &str, literals: &[String], written: bool) -> Vec<String> {
    let started = calls::given(code, RUNNING).scope;
    if written && !started.is_empty() {
        self::literals(&started)
    } else {
        literals.to_vec()
    }
}

/// Does it take all processes, memory or disk?
fn exhausts(code: &str, has: &impl Fn(&[&str]) -> bool) -> bool {
    let forks = endless_loop(code) && has(&["fork", "spawn(", "exec("]);
    let fills = endless_loop(code) && has(WRITING);
    has(EXHAUSTING) || forks || fills || huge_product(code)
}

/// Code that stands in a file (`written`) may hold much that has nothing to do with its calls: there
/// only what is followed counts.
fn search(machine: &mut Machine<'_>, code: &str, language: &str, written: bool) {
    if code.contains(mark::NETWORK) {
        effect(machine, &policy::REMOTE_CODE, language);
        return;
    }
    let literals = literals(code);
    // Words in texts that are only printed or compared say nothing; where that is not sure, all of
    // the code is searched.
    let bare = texts::without(code, &literals);
    let has = |words: &[&str]| holds(code, bare.as_deref(), words);
    if exhausts(code, &has) {
        effect(machine, &policy::EXHAUST, language);
    }
    if environment::shown(code, &literals) {
        effect(machine, &policy::ENVIRONMENT, language);
    }
    if mark::opaque(code) {
        effect(machine, &policy::OPAQUE_CODE, language);
    }
    let running = has(RUNNING)
        || texts::tagged(code)
        || (matches!(language, "ruby" | "perl" | "php") && code.contains('`'))
        || (language.starts_with("perl")
            && code.contains("open")
            && has(&["|\"", "|'", "\"|", "'|"]));
    let given = started_with(code, &literals, written);
    if running {
        runs(machine, code, &given, (language, written));
    }
    if running && has(HOMES) && given.iter().any(|literal| deletes_files(literal)) {
        effect(machine, &policy::INLINE_FORBIDDEN, language);
    }
    decoded(machine, code);
    if has(DELETING)
        || bare
            .as_deref()
            .unwrap_or(code)
            .trim_end_matches([';', ' '])
            .ends_with("unlink")
    {
        deletes_in(machine, code, &literals, (language, written));
    }
    if has(WRITING) {
        let written = written.then(|| self::literals(&calls::given(code, WRITING).scope));
        writes_in(
            machine,
            has(EMPTYING),
            written.as_ref().unwrap_or(&literals),
        );
    }
    let texts = (code, bare.as_deref());
    leaves(machine, texts, &literals, language, running);
    if mark::unknown(code) && code.contains(mark::OUTPUT) && running {
        effect(machine, &policy::OPAQUE_CODE, language);
    }
    if !searchable(language) && !proven::harmless(code) {
        runs(machine, code, &literals, (language, written));
        deletes_elsewhere(machine, code, &literals, language);
        effect(machine, &policy::INLINE_CODE, language);
    }
}

/// Judges code that stands in a file: of languages that are not searched only what their texts say.
pub(super) fn written(machine: &mut Machine<'_>, code: &str, language: &str) {
    if searchable(language) {
        search(machine, &bindings::followed(code), language, true);
    } else {
        literal_commands(machine, code, language);
    }
}

/// Judges the texts of code or configuration as commands, and the paths that it deletes.
pub(super) fn literal_commands(machine: &mut Machine<'_>, code: &str, language: &str) {
    let literals = literals(code);
    runs(machine, code, &literals, (language, true));
    deletes_elsewhere(machine, code, &literals, language);
}

/// Does one of the words stand in the code? Words with quotes are about the texts too.
fn holds(code: &str, bare: Option<&str>, words: &[&str]) -> bool {
    let bare = bare.unwrap_or(code);
    words.iter().any(|word| {
        let of_texts = word.contains(['\'', '"']);
        let text = if of_texts { code } else { bare };
        text.match_indices(word)
            .any(|(at, _)| !calls::within_name(&text[..at], word))
    })
}

/// Does a literal start with a program that deletes?
fn deletes_files(literal: &str) -> bool {
    matches!(
        literal.split_whitespace().next(),
        Some("rm" | "rmdir" | "shred" | "unlink" | "find" | "dd")
    )
}

/// Calls that run text.
const EVALUATING: &[&str] = &[
    "eval",
    "exec",
    "system",
    "Function(",
    "loads(",
    "__import__",
    "load(",
    "loadstring",
];
/// Calls that make text from what nobody can read.
const DECODING: &[&str] = &[
    "b64decode",
    "b32decode",
    "a85decode",
    "fromhex",
    "unhexlify",
    "codecs.decode",
    "decompress",
    "gzinflate",
    "base64_decode",
    "decode_base64",
    "atob(",
    "\"base64\"",
    "'base64'",
    "fromCharCode",
    "map(chr",
    "pack(",
    "pack \"",
    "pack '",
    "unpack",
    "str_rot13",
    "marshal.loads",
    "pickle.loads",
    "[::-1]",
];

/// Code that is decoded and then run: nobody can say what it does.
fn decoded(machine: &mut Machine<'_>, code: &str) {
    // Printing what was decoded is harmless, and so is an evaluation without decoding.
    let runs = EVALUATING.iter().any(|word| {
        code.match_indices(word).any(|(at, _)| {
            !code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_')
                || code[..at].ends_with("os.")
                || code[..at].ends_with("marshal.")
                || code[..at].ends_with("pickle.")
        })
    });
    if runs && DECODING.iter().any(|word| code.contains(word)) {
        effect(machine, &policy::OPAQUE_CODE, "");
    }
}

/// Words for deleting in languages that are not searched.
const DELETING_ELSEWHERE: &[&str] = &[
    "delete", "Delete", "remove", "Remove", "rm(", "rm_rf", "rmtree", "unlink", "rmdir", "erase",
    "del_dir", "REMOVE", "deltree",
];

/// Paths that code of any language deletes: only what must never be deleted is judged here.
fn deletes_elsewhere(machine: &mut Machine<'_>, code: &str, literals: &[String], language: &str) {
    if !DELETING_ELSEWHERE.iter().any(|word| code.contains(word)) {
        return;
    }
    let homes = HOMES.iter().any(|word| code.contains(word));
    let home = machine.context.home.to_owned();
    let verdict = machine.probe(|machine| {
        for literal in literals.iter().filter(|literal| !literal.contains(' ')) {
            match literal.strip_prefix('~') {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                    deletes(machine, &format!("{home}{rest}"));
                }
                _ if is_path(literal) => deletes(machine, literal),
                _ => {}
            }
        }
    });
    if homes || verdict.decision == Decision::Deny {
        effect(machine, &policy::INLINE_FORBIDDEN, language);
    }
}

/// What code reads, sends and hides.
fn leaves(
    machine: &mut Machine<'_>,
    (code, bare): (&str, Option<&str>),
    literals: &[String],
    language: &str,
    running: bool,
) {
    let has = |words: &[&str]| holds(code, bare, words);
    let before = machine.probe(|machine| {
        for literal in literals.iter().filter(|literal| is_path(literal)) {
            reads(machine, literal);
        }
    });
    let secret = before.decision > Decision::Allow
        || code.contains("environ")
        || code.contains("process.env")
        || code.contains("ENV[")
        || code.contains("ENV{")
        || code.contains("getenv");
    machine.note(before);
    let fetches = literals.iter().any(|literal| literal.contains("://"))
        && has(&["file_get_contents", "fopen(", "readfile(", "get(", "open("]);
    let sending = has(SENDING) || fetches;
    let local = literals
        .iter()
        .any(|literal| literal.contains("localhost") || literal.contains("127.0.0.1"));
    if sending && !local {
        if secret {
            effect(machine, &policy::EXFILTRATE, language);
        } else if has(HIDING) || running {
            effect(machine, &policy::REMOTE_CODE, language);
        } else {
            effect(machine, &policy::SEND, language);
        }
    } else if has(HIDING) && (running || !harmless_hiding(bare.unwrap_or(code))) {
        let verdict = machine.probe(|machine| {
            for literal in literals.iter().filter(|literal| literal.contains(' ')) {
                runs_text(machine, literal, &Data::unknown());
            }
        });
        if verdict.decision == Decision::Deny {
            effect(machine, &policy::INLINE_FORBIDDEN, language);
        }
        effect(machine, &policy::INLINE_CODE, language);
    }
}

/// Languages whose ways to delete, run and send are in the word lists. Code of others must be
/// made of known harmless words.
fn searchable(language: &str) -> bool {
    ["python", "pypy", "ruby", "perl", "php", "node", "lua"]
        .iter()
        .any(|stem| language.starts_with(stem))
        || matches!(
            language,
            "ipython" | "jython" | "jruby" | "deno" | "bun" | "tsx" | "ts-node" | "esno"
        )
}

/// A loop that nothing ends.
pub(super) fn endless_loop(code: &str) -> bool {
    let code: String = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let endless = [
        "while 1",
        "while(1",
        "while (1",
        "while True",
        "while true",
        "while(true",
        "while (true",
        "for(;;",
        "for (;;",
        "loop {",
        "loop do",
    ];
    let ends = [
        "break", "last", "return", "exit", "sleep", "input", "readline", "accept",
    ];
    endless.iter().any(|word| code.contains(word)) && !ends.iter().any(|word| code.contains(word))
}

/// `'x' * 10**12`: text or a list of more than memory holds.
fn huge_product(code: &str) -> bool {
    code.split("10**")
        .skip(1)
        .zip(code.split("10**"))
        .any(|(after, before)| {
            let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
            before.trim_end().ends_with('*') && digits.parse::<u32>().is_ok_and(|power| power >= 10)
        })
}

/// Encoding and decoding without running is harmless: `print(base64.b64decode(x))`.
fn harmless_hiding(code: &str) -> bool {
    let runs = [
        "eval",
        "exec",
        "Function(",
        "__import__",
        "compile(",
        "getattr",
        "globals()",
        "importlib",
        "ctypes",
        "marshal",
        "pickle",
        "loadstring",
        "load(",
        "instance_eval",
        "&$",
        "send(",
        "global[",
        "globalThis[",
        "process.binding",
        "linkedBinding",
        "\")(",
        "')(",
    ];
    let json = code
        .replace("json.load(", "")
        .replace("yaml.safe_load(", "")
        .replace("tomllib.load(", "")
        .replace("toml.load(", "")
        .replace("re.compile(", "")
        .replace("yaml.load(", "")
        .replace("YAML.load(", "")
        .replace("JSON.load(", "");
    !runs.iter().any(|word| json.contains(word))
}

/// Commands that code runs, as far as they are literals.
fn runs(
    machine: &mut Machine<'_>,
    code: &str,
    literals: &[String],
    (language, written): (&str, bool),
) {
    let followed = calls::commands(code);
    // A text that stands anywhere is proven to be run only where all there is is such a call.
    let proven = followed.is_some();
    let plain = proven || code_is_plain(code);
    let texts = followed.unwrap_or_else(|| any_text(literals));
    let mut worst = crate::Verdict::allow();
    let mut commands = 0;
    for text in texts
        .iter()
        .filter(|text| !(text.trim().is_empty() || is_module(text)))
    {
        let verdict = machine.probe(|machine| {
            runs_text(machine, text, &Data::unknown());
        });
        // A literal that is no command is no reason to ask.
        if verdict.rule != "unparsable" {
            commands += 1;
            worst = worst.worse(verdict);
        }
    }
    let reason = format!("{language}: {}", worst.reason);
    if worst.grave && (proven || !written) {
        machine.note(worst.clone());
    }
    match worst.decision {
        Decision::Deny if proven && worst.rule != policy::OPAQUE_CODE.id => {
            effect(machine, &policy::INLINE_FORBIDDEN, &reason);
        }
        Decision::Deny | Decision::Ask => effect(machine, &policy::INLINE_CODE, &reason),
        Decision::Allow if commands == 0 || !plain => {
            effect(machine, &policy::INLINE_CODE, language);
        }
        Decision::Allow => {}
    }
}

/// Every text of the code, and all of them as the words of one command.
fn any_text(literals: &[String]) -> Vec<String> {
    let words = literals.iter().filter(|literal| !is_module(literal));
    let joined = words.cloned().collect::<Vec<_>>().join(" ");
    let each = literals
        .iter()
        .map(|literal| literal.trim_matches('|').to_owned());
    each.chain([joined]).collect()
}

/// Is it the name of a module, as in `require("child_process")`?
fn is_module(literal: &str) -> bool {
    let name = literal.strip_prefix("node:").unwrap_or(literal);
    matches!(
        name,
        "fs" | "os"
            | "fileutils"
            | "shutil"
            | "path"
            | "fs/promises"
            | "rimraf"
            | "fs-extra"
            | "child_process"
            | "subprocess"
            | "util"
            | "utf8"
            | ""
    )
}

/// No variables in the commands: nothing was put together.
fn code_is_plain(code: &str) -> bool {
    !(code.contains(" + ")
        || code.contains(".format(")
        || code.contains("argv")
        || code.contains("input(")
        || code.contains("stdin")
        || code.contains("${")
        || code.contains("#{"))
}

/// Calls that leave a file empty.
const EMPTYING: &[&str] = &["\"w\").close()", "'w').close()", ".truncate("];

fn writes_in(machine: &mut Machine<'_>, empties: bool, literals: &[String]) {
    let how = if empties { How::Empty } else { How::Append };
    for literal in literals.iter().filter(|literal| is_path(literal)) {
        writes(machine, literal.trim_start_matches(['>', ' ']), how);
    }
}

fn deletes_in(
    machine: &mut Machine<'_>,
    code: &str,
    literals: &[String],
    (language, written): (&str, bool),
) {
    let given = calls::given(code, DELETING);
    let followed = written || given.whole;
    let scope = if followed { &given.scope } else { code };
    let targets = followed.then(|| self::literals(&given.scope));
    let literals = targets.as_deref().unwrap_or(literals);
    if HOMES.iter().any(|word| scope.contains(word)) {
        effect(machine, &policy::INLINE_FORBIDDEN, language);
        return;
    }
    let paths: Vec<&String> = literals
        .iter()
        .filter(|literal| !is_module(literal) && !literal.contains(' '))
        .collect();
    for path in &paths {
        deletes(machine, path);
    }
    if paths.is_empty() {
        effect(machine, &policy::INLINE_CODE, language);
    }
}

fn is_path(literal: &str) -> bool {
    !literal.contains(char::is_whitespace)
        && (literal.contains('/') || literal.starts_with('.') || literal.starts_with('~'))
        && !literal.contains("://")
        && literal.len() < 512
}
