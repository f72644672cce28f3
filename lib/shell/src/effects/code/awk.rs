//! awk programs: `system()`, pipes, files and the environment.

use super::literals;
use crate::data::Data;
use crate::effects::{How, effect, runs_text, writes};
use crate::machine::Machine;
use crate::policy;

/// awk's own ways out: `system()`, pipes and files.
pub(in crate::effects) fn awk(machine: &mut Machine<'_>, program: &str) {
    let code = without_patterns(program);
    let runs = code.contains("system(")
        || code.contains("system (")
        || code.contains("| getline")
        || code.contains("|getline")
        || code.contains("|&")
        || code.contains("| \"")
        || code.contains("|\"")
        || code.contains("@load")
        || piped_to_a_name(&code)
        || code.contains("exec(");
    let strings = literals(&code);
    if runs {
        let mut found = false;
        for text in strings.iter().filter(|text| !text.trim().is_empty()) {
            found = true;
            runs_text(machine, text, &Data::unknown());
        }
        let computed = code.contains("system($")
            || code.contains("system( $")
            || code.contains("\" $")
            || code.contains("\"$")
            || code.contains(" $0 |")
            || code.contains("print |")
            || piped_to_a_name(&code);
        if !found || computed {
            effect(machine, &policy::OPAQUE_CODE, "awk");
        }
    }
    if code.contains("> \"") || code.contains(">\"") {
        for text in &strings {
            if !text.contains(' ') && !text.is_empty() && !text.contains('\n') {
                writes(machine, text, How::Append);
            }
        }
    }
    if code.contains("/inet") {
        effect(machine, &policy::RAW_NETWORK, "awk");
    }
    if code.contains("ENVIRON") {
        effect(machine, &policy::ENVIRONMENT, "awk");
    }
}

/// `print x | command` with a command in a variable; `||` and `|&` are none of these.
fn piped_to_a_name(code: &str) -> bool {
    let bytes = code.as_bytes();
    let mut quoted = false;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' if at == 0 || bytes[at - 1] != b'\\' => quoted = !quoted,
            b'|' if !quoted => {
                let beside = [at.checked_sub(1), Some(at + 1)]
                    .into_iter()
                    .flatten()
                    .any(|other| bytes.get(other) == Some(&b'|'));
                let after = code[at + 1..].trim_start();
                let name =
                    after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
                let statement = code[..at]
                    .rfind(['{', '}', ';', '\n'])
                    .map_or(0, |at| at + 1);
                let printed = code[statement..at].contains("print");
                if !beside && name && printed && !after.starts_with("getline") {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// A program without its `/…/` patterns, whose quotes and words mean nothing.
fn without_patterns(program: &str) -> String {
    let Some(rest) = program.trim_start().strip_prefix('/') else {
        return program.to_owned();
    };
    match rest.find('/') {
        Some(end) => rest[end + 1..].to_owned(),
        None => program.to_owned(),
    }
}
