//! How languages quote, comment and call: one table, read by the lexer.

/// What stands between quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Text as it stands.
    Raw,
    /// Text with escapes.
    Escapes,
    /// Text with escapes and with code in it.
    Code,
    /// A command that is run, with code in it.
    Command,
    /// Words.
    Words,
    /// A pattern, or two of them: nothing that is run.
    Pattern,
}

/// How a call is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `name(a, b)`.
    Parentheses,
    /// The same, or `name a, b`.
    Bare,
    /// `(name a b)`.
    List,
}

/// A language.
pub(super) struct Language {
    /// Its name in the table of calls.
    pub(super) family: &'static str,
    /// Programs that run it, by what their names begin with.
    pub(super) programs: &'static [&'static str],
    /// How comments begin and end.
    pub(super) comments: &'static [(&'static str, &'static str)],
    /// How texts begin and end; of two that fit the first counts.
    pub(super) quotes: &'static [(Within, &'static str, &'static str)],
    /// Words in front of a text between any brackets or signs.
    pub(super) delimited: &'static [(&'static str, Within)],
    /// What begins code in a text.
    pub(super) inner: &'static str,
    /// What joins the parts of a name.
    pub(super) joins: &'static [&'static str],
    pub(super) form: Form,
    /// May a slash begin a pattern?
    pub(super) slashes: bool,
    /// Are all its ways to delete, run and send in the table of calls? Else it must be made of words that are
    /// known to be harmless.
    pub(super) searched: bool,
}

use Form::{Bare, List, Parentheses};
use Within::{Code, Command, Escapes, Pattern, Raw, Words};

const HASH: (&str, &str) = ("#", "\n");
const SLASHES: (&str, &str) = ("//", "\n");
const BLOCK: (&str, &str) = ("/*", "*/");
const SINGLE: (Within, &str, &str) = (Escapes, "'", "'");
const DOUBLE: (Within, &str, &str) = (Escapes, "\"", "\"");
const FILLED: (Within, &str, &str) = (Code, "\"", "\"");
const RUN: (Within, &str, &str) = (Command, "`", "`");
const THREE: (Within, &str, &str) = (Raw, "\"\"\"", "\"\"\"");

/// What a language is that nobody lists.
static OTHER: Language = Language {
    family: "other",
    programs: &[],
    comments: &[],
    quotes: &[DOUBLE, SINGLE, RUN],
    delimited: &[],
    inner: "${",
    joins: &[".", "::", "->"],
    form: Bare,
    slashes: false,
    searched: false,
};

