//! Sources that change what is not theirs: a function of the standard library, of the runner or of another
//! package, by assigning to it. Every test that goes by it then means something else.

use super::super::protect::ending;
use super::Source;
use std::collections::BTreeSet;

/// What JavaScript has everywhere.
const GLOBALS: [&str; 20] = [
    "Array",
    "Date",
    "Error",
    "Function",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "Promise",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "assert",
    "console",
    "expect",
    "performance",
    "process",
];
/// What tests stand on, where a program hangs it up globally.
const HUNG_UP: [&str; 9] = [
    "it",
    "test",
    "describe",
    "expect",
    "assert",
    "Date",
    "Math",
    "performance",
    "process",
];
/// Modules whose attributes are there to be set.
const SET_BY_ALL: [&str; 4] = ["logging", "warnings", "locale", "os"];
/// What scripts of a shell check with.
const SHELL: [&str; 12] = [
    "[", "test", "grep", "diff", "cmp", "expr", "exit", "run", "skip", "fail", "builtin", "command",
];
/// Functions of C that tests go by.
const C: [&str; 12] = [
    "strcmp",
    "strncmp",
    "strcasecmp",
    "memcmp",
    "printf",
    "fprintf",
    "puts",
    "abort",
    "exit",
    "_exit",
    "assert",
    "__assert_fail",
];
/// Classes of Ruby that every test compares, and the methods that it does so by.
const RUBY: [&str; 9] = [
    "String", "Integer", "Float", "Array", "Hash", "Object", "Kernel", "Symbol", "Time",
];
const COMPARES: [&str; 6] = [
    "def ==",
    "def !=",
    "def eql?",
    "def ===",
    "def exit",
    "def self.now",
];

/// `own`: the names of the project's files and folders, without their endings.
pub(super) fn look(source: &Source, own: &BTreeSet<String>) -> Vec<String> {
    let known: BTreeSet<&str> = source.before.lines().map(str::trim).collect();
    let text = super::work(&source.path, &source.after);
    let language = ending(&source.path);
    let foreign = match language {
        "py" => python_names(&text, own),
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => javascript_names(&text),
        _ => BTreeSet::new(),
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let changes = match language {
            "py" => in_python(line, &foreign),
            "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => {
                in_javascript(line, &foreign)
            }
            "rb" => in_ruby(&lines[at..]),
            "pl" | "pm" => ["*main::", "*Test::", "*CORE::", "*{\"main::"]
                .iter()
                .any(|glob| line.contains(glob)),
            "sh" | "bash" | "" => in_shell(line),
            "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" => in_c(line),
            _ => false,
        };
        if changes && !known.contains(line) {
            let (path, number) = (&source.path, at + 1);
            found.push(format!(
                "{path}:{number} changes what is not its own: {line}"
            ));
        }
    }
    found
}

/// The names that a source of Python takes in from elsewhere.
fn python_names(text: &str, own: &BTreeSet<String>) -> BTreeSet<String> {
    let mut taken_in: BTreeSet<String> = ["builtins".to_owned()].into();
    let foreign = |module: &str| {
        let root = module.split('.').next().unwrap_or(module);
        !module.starts_with('.') && !own.contains(root) && !SET_BY_ALL.contains(&root)
    };
    for line in text.lines().map(str::trim) {
        let (module, taken) = if let Some(rest) = line.strip_prefix("from ") {
            let Some((module, taken)) = rest.split_once(" import ") else {
                continue;
            };
            (Some(module.trim()), taken)
        } else if let Some(taken) = line.strip_prefix("import ") {
            (None, taken)
        } else {
            continue;
        };
        for name in taken
            .split(',')
            .map(|name| name.trim_matches(['(', ')', ' ']))
        {
            let (whole, bound) = name.split_once(" as ").unwrap_or((name, name));
            if foreign(module.unwrap_or(whole)) {
                let bound = if module.is_some() {
                    bound
                } else {
                    bound.split('.').next().unwrap_or(bound)
                };
                taken_in.insert(bound.trim().to_owned());
            }
        }
    }
    taken_in
}

