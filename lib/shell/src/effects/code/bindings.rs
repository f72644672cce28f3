//! Names that imports and assignments bind, followed once: `f = os.system; f(x)` is `os.system(x)`.

use std::collections::BTreeMap;

/// The code with each bound name in the place of a call written out, and without the bindings.
pub(super) fn followed(code: &str) -> String {
    let mut bound = BTreeMap::new();
    let kept: String = code
        .split_inclusive(['\n', ';'])
        .filter(|part| !binds(part.trim().trim_end_matches(';'), &mut bound))
        .collect();
    if bound.is_empty() {
        code.to_owned()
    } else {
        written_out(&kept, &bound)
    }
}

/// Is it nothing but a binding of names?
fn binds(statement: &str, bound: &mut BTreeMap<String, String>) -> bool {
    let found = python(statement)
        .or_else(|| javascript(statement))
        .or_else(|| assigned(statement));
    // What is imported under its own name stays as it is.
    let found = found.filter(|names| names.iter().all(|(_, meaning)| dotted(meaning)));
    let binds = found.is_some();
    bound.extend(found.into_iter().flatten());
    binds
}

type Names = Vec<(String, String)>;

/// `import os as o`, `from os import system as s, remove`.
fn python(statement: &str) -> Option<Names> {
    if let Some(rest) = statement.strip_prefix("import ") {
        let (module, name) = rest.split_once(" as ")?;
        return word(name.trim()).then(|| vec![(name.trim().into(), module.trim().into())]);
    }
    let (module, list) = statement.strip_prefix("from ")?.split_once(" import ")?;
    names(list, " as ", module.trim())
}

/// `const {rm: r} = require('fs')`, `import {rm as r} from 'fs'`, `const c = require('x').y`.
fn javascript(statement: &str) -> Option<Names> {
    let declared = ["const ", "let ", "var "]
        .iter()
        .find_map(|word| statement.strip_prefix(word))
        .and_then(|rest| rest.split_once('='));
    let (target, module, alias) = if let Some((target, value)) = declared {
        let value = value.trim();
        let value = value.strip_prefix("await ").unwrap_or(value);
        let inner = ["require(", "import("]
            .iter()
            .find_map(|call| value.strip_prefix(call))?;
        let (module, member) = inner.split_once(')')?;
        (target, format!("{}{member}", named(module)?), ":")
    } else {
        let (target, module) = statement.strip_prefix("import ")?.split_once(" from ")?;
        (target, named(module)?, " as ")
    };
    let target = target.trim().trim_start_matches("* as ");
    match target.strip_prefix('{') {
        Some(list) => names(list.strip_suffix('}')?, alias, &module),
        None => word(target).then(|| vec![(target.to_owned(), module)]),
    }
}

/// `run = os.system`: another name for a call.
fn assigned(statement: &str) -> Option<Names> {
    let (name, value) = statement.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let call = word(name) && value.contains('.') && dotted(value);
    call.then(|| vec![(name.to_owned(), value.to_owned())])
}

/// The module's name between quotes: `node:fs/promises` is `fs`.
fn named(module: &str) -> Option<String> {
    let module = module.trim().trim_matches(['\'', '"']);
    let module = module.strip_prefix("node:").unwrap_or(module);
    let module = module.strip_suffix("/promises").unwrap_or(module);
    word(module).then(|| module.to_owned())
}

fn names(list: &str, alias: &str, module: &str) -> Option<Names> {
    let list = list.trim().trim_matches(['(', ')']);
    list.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(|item| {
            let (member, name) = item.split_once(alias).unwrap_or((item, item));
            let (member, name) = (member.trim(), name.trim());
            (word(member) && word(name)).then(|| (name.to_owned(), format!("{module}.{member}")))
        })
        .collect()
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

fn word(text: &str) -> bool {
    text.starts_with(|c: char| is_name(c) && !c.is_ascii_digit()) && text.chars().all(is_name)
}

fn dotted(text: &str) -> bool {
    text.split('.').all(word)
}

/// Names outside of texts that are called, or whose member is taken.
fn written_out(code: &str, bound: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(code.len());
    let (mut quote, mut rest) = (None, code);
    while let Some(c) = rest.chars().next() {
        let run = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let taken = if quote.is_none() && run > 0 {
            let (name, after) = rest.split_at(run);
            let member = out.ends_with('.');
            let used = after.starts_with(['(', '.']) && !member;
            out.push_str(
                bound
                    .get(name)
                    .filter(|_| used)
                    .map_or(name, String::as_str),
            );
            run
        } else {
            let escaped = c == '\\' && rest.len() > 1;
            let skip = rest.chars().nth(1).filter(|_| escaped);
            match quote {
                Some(open) if !escaped && (c == open || c == '\n' && open != '`') => quote = None,
                None if matches!(c, '\'' | '"' | '`') => quote = Some(c),
                _ => {}
            }
            let taken = c.len_utf8() + skip.map_or(0, char::len_utf8);
            out.push_str(&rest[..taken]);
            taken
        };
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::followed;

    #[test]
    fn bound_names_are_written_out_where_they_are_called() {
        for (code, want) in [
            ("import os as o; f=o.system; f('o.x')", " o.system('o.x')"),
            (
                "from os import system as s, remove\ns(a); remove(b)",
                "os.system(a); os.remove(b)",
            ),
            (
                "const {exec:e}=require('child_process'); e('x')",
                " child_process.exec('x')",
            ),
            (
                "import {rm} from 'fs/promises'; await rm('/a')",
                " await fs.rm('/a')",
            ),
            (
                "const x=require('node:child_process').spawnSync; x('rm')",
                " child_process.spawnSync('rm')",
            ),
            (
                "import os, sys\nprint(os.sep)",
                "import os, sys\nprint(os.sep)",
            ),
            ("a = b == c\nx.a(1)", "a = b == c\nx.a(1)"),
        ] {
            assert_eq!(followed(code), want, "{code}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(code in "[a-c=.'\"`;\n(){}, \\\\é]{0,40}|(import|from|const) [a-c {}.,'=()]{0,20}") {
            followed(&code);
        }
    }
}
