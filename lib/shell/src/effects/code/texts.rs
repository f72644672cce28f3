//! Code without its texts: words in a message that is printed do nothing.

use super::is_module;
use super::words::{DELETING, HIDING, RUNNING, SENDING};

/// What may stand before a text and behind it, where it is surely one.
const BEFORE: &[char] = &['(', '[', '{', ',', '=', '+', ':', ';', ' ', '\n'];
const BEHIND: &[char] = &[')', ']', '}', ',', ';', '+', '.', ':', ' ', '\n', '%'];

/// The code with its texts emptied. `None`: it is not sure which parts are texts, or they may be
/// more than that: names of calls, patterns with code in them, something that is evaluated.
pub(super) fn without(code: &str, literals: &[String]) -> Option<String> {
    let called = literals.iter().any(|literal| {
        let name = literal.trim();
        let identifier = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (!name.is_empty() && is_module(name))
            || identifier
                && name.len() > 1
                && [RUNNING, DELETING, SENDING]
                    .iter()
                    .any(|words| words.iter().any(|word| word.contains(name)))
    });
    if called {
        return None;
    }
    let bare = emptied(code)?;
    let unsure = [
        "//", "/*", "#", "`", "${", "{{", "@{", "qq", "q(", "q{", "%q", "%w", "<<",
    ]
    .iter()
    .any(|mark| bare.contains(mark));
    let evaluates = HIDING.iter().any(|word| bare.contains(word));
    let interpolates = code.contains("#{")
        || code.contains("@{")
        || ["f\"", "f'", "F\"", "F'", "rf'", "fr'"]
            .iter()
            .any(|start| code.contains(start));
    (!unsure && !evaluates && !interpolates).then_some(bare)
}

/// The code with every text between single or double quotes left empty. `None` where a quote does
/// not look like the start or the end of one.
fn emptied(code: &str) -> Option<String> {
    let mut bare = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(['\'', '"']) {
        let (before, text) = rest.split_at(at);
        bare.push_str(before);
        let quote = text.chars().next()?;
        if !(bare.is_empty() || bare.ends_with(BEFORE)) {
            return None;
        }
        let mut escaped = false;
        let end = text.char_indices().skip(1).find(|(_, c)| {
            let ends = !escaped && (*c == quote || *c == '\n');
            escaped = !escaped && *c == '\\';
            ends
        });
        let (end, last) = end?;
        rest = &text[end + last.len_utf8()..];
        if last == '\n' || !(rest.is_empty() || rest.starts_with(BEHIND)) {
            return None;
        }
        bare.push(quote);
        bare.push(quote);
    }
    bare.push_str(rest);
    Some(bare)
}

/// Is a text in back quotes an argument, as in zx's $`rm x`? By itself it is a text like any other.
pub(super) fn tagged(code: &str) -> bool {
    const BEFORE: [&str; 6] = ["return", "case", "await", "yield", "default", "else"];
    let name = |c: char| c.is_alphanumeric() || matches!(c, '$' | '_');
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in code.char_indices() {
        match quote {
            _ if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            // A quote in a comment ends with its line.
            Some(open) if c == open || c == '\n' && open != '`' => quote = None,
            None if matches!(c, '\'' | '"' | '`') => {
                let before = code[..at].trim_end();
                let word = &before[before.trim_end_matches(name).len()..];
                let tag = !word.is_empty() && !BEFORE.contains(&word);
                if c == '`' && (tag || before.ends_with([')', ']', '}'])) {
                    return true;
                }
                quote = Some(c);
            }
            _ => {}
        }
    }
    false
}

/// String literals: single, double and back quotes, with simple escapes. At most 256 of them.
pub(super) fn literals(code: &str) -> Vec<String> {
    let mut literals = Vec::new();
    let mut characters = code.chars();
    while let Some(c) = characters.next() {
        if !matches!(c, '\'' | '"' | '`') {
            continue;
        }
        let mut literal = String::new();
        loop {
            match characters.next() {
                None => break,
                Some('\\') => match characters.next() {
                    Some('n') => literal.push('\n'),
                    Some('x') => {
                        let digits: String = characters.by_ref().take(2).collect();
                        literal.extend(u8::from_str_radix(&digits, 16).ok().map(char::from));
                    }
                    Some(c) => literal.push(c),
                    None => break,
                },
                Some(end) if end == c => break,
                Some(other) => literal.push(other),
            }
        }
        literals.push(literal);
        if literals.len() >= 256 {
            break;
        }
    }
    literals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(code: &str) -> Option<String> {
        without(code, &literals(code))
    }

    #[test]
    fn texts_are_left_out_only_where_that_is_sure() {
        assert_eq!(
            bare("print(\"os.system(1)\")").as_deref(),
            Some("print(\"\")")
        );
        assert_eq!(bare("puts 'a' + \"b\"").as_deref(), Some("puts '' + \"\""));
        for unsure in [
            "getattr(os, \"system\")(\"x\")",
            "eval(\"os.system(1)\")",
            "s/'/x/; system 'rm'",
            "print(f\"{os.system(1)}\")",
            "require(\"child_process\")",
            "# don't\nos.system('x')",
            "/* don't */ f('x')",
            "x = 'open",
        ] {
            assert_eq!(bare(unsure), None, "{unsure}");
        }
    }
}