fn in_python(line: &str, foreign: &BTreeSet<String>) -> bool {
    let root_of = |text: &str| {
        text.split(['.', ',', ')'])
            .next()
            .map(str::trim)
            .map(str::to_owned)
    };
    if let Some(rest) = line.strip_prefix("setattr(") {
        return root_of(rest).is_some_and(|root| foreign.contains(&root));
    }
    if line.starts_with("sys.modules[") {
        return line.contains("] = ");
    }
    assigned(line).is_some_and(|(left, _)| {
        let root = left.split('.').next().unwrap_or(left);
        foreign.contains(root) && (root != "sys" || left == "sys.exit")
    })
}

/// The names that a source of JavaScript takes in from other packages, or has everywhere.
fn javascript_names(text: &str) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = GLOBALS.iter().map(|name| (*name).to_owned()).collect();
    for line in text.lines().map(str::trim) {
        let bound = line
            .strip_prefix("import ")
            .and_then(|rest| rest.split_once(" from "))
            .or_else(|| {
                let rest = ["const ", "let ", "var "]
                    .iter()
                    .find_map(|word| line.strip_prefix(word));
                rest?.split_once("= require(")
            });
        let Some((bound, from)) = bound else {
            continue;
        };
        let package = from.trim_start_matches(['"', '\'', ' ', '(']);
        if package.starts_with(['.', '/', '#']) {
            continue;
        }
        let words = bound.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
        names.extend(
            words
                .filter(|word| !word.is_empty() && *word != "as")
                .map(str::to_owned),
        );
    }
    names
}

fn in_javascript(line: &str, foreign: &BTreeSet<String>) -> bool {
    let root_of = |text: &str| {
        text.split(['.', ',', ')'])
            .next()
            .unwrap_or(text)
            .trim()
            .to_owned()
    };
    let through = ["Object.defineProperty(", "Object.assign("];
    if let Some(rest) = through.iter().find_map(|call| line.strip_prefix(call)) {
        let root = root_of(rest);
        return foreign.contains(&root) && root != "Object" || rest.starts_with("Object.prototype");
    }
    if line.starts_with("require(")
        && !line.starts_with("require(\".")
        && !line.starts_with("require('.")
    {
        return line
            .split_once(").")
            .is_some_and(|(_, rest)| assigned(&format!("x.{rest}")).is_some());
    }
    assigned(line).is_some_and(|(left, _)| {
        let mut parts = left.split('.');
        let (root, second) = (
            parts.next().unwrap_or(left),
            parts.next().unwrap_or_default(),
        );
        match root {
            "global" | "globalThis" | "window" => HUNG_UP.contains(&second),
            "process" => second == "exit" || second == "hrtime",
            root => foreign.contains(root),
        }
    })
}

/// A member that something else than a plain value is assigned to, and that.
fn assigned(line: &str) -> Option<(&str, &str)> {
    let (left, right) = line.split_once(" = ").or_else(|| line.split_once('='))?;
    let (left, right) = (left.trim(), right.trim());
    let path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    let member = left.contains('.') && left.chars().all(path) && !left.starts_with('.');
    let plain = right.starts_with(|c: char| c.is_ascii_digit() || "\"'`[{-=>".contains(c))
        || [
            "True",
            "False",
            "None",
            "true",
            "false",
            "null",
            "undefined",
        ]
        .iter()
        .any(|word| right.starts_with(word));
    (member && !plain && !right.is_empty()).then_some((left, right))
}

fn in_ruby(lines: &[&str]) -> bool {
    let line = lines[0];
    let opened = ["class ", "module "]
        .iter()
        .find_map(|word| line.strip_prefix(word));
    opened.is_some_and(|name| {
        let name = name.split([' ', '<', ';']).next().unwrap_or(name);
        let near = lines.iter().skip(1).take(12);
        let near = near.take_while(|line| !line.starts_with("class "));
        RUBY.contains(&name)
            && !line.contains('<')
            && near
                .into_iter()
                .any(|line| COMPARES.iter().any(|def| line.starts_with(def)))
    })
}

