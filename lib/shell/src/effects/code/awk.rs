//! awk programs: `system()`, pipes, files and the environment.

use super::lexer::{self, Token};
use super::slices::until;
use super::values::{Scope, Value};
use super::{languages, policy};
use crate::data::Data;
use crate::effects::{How, effect, runs_text, writes};
use crate::machine::Machine;
use crate::mark;

/// awk's own ways out: `system()`, pipes and files.
pub(in crate::effects) fn awk(machine: &mut Machine<'_>, program: &str) {
    let language = languages::of("awk");
    let tokens = lexer::tokens(program, language);
    let home = machine.context.home.to_owned();
    let scope = Scope::new(&tokens, language, &home);
    // Texts and names that stand side by side are one text.
    let text = |tokens: &[Token]| -> String {
        let word = |token: &Token| match token {
            Token::Text(text) => text.shown(),
            token if token.is('(') || token.is(')') => String::new(),
            token => {
                let [only] = scope
                    .values(std::slice::from_ref(token))
                    .try_into()
                    .unwrap_or([Value::any()]);
                only.words.concat()
            }
        };
        tokens.iter().map(word).collect()
    };
    for (at, token) in tokens.iter().enumerate() {
        let rest = &tokens[at + 1..];
        let beside =
            at > 0 && tokens[at - 1].is('|') || rest.first().is_some_and(|next| next.is('|'));
        match token {
            Token::Name(name) if name == "system" => run(
                machine,
                &text(until(rest.get(1..).unwrap_or_default(), |_| false)),
            ),
            Token::Name(name) if name == "ENVIRON" => effect(machine, &policy::ENVIRONMENT, "awk"),
            Token::Name(name) if name == "load" && at > 0 && tokens[at - 1].is('@') => {
                run(machine, mark::ANY.encode_utf8(&mut [0; 4]))
            }
            Token::Sign('|') if !beside => {
                let rest = if rest.first().is_some_and(|next| next.is('&')) {
                    &rest[1..]
                } else {
                    rest
                };
                if rest.first().and_then(Token::name) == Some("getline") {
                    let before = |token: &Token| {
                        matches!(token, Token::End | Token::Sign('{' | '}' | '(' | '='))
                            || matches!(token.name(), Some("while" | "print"))
                    };
                    let start = tokens[..at]
                        .iter()
                        .rposition(before)
                        .map_or(0, |start| start + 1);
                    run(machine, &text(&tokens[start..at]));
                } else {
                    run(machine, &text(until(rest, |token| *token == Token::End)));
                }
            }
            Token::Sign('>') => {
                if let Some(Token::Text(path)) = rest.iter().find(|token| !token.is('>'))
                    && rest.iter().take_while(|token| token.is('>')).count() < 2
                {
                    writes(machine, &path.shown(), How::Append);
                }
            }
            Token::Text(text) if text.shown().contains("/inet") => {
                effect(machine, &policy::RAW_NETWORK, "awk")
            }
            _ => {}
        }
    }
}

fn run(machine: &mut Machine<'_>, command: &str) {
    if command.starts_with(mark::ANY) {
        effect(machine, &policy::OPAQUE_CODE, "awk");
    } else if !command.trim().is_empty() {
        runs_text(machine, command, &Data::unknown());
    }
}
