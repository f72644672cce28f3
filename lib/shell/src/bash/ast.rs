//! What the parser hands on: commands, words and their parts.

use std::cell::OnceCell;
use std::rc::Rc;

/// A piece of a word.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// Text; when not quoted it is subject to globbing, tildes and braces.
    Text { text: String, quoted: bool },
    /// `$x`, `${x…}`.
    Param { param: Box<Param>, quoted: bool },
    /// `$(…)` or backquotes.
    Command { body: Rc<Command>, quoted: bool },
    /// `<(…)` or `>(…)`.
    Process { body: Rc<Command>, write: bool },
    /// `$((…))`: the expansions inside.
    Arithmetic { inner: Word },
    /// `(…)` after `name=`.
    Array(Vec<Word>),
}

/// A word before expansion.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
}

impl Word {
    /// The text of a word that is one unquoted piece, such as a reserved word must be.
    pub(crate) fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [
                Part::Text {
                    text,
                    quoted: false,
                },
            ] => Some(text),
            _ => None,
        }
    }
}

/// A parameter expansion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Param {
    pub(crate) name: String,
    /// `${!x}`.
    pub(crate) indirect: bool,
    /// `${#x}`.
    pub(crate) length: bool,
    /// `[…]` after the name.
    pub(crate) index: Option<Word>,
    pub(crate) op: ParamOp,
}

/// What is done with the parameter's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ParamOp {
    None,
    /// `-`, `=`, `?`, `+`, with a colon or without.
    Default {
        sign: char,
        colon: bool,
        word: Word,
    },
    /// `#`, `##`, `%`, `%%`.
    Strip {
        suffix: bool,
        longest: bool,
        pattern: Word,
    },
    /// `/`, `//`, `/#`, `/%`.
    Replace {
        kind: char,
        pattern: Word,
        with: Word,
    },
    /// `^`, `^^`, `,`, `,,`.
    Case {
        upper: bool,
        all: bool,
    },
    /// `:offset:length`, with the text of both when it is constant.
    Slice {
        range: Word,
    },
    /// `@Q` and the like.
    Transform(char),
}

/// `name=value` in front of a command or alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Assign {
    pub(crate) name: String,
    pub(crate) index: Option<Word>,
    pub(crate) append: bool,
    pub(crate) value: Word,
}

/// The kinds of redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectOp {
    Read,
    Write,
    Append,
    ReadWrite,
    DuplicateIn,
    DuplicateOut,
    /// `&>` and `&>>`.
    Both,
    HereString,
    HereDocument,
}

/// One redirection.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Redirect {
    /// The number or `{name}` in front; empty for the default.
    pub(crate) fd: String,
    pub(crate) op: RedirectOp,
    pub(crate) target: Word,
    /// The body of a here-document, known after the line's end.
    pub(crate) body: Rc<OnceCell<Word>>,
}

/// A command of words.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Simple {
    pub(crate) assigns: Vec<Assign>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
}

/// How a command follows the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    /// First, or after `;` or a newline.
    Next,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
    /// After `&`.
    Background,
}

/// Anything that is run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    Simple(Simple),
    Pipeline(Vec<Command>),
    /// Commands in order; the join tells how each follows its predecessor.
    List(Vec<(Join, Command)>),
    Subshell(Box<Command>),
    /// `{ …; }` and what behaves like it.
    Group(Box<Command>),
    /// Condition and body pairs, the last body without a condition.
    If(Vec<Command>),
    Loop {
        condition: Box<Command>,
        body: Box<Command>,
    },
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: Box<Command>,
    },
    Case {
        word: Word,
        arms: Vec<(Vec<Word>, Command)>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `[[ … ]]`: the operands.
    Test(Vec<Word>),
    /// `((…))`: the expansions inside.
    Arithmetic(Word),
    Redirected(Box<Command>, Vec<Redirect>),
    /// `… &`.
    Background(Box<Command>),
}
