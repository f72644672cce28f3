//! awk programs: `system()`, pipes, files and the environment.

use super::literals;
use crate::guard::data::Data;
use crate::guard::effects::{How, effect, runs_text, writes};
use crate::guard::machine::Machine;
use crate::guard::policy;

/// awk's own ways out: `system()`, pipes and files.
pub(in crate::guard::effects) fn awk(machine: &mut Machine<'_>, program: &str) {
    let code = without_patterns(program);
    let runs = code.contains("system(")
        || code.contains("system (")
        || code.contains("| getline")
        || code.contains("|getline")
        || code.contains("|&")
        || code.contains("| \"")
        || code.contains("|\"")
        || code.contains("@load");
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
            || code.contains("print |");
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
