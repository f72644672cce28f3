//! Inline code of other languages. Only what calls that start programs are given are commands, and only what calls
//! that delete or write are given are paths; what cannot be followed is a question.

mod awk;
mod beside;
mod bindings;
mod calls;
mod environment;
mod gives;
mod languages;
mod lexer;
mod proven;
mod reader;
mod slices;
mod values;

pub(super) use awk::awk;

use super::{effect, runs_text};
use crate::data::Data;
use crate::machine::Machine;
use crate::{mark, policy};
use reader::Reader;
use values::Scope;

/// Judges code of any language but the shell.
pub(super) fn judge(machine: &mut Machine<'_>, code: &str, program: &str) {
    follow(machine, code, program, 0);
    let language = languages::of(program);
    // Some of them run what stands between backquotes, which others know as texts.
    let proven = || !code.contains('`') && proven::harmless(&lexer::tokens(code, language));
    if !language.searched && !proven() {
        effect(machine, &policy::INLINE_CODE, program);
    }
}

/// How a file that this program runs is read: by what it names, where its language is none of ours.
pub(super) fn reader(program: &str) -> &str {
    match languages::of(program).family {
        "other" => "data",
        _ => program,
    }
}

/// Judges code that stands in a file.
pub(super) fn written(machine: &mut Machine<'_>, code: &str, program: &str) {
    follow(machine, code, program, 0);
}

fn follow(machine: &mut Machine<'_>, code: &str, program: &str, evaluated: u32) {
    if code.contains(mark::NETWORK) {
        effect(machine, &policy::REMOTE_CODE, program);
        return;
    }
    if mark::opaque(code) {
        effect(machine, &policy::OPAQUE_CODE, program);
        return;
    }
    let language = languages::of(program);
    // What inline code brings in is a file still.
    let in_file = !machine.unheard.is_empty();
    if evaluated == 0 && !in_file {
        beside::run(machine, code, program, language);
    }
    let (tokens, parts) = if evaluated == 0 && in_file {
        beside::joined(machine, code, language)
    } else {
        let tokens = lexer::tokens(code, language);
        let whole = vec![(tokens.len(), code.to_owned())];
        (tokens, whole)
    };
    let before = (machine.state.cwd.clone(), machine.state.also.clone());
    let scope = Scope::new(&tokens, language, machine);
    let mut reader = Reader {
        machine,
        scope,
        program,
        evaluated,
        calls: 0,
        connected: Vec::new(),
        texts: Vec::new(),
        seen: std::collections::BTreeSet::new(),
    };
    let mut begin = 0;
    for (end, text) in parts {
        let part = &tokens[begin..end];
        reader.walk(part);
        reader.sum_up(&text, part);
        // What one file does and what another does come to nothing by themselves.
        reader.seen.clear();
        begin = end;
    }
    reader.states();
    (machine.state.cwd, machine.state.also) = before;
    if program == "ipython" {
        for command in code
            .lines()
            .filter_map(|line| line.trim().strip_prefix('!'))
        {
            runs_text(machine, command, &Data::unknown());
        }
    }
}

/// A loop that nothing ends.
pub(super) fn endless_loop(code: &str) -> bool {
    let code: String = code
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '(')
        .collect();
    let endless = [
        "while1",
        "whileTrue",
        "whiletrue",
        "for;;",
        "loop{",
        "loopdo",
    ];
    let ends = "break last return exit sleep input readline accept";
    endless.iter().any(|word| code.contains(word))
        && !ends.split(' ').any(|word| code.contains(word))
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

fn is_path(literal: &str) -> bool {
    !literal.contains(char::is_whitespace)
        && (literal.contains('/') || literal.starts_with('.') || literal.starts_with('~'))
        && !literal.contains("://")
        && literal.len() < 512
}

#[cfg(test)]
mod tests;
