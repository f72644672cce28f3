//! Tests that stand in a source with other things: of Rust `#[cfg(test)]` with the item behind it. Dusk's go
//! into the claimed source in place of its own.

pub mod program;
mod python;

use super::protect::ending;
use super::{doctests, scripts};

/// Where the items for tests stand in a source, attributes included: those of `#[cfg(test)]`, and test
/// functions that stand by themselves.
fn test_items(source: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    // Attributes that stand directly before belong to the item.
    let mut attributes = None;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        // In a line of its own, so that no string or comment is taken for it.
        let body = line.trim();
        if found.last().is_some_and(|(_, end)| start < *end) {
            continue;
        }
        if !body.starts_with("#[") {
            attributes = None;
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let first = *attributes.get_or_insert(start + indent);
        let Some(attribute) = test_attribute(body) else {
            continue;
        };
        if let Some(end) = item_end(source, start + indent + attribute.len()) {
            found.push((first, end));
            attributes = None;
        }
    }
    found
}

/// The attribute at the beginning of a line, if it makes what follows a test: `#[cfg(test)]`, `#[test]`,
/// `#[tokio::test(…)]`.
fn test_attribute(line: &str) -> Option<&str> {
    let attribute = &line[..=line.find(']')?];
    let name = attribute.trim_start_matches("#[").trim_end_matches(']');
    let path = name.split('(').next().unwrap_or(name).trim();
    let test = name == "cfg(test)"
        || matches!(path, "test" | "rstest" | "quickcheck" | "wasm_bindgen_test")
        || path.ends_with("::test");
    test.then_some(attribute)
}

/// The end of the item that begins here: its closing brace or its semicolon.
fn item_end(source: &str, from: usize) -> Option<usize> {
    let mut depth = 0_u32;
    let mut rest = source[from..].char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            '/' if rest.peek().is_some_and(|(_, next)| *next == '/') => {
                rest.by_ref().find(|(_, c)| *c == '\n');
            }
            '"' => {
                let raw = source[..from + at].ends_with(['r', '#']);
                let hashes = source[..from + at]
                    .bytes()
                    .rev()
                    .take_while(|byte| *byte == b'#')
                    .count();
                let close = format!("\"{}", "#".repeat(if raw { hashes } else { 0 }));
                skip_text(&mut rest, source, (from, raw, &close));
            }
            '\'' => skip_character(&mut rest),
            '{' => depth += 1,
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(from + at + 1);
                }
            }
            ';' if depth == 0 => return Some(from + at + 1),
            _ => {}
        }
    }
    None
}

type Rest<'a> = std::iter::Peekable<std::str::CharIndices<'a>>;

fn skip_text(rest: &mut Rest<'_>, source: &str, (from, raw, close): (usize, bool, &str)) {
    while let Some((at, c)) = rest.next() {
        if c == '\\' && !raw {
            rest.next();
        } else if c == '"' && source[from + at..].starts_with(close) {
            return;
        }
    }
}

/// A character, or the tick of a lifetime.
fn skip_character(rest: &mut Rest<'_>) {
    let mut ahead = rest.clone();
    match ahead.next() {
        Some((_, '\\')) => {
            rest.nth(1);
            rest.by_ref().find(|(_, c)| *c == '\'');
        }
        Some(_) if ahead.next().is_some_and(|(_, c)| c == '\'') => {
            rest.nth(1);
        }
        _ => {}
    }
}

/// Does a source of C have this ending?
fn is_c(ending: &str) -> bool {
    matches!(ending, "c" | "cc" | "cpp" | "cxx")
}

/// Where the checks of a program stand that also holds what it checks.
pub(super) fn checks_within(path: &str, text: &str) -> Vec<(usize, usize)> {
    if is_c(ending(path)) {
        program::test_functions(text)
    } else {
        Vec::new()
    }
}

/// The claimed source with the tests and examples of dusk's; `None` where it has them all.
pub fn with_dusks(path: &str, dusk: &str, claimed: &str) -> Option<String> {
    let spliced = match ending(path) {
        "rs" => splice(dusk, claimed),
        "py" => python::splice(dusk, claimed),
        ending if is_c(ending) && program::is_mixed(dusk) => program::splice(dusk, claimed),
        _ => None,
    };
    let text = spliced.as_deref().unwrap_or(claimed);
    doctests::kept(path, dusk, text).or(spliced)
}

/// Does a file hold both what is worked on and its tests?
pub fn is_mixed(path: &str, source: &str) -> bool {
    match ending(path) {
        "py" => python::is_mixed(source, scripts::is_checker(path)),
        ending => is_c(ending) && program::is_mixed(source),
    }
}

