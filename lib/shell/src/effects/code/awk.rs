//! awk programs: `system()`, pipes, files and the environment.

use super::lexer::{self, Token};
use super::slices::until;
use super::values::Scope;
use super::{is_path, languages, policy};
use crate::data::Data;
use crate::effects::{How, effect, reads, runs_text, writes};
use crate::machine::Machine;
use crate::mark;

/// awk's own ways out: `system()`, pipes and files.
pub(in crate::effects) fn awk(machine: &mut Machine<'_>, program: &str) {
    let language = languages::of("awk");
    let tokens = lexer::tokens(program, language);
    let scope = Scope::new(&tokens, language, machine);
    let text = |tokens: &[Token]| side_by_side(&scope, tokens);
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
                run(machine, mark::ANY.encode_utf8(&mut [0; 4]));
            }
            Token::Sign('|') if !beside => {
                let rest = &rest[usize::from(rest.first().is_some_and(|next| next.is('&')))..];
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
                effect(machine, &policy::RAW_NETWORK, "awk");
            }
            Token::Text(text) if is_path(&text.shown()) => drop(reads(machine, &text.shown())),
            _ => {}
        }
    }
}

/// Texts and names that stand side by side are one text.
fn side_by_side(scope: &Scope<'_>, tokens: &[Token]) -> String {
    let word = |token: &Token| match token {
        Token::Text(text) => text.shown(),
        Token::Sign('(' | ')') => String::new(),
        token => match scope.values(std::slice::from_ref(token)).as_slice() {
            [only] => only.words.concat(),
            _ => mark::ANY.to_string(),
        },
    };
    tokens.iter().map(word).collect()
}

fn run(machine: &mut Machine<'_>, command: &str) {
    if command.starts_with(mark::ANY) {
        effect(machine, &policy::OPAQUE_CODE, "awk");
    } else if !command.trim().is_empty() {
        runs_text(machine, command, &Data::unknown());
    }
}