static LANGUAGES: &[Language] = &[
    Language {
        family: "python",
        programs: &["python", "pypy", "ipython", "jython", "sage", "hy"],
        comments: &[HASH],
        quotes: &[
            (Escapes, "\"\"\"", "\"\"\""),
            (Escapes, "'''", "'''"),
            DOUBLE,
            SINGLE,
        ],
        inner: "{",
        joins: &["."],
        form: Parentheses,
        searched: true,
        ..OTHER
    },
    Language {
        family: "node",
        programs: &[
            "node", "deno", "bun", "tsx", "ts-node", "esno", "qjs", "d8", "rhino",
        ],
        comments: &[SLASHES, BLOCK],
        quotes: &[DOUBLE, SINGLE, (Code, "`", "`")],
        joins: &["?.", "."],
        form: Parentheses,
        slashes: true,
        searched: true,
        ..OTHER
    },
    Language {
        family: "ruby",
        programs: &["ruby", "jruby", "irb", "pry"],
        comments: &[HASH],
        quotes: &[FILLED, SINGLE, RUN],
        delimited: &[
            ("%x", Command),
            ("%w", Words),
            ("%i", Words),
            ("%q", Escapes),
            ("%Q", Code),
            ("%r", Pattern),
        ],
        inner: "#{",
        joins: &["&.", ".", "::"],
        slashes: true,
        searched: true,
        ..OTHER
    },
    Language {
        family: "perl",
        programs: &["perl", "raku"],
        comments: &[HASH],
        quotes: &[FILLED, SINGLE, RUN],
        delimited: &[
            ("qx", Command),
            ("qw", Words),
            ("qq", Code),
            ("qr", Pattern),
            ("q", Escapes),
            ("m", Pattern),
            ("s", Pattern),
            ("tr", Pattern),
            ("y", Pattern),
        ],
        inner: "$",
        joins: &["->", "::"],
        slashes: true,
        searched: true,
        ..OTHER
    },
    Language {
        family: "php",
        programs: &["php"],
        comments: &[HASH, SLASHES, BLOCK],
        quotes: &[FILLED, SINGLE, RUN],
        inner: "$",
        joins: &["->", "::", "\\"],
        searched: true,
        ..OTHER
    },
    Language {
        family: "lua",
        programs: &["lua"],
        comments: &[("--[[", "]]"), ("--", "\n")],
        quotes: &[DOUBLE, SINGLE, (Raw, "[[", "]]")],
        joins: &[".", ":"],
        searched: true,
        ..OTHER
    },
    Language {
        family: "lisp",
        programs: &[
            "guile", "racket", "sbcl", "clisp", "elisp", "emacs", "clojure", "bb", "scheme", "gsi",
            "chez", "ecl", "newlisp", "janet", "jjs", "lfe",
        ],
        comments: &[(";", "\n"), ("#|", "|#")],
        quotes: &[DOUBLE],
        form: List,
        ..OTHER
    },
    Language {
        family: "r",
        programs: &["Rscript", "R"],
        comments: &[HASH],
        quotes: &[DOUBLE, SINGLE],
        joins: &[".", "::"],
        ..OTHER
    },
    Language {
        family: "julia",
        programs: &["julia"],
        comments: &[("#=", "=#"), HASH],
        quotes: &[(Raw, "raw\"", "\""), THREE, FILLED, SINGLE, RUN],
        inner: "$(",
        joins: &["."],
        ..OTHER
    },
    Language {
        family: "elixir",
        programs: &["elixir", "iex"],
        comments: &[HASH],
        quotes: &[THREE, FILLED, SINGLE],
        inner: "#{",
        joins: &["."],
        ..OTHER
    },
    Language {
        family: "erlang",
        programs: &["erl", "escript"],
        comments: &[("%", "\n")],
        quotes: &[DOUBLE, SINGLE],
        joins: &[":"],
        ..OTHER
    },
    Language {
        family: "functional",
        programs: &["ghc", "runghc", "ocaml"],
        comments: &[("--", "\n"), ("{-", "-}"), ("(*", "*)")],
        quotes: &[DOUBLE],
        joins: &["."],
        ..OTHER
    },
    Language {
        family: "awk",
        programs: &["awk"],
        comments: &[HASH],
        quotes: &[DOUBLE],
        joins: &[],
        form: Parentheses,
        slashes: true,
        ..OTHER
    },
    Language {
        family: "script",
        programs: &["osascript"],
        comments: &[("--", "\n"), ("(*", "*)")],
        quotes: &[DOUBLE],
        ..OTHER
    },
    Language {
        family: "compiled",
        programs: overnight_base::words!(
            "compiled rust go groovy scala java jshell kotlin swift csi dotnet jrunscript nim \
             crystal cling"
        ),
        comments: &[SLASHES, BLOCK],
        quotes: &[THREE, (Raw, "r#\"", "\"#"), DOUBLE, SINGLE, (Raw, "`", "`")],
        joins: &["?.", ".", "::", "->"],
        ..OTHER
    },
];

/// The language that a program runs.
pub(super) fn of(program: &str) -> &'static Language {
    // `php-cgi`, `python3.12` and `pypy3` are told by their stem; `R` and `go` stand for themselves alone.
    let fits = |stem: &&&str| program == **stem || stem.len() > 2 && program.starts_with(**stem);
    LANGUAGES
        .iter()
        .filter_map(|language| {
            let stem = language
                .programs
                .iter()
                .filter(fits)
                .map(|stem| stem.len())
                .max()?;
            Some((stem, language))
        })
        .max_by_key(|(stem, _)| *stem)
        .map_or(&OTHER, |(_, language)| language)
}

/// The call that stands for all of its family in the table: those with a list or an array of arguments, along the path
/// or not, with an environment or without.
pub(super) fn family(name: &str) -> Option<&'static str> {
    let listed = ["execvp", "spawnvp"];
    listed.into_iter().find(|listed| {
        let kind = name.strip_prefix(listed.trim_end_matches("vp"));
        let chosen = |kind: &str| {
            kind.starts_with(['l', 'v']) && kind.trim_end_matches(['p', 'e']).len() == 1
        };
        name != *listed && kind.is_some_and(chosen)
    })
}