/// Does a source hold tests of its own beside what they test?
pub fn is_tested(path: &str, text: &str) -> bool {
    match ending(path) {
        "rs" => has_tests(text),
        "py" => is_mixed(path, text),
        _ => false,
    }
}

/// Where the tests of such a source stand.
pub(super) fn tests_of(path: &str, text: &str) -> Vec<(usize, usize)> {
    match ending(path) {
        "rs" => test_items(text),
        "py" if is_mixed(path, text) => python::test_pieces(text),
        _ => Vec::new(),
    }
}

/// The file without its tests, or (`tests`) without everything else; the rest keeps its lines.
pub fn part(path: &str, text: &str, tests: bool) -> String {
    let items = match ending(path) {
        "rs" => test_items(text),
        "py" => python::test_pieces(text),
        _ => checks_within(path, text),
    };
    let mut parted = String::with_capacity(text.len());
    let mut from = 0;
    let blank = |text: &str| "\n".repeat(text.matches('\n').count());
    let mut push = |piece: &str, is_test: bool| {
        if is_test == tests {
            parted.push_str(piece);
        } else {
            parted.push_str(&blank(piece));
        }
    };
    for (start, end) in items {
        push(&text[from..start], false);
        push(&text[start..end], true);
        from = end;
    }
    push(&text[from..], false);
    parted
}

/// Has the source tests of its own?
pub fn has_tests(source: &str) -> bool {
    !test_items(source).is_empty()
}

/// The claimed source with dusk's tests in place of its own; `None` where dusk's had none, or where
/// they are the same.
fn splice(dusk: &str, claimed: &str) -> Option<String> {
    let tests = test_items(dusk);
    let theirs = test_items(claimed);
    let text = |source: &str, (from, to): (usize, usize)| source[from..to].to_owned();
    let old: Vec<String> = tests.iter().map(|item| text(dusk, *item)).collect();
    let new: Vec<String> = theirs.iter().map(|item| text(claimed, *item)).collect();
    if old.is_empty() || old == new {
        return None;
    }
    let mut spliced = String::with_capacity(claimed.len() + dusk.len());
    let mut from = 0;
    for (index, (start, end)) in theirs.iter().enumerate() {
        spliced.push_str(&claimed[from..*start]);
        if let Some(item) = old.get(index) {
            spliced.push_str(item);
        }
        from = *end;
    }
    spliced.push_str(&claimed[from..]);
    for item in old.iter().skip(theirs.len()) {
        spliced.push_str("\n\n");
        spliced.push_str(item);
        spliced.push('\n');
    }
    Some(spliced)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUSK: &str = "pub fn f() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn two() { assert_eq!(f(), 2, \"} {\"); let c = '}'; let s: &'static str = r#\"}\"\"#; }\n}\n";

    #[test]
    fn dusks_tests_stand_in_the_claimed_source() {
        let claimed = DUSK
            .replace("{ 1 }", "{ 2 }")
            .replace("#[test]", "#[test]\n    #[ignore]");
        assert_eq!(
            splice(DUSK, &claimed).unwrap(),
            DUSK.replace("{ 1 }", "{ 2 }")
        );
        let gone = "pub fn f() -> u8 { 2 }\n";
        assert!(splice(DUSK, gone).unwrap().contains("fn two()"));
        assert_eq!(splice(DUSK, DUSK), None);
        assert_eq!(splice(gone, DUSK), None);
        assert!(has_tests(DUSK) && !has_tests(gone));
    }

    #[test]
    fn an_odd_source_has_an_answer() {
        for source in [
            "#[cfg(test)]",
            "#[cfg(test)] mod tests { '",
            "// #[cfg(test)]\nfn f() {}",
            "#[cfg(test)] }",
        ] {
            assert!(!has_tests(source), "{source}");
        }
        assert!(has_tests("#[cfg(test)]\nmod tests;\n"));
    }

    #[test]
    fn a_test_that_stands_by_itself_is_dusks_with_its_attributes() {
        let dusk = "fn f() -> u8 { 1 }\n#[test]\nfn two() { assert_eq!(f(), 2); }\n";
        let weak = dusk
            .replace("#[test]", "#[ignore]\n#[test]")
            .replace("f(), 2", "f(), 1");
        assert_eq!(splice(dusk, &weak).unwrap(), dusk);
        let own = "#[tokio::test(flavor = \"current_thread\")]\nasync fn one() {}\n#[inline]\nfn f() {}\n";
        assert_eq!(part("a.rs", own, false), "\n\n#[inline]\nfn f() {}\n");
    }
}
