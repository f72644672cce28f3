//! Bash's grammar, as far as it decides what is run: a parser of one pass that never backtracks
//! further than one `((`, bounded in depth and size.

mod arithmetic;
pub(crate) mod ast;
mod command;
mod compound;
mod document;
mod expansion;
mod parser;
mod word;

#[cfg(test)]
mod tests;

pub(crate) use ast::{
    Assign, Command, Join, Param, ParamOp, Part, Redirect, RedirectOp, Simple, Word,
};
pub(crate) use expansion::unescape;
pub(crate) use parser::{Parser, Problem};

/// Parses text the way the inside of a here-document or a double-quoted string is read: only
/// expansions count.
pub(crate) fn expansions(text: &str, depth: u32) -> Result<Word, Problem> {
    Parser::nested(text, depth).document_word()
}
