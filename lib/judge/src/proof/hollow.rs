//! The claimed work with nothing in it: what it newly holds is there by name alone. New tests that are green with
//! that, too, look at no more than the name.

use super::answers;
use super::inline;
use super::protect::ending;

/// The claimed file with the functions emptied that dusk's has not, or has otherwise; what is no code is emptied
/// where it is new. `None` where that empties nothing.
pub fn emptied(path: &str, dusk: Option<&str>, claimed: &str) -> Option<String> {
    let both = (dusk.unwrap_or_default(), claimed);
    let tests = inline::tests_of(path, claimed);
    match ending(path) {
        "py" => python(both, &tests),
        "js" | "mjs" | "cjs" => braced("function ", "", both, &tests),
        "rs" => braced("fn ", " unimplemented!() ", both, &tests),
        ending if answers::is_code(path) || matches!(ending, "html" | "css" | "svg") => None,
        _ => (dusk.is_none() && !claimed.trim().is_empty()).then(String::new),
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Does this stand in one of these parts?
fn is_in(parts: &[(usize, usize)], at: usize) -> bool {
    parts
        .iter()
        .any(|(start, end)| (*start..*end).contains(&at))
}

/// By their first line and what follows it further in.
fn python((dusk, claimed): (&str, &str), tests: &[(usize, usize)]) -> Option<String> {
    let lines: Vec<&str> = claimed.split_inclusive('\n').collect();
    let (mut text, mut at, mut any) = (String::new(), 0, false);
    let place = |line: usize| lines[..line].iter().map(|line| line.len()).sum::<usize>();
    while at < lines.len() {
        let line = lines[at];
        let body = line.trim_start();
        let is_function = body.starts_with("def ") || body.starts_with("async def ");
        let name = assigned(line);
        if !is_function && name.is_none() || is_in(tests, place(at)) {
            text.push_str(line);
            at += 1;
            continue;
        }
        let (mut head, mut depth) = (at, 0_i32);
        loop {
            let opens = lines[head].matches(['(', '[', '{']).count();
            let closes = lines[head].matches([')', ']', '}']).count();
            depth += i32::try_from(opens).unwrap_or(0) - i32::try_from(closes).unwrap_or(0);
            if depth <= 0 || head + 1 == lines.len() {
                break;
            }
            head += 1;
        }
        if let Some(name) = name {
            let whole = lines[at..=head].concat();
            let new = !dusk.contains(whole.trim_end());
            if new {
                text.push_str(name);
                text.push_str(" = None\n");
            } else {
                text.push_str(&whole);
            }
            any |= new;
            at = head + 1;
            continue;
        }
        let further = |line: &&&str| line.trim().is_empty() || indent(line) > indent(lines[at]);
        let end = head + 1 + lines[head + 1..].iter().take_while(further).count();
        let whole = lines[at..end].concat();
        let declared = at > 0 && lines[at - 1].contains("abstract");
        let is_block = lines[head].trim_end().ends_with(':');
        if is_block && !declared && !dusk.contains(whole.trim_end()) {
            text.push_str(&lines[at..=head].concat());
            text.push_str(&" ".repeat(indent(line) + 4));
            text.push_str("pass\n\n");
            any = true;
        } else {
            text.push_str(&whole);
        }
        at = end;
    }
    any.then_some(text)
}

/// The name that a line of a module gives to a value.
fn assigned(line: &str) -> Option<&str> {
    let (name, _) = line
        .split_once('=')
        .filter(|(_, value)| !value.starts_with('='))?;
    let name = name.split(':').next()?.trim_end();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(word)).then_some(name)
}

/// By a word that they begin with, and braces.
fn braced(
    word: &str,
    body: &str,
    (dusk, claimed): (&str, &str),
    tests: &[(usize, usize)],
) -> Option<String> {
    let (mut text, mut from, mut any) = (String::new(), 0, false);
    for (start, _) in claimed.match_indices(word) {
        let line = claimed[..start].rfind('\n').map_or(0, |end| end + 1);
        let before = claimed[line..start].trim_start();
        let own = !claimed[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if start < from
            || !own
            || before.starts_with("//")
            || before.starts_with('*')
            || is_in(tests, start)
        {
            continue;
        }
        let Some((open, close)) = block(claimed, start) else {
            continue;
        };
        if dusk.contains(&claimed[start..=close]) || claimed[open + 1..close].trim().is_empty() {
            continue;
        }
        text.push_str(&claimed[from..=open]);
        text.push_str(body);
        from = close;
        any = true;
    }
    text.push_str(&claimed[from..]);
    any.then_some(text)
}

/// Where the braces behind a head open and close.
fn block(text: &str, start: usize) -> Option<(usize, usize)> {
    let (mut depth, mut open, mut quote) = (0_u32, None, None);
    let mut rest = text[start..].char_indices();
    while let Some((at, c)) = rest.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                rest.next();
            }
            (Some(mark), c) if c == mark => quote = None,
            (None, '"' | '`') => quote = Some(c),
            (None, ';') if depth == 0 => return None,
            (None, '{') => {
                open.get_or_insert(start + at);
                depth += 1;
            }
            (None, '}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((open?, start + at));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_and_changed_functions_are_there_by_name_alone() {
        let dusk = "def old(a):\n    return a\n";
        let new = format!(
            "{dusk}\nclass C:\n    def hours(\n        self, m\n    ):\n        if m:\n            return 1\n\n        return m / 60\n\nX = 3\n"
        );
        let expected = format!(
            "{dusk}\nclass C:\n    def hours(\n        self, m\n    ):\n        pass\n\nX = None\n"
        );
        assert_eq!(emptied("a.py", Some(dusk), &new), Some(expected));
        assert_eq!(emptied("a.py", Some(dusk), &dusk.replace('X', "Y")), None);
        let rust = "fn a() -> u8 { 1 }\npub fn b(x: u8) -> u8 { if x > 1 { x } else { 2 } }\n";
        assert_eq!(
            emptied("a.rs", Some("fn a() -> u8 { 1 }\n"), rust).unwrap(),
            "fn a() -> u8 { 1 }\npub fn b(x: u8) -> u8 { unimplemented!() }\n"
        );
        let tested = "fn g() -> u8 { 2 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn two() { assert_eq!(super::g(), 2); }\n}\n";
        assert_eq!(
            emptied("b/src/lib.rs", None, tested).unwrap(),
            tested.replacen("{ 2 }", "{ unimplemented!() }", 1),
            "its tests stay"
        );
        assert_eq!(
            emptied("b/src/lib.rs", Some("fn g() -> u8 { 2 }\n"), tested),
            None
        );
        assert_eq!(
            emptied("a.js", None, "function f(a) { return `}${a}`; }\n").unwrap(),
            "function f(a) {}\n"
        );
        assert_eq!(emptied("done.txt", None, "done\n").as_deref(), Some(""));
        assert_eq!(emptied("done.txt", Some("a"), "done\n"), None);
        assert_eq!(emptied("a.go", None, "func F() {}\n"), None);
    }
}