/// Does it define, or have the preprocessor replace, what the library compares, prints and ends with?
fn in_c(line: &str) -> bool {
    let named = |text: &str| {
        let name = text.split('(').next().unwrap_or(text).trim();
        let name = name.rsplit([' ', '*']).next().unwrap_or(name);
        text.contains('(') && C.contains(&name)
    };
    let defines = !line.contains(['=', ';', '"']) || line.contains('{');
    let outer = line.starts_with(|c: char| c.is_ascii_alphabetic());
    let head = line.split('{').next().unwrap_or(line);
    let typed = head
        .split('(')
        .next()
        .is_some_and(|head| head.trim().contains(' '));
    match line.strip_prefix("#define ") {
        Some(rest) => named(rest.split(')').next().unwrap_or(rest)),
        None => outer && typed && defines && !head.starts_with("return ") && named(head),
    }
}

fn in_shell(line: &str) -> bool {
    let defines = |name: &str| {
        let rest = line
            .strip_prefix("function ")
            .unwrap_or(line)
            .strip_prefix(name);
        rest.is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.starts_with("()") || (line.starts_with("function ") && rest.starts_with('{'))
        })
    };
    SHELL.iter().any(|name| defines(name)) || (line.starts_with("trap ") && line.contains("exit 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, after: &str) -> usize {
        let source = Source {
            path: path.into(),
            before: "x\n".into(),
            after: after.into(),
        };
        look(&source, &["app".to_owned()].into()).len()
    }

    #[test]
    fn assigning_to_what_others_made_is_told() {
        for (path, after) in [
            (
                "a.py",
                "import time\n_t = time.time\ntime.time = lambda: _t() / 2\n",
            ),
            (
                "a.py",
                "from unittest import TestCase\nTestCase.assertEqual = same\n",
            ),
            ("a.py", "import json as j\nsetattr(j, 'loads', f)\n"),
            ("a.py", "import sys\nsys.modules['yaml'] = fake\n"),
            (
                "a.js",
                "const assert = require(\"node:assert\");\nassert.equal = () => {};\n",
            ),
            (
                "a.mjs",
                "import * as fs from 'fs';\nfs.readFileSync = other;\n",
            ),
            ("a.js", "Date.now = () => 0;\n"),
            ("a.js", "require(\"assert\").equal = () => {};\n"),
            ("a.js", "global.it = (name, f) => it(name, () => {});\n"),
            ("a.js", "process.exit = () => {};\n"),
            (
                "a.rb",
                "class String\n  def ==(other)\n    true\n  end\nend\n",
            ),
            ("a.pm", "*main::is = sub { pass() };\n"),
            ("a.c", "int strcmp(const char *a, const char *b) {\n"),
            ("a.h", "#define strcmp(a, b) (0)\n"),
            ("a.sh", "test() { :; }\n"),
            ("a.sh", "trap 'exit 0' EXIT\n"),
        ] {
            assert_eq!(told(path, after), 1, "{after}");
        }
    }

    #[test]
    fn what_is_ones_own_or_there_to_be_set_is_not() {
        for (path, after) in [
            ("a.py", "import app\napp.cache = make()\n"),
            (
                "a.py",
                "import sys, logging\nsys.stdout = out\nlogging.raiseExceptions = off\n",
            ),
            (
                "a.py",
                "import pandas as pd\npd.options.display.max_rows = 10\n",
            ),
            (
                "a.py",
                "import time\nself.time = time.time()\nif time.time() == x: pass\n",
            ),
            ("a.py", "import os\nos.environ['A'] = b\n"),
            (
                "a.js",
                "const { a } = require(\"./a.js\");\na.b = () => {};\nexports.c = a;\nmodule.exports.d = a;\n",
            ),
            (
                "a.js",
                "process.exitCode = code;\nprocess.title = name;\nthis.Date = x;\n",
            ),
            (
                "a.js",
                "const app = express();\napp.locals = make();\nif (Date.now() === x) y();\n",
            ),
            (
                "a.rb",
                "class String\n  def blank?\n    strip.empty?\n  end\nend\nclass Point\n  def ==(other)\n    x == other.x\n  end\nend\n",
            ),
            (
                "a.sh",
                "trap 'rm -rf \"$tmp\"' EXIT\nrun_all() { :; }\ntest -f a\n",
            ),
        ] {
            assert_eq!(told(path, after), 0, "{after}");
        }
    }
}
