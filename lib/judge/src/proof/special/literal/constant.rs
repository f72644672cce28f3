//! Functions that are nothing but a literal.

use super::tokens;

/// Name, value and line of each.
pub(in super::super) fn constants(path: &str, text: &str) -> Vec<(String, String, usize)> {
    let mut found = Vec::new();
    for token in tokens(path, text) {
        if token.word && !super::is_shell(path) || !ends(&text[token.at.end..]) {
            continue;
        }
        if let Some(name) = head(&text[..token.at.start]) {
            let line = token.line(text);
            found.push((name.to_owned(), token.value, line));
        }
    }
    found
}

/// Is nothing left of the function?
fn ends(after: &str) -> bool {
    let rest = after.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix(';').unwrap_or(rest);
    let rest = rest.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix("\r").unwrap_or(rest);
    rest.is_empty()
        || rest.starts_with('}')
        || rest.strip_prefix('\n').is_some_and(|below| {
            let next = below.lines().find(|line| !line.trim().is_empty());
            next.is_none_or(|next| {
                next.starts_with(|c: char| !c.is_whitespace()) || closes(next.trim())
            })
        })
}

fn closes(line: &str) -> bool {
    line.starts_with('}') || line == "end" || line.starts_with("def ") || line.starts_with('@')
}

/// The name of the function whose body begins here.
fn head(before: &str) -> Option<&str> {
    let name = |text: &str| {
        let text = text.trim_end();
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let start = text.trim_end_matches(part).len();
        (start < text.len()).then(|| text.len() - start)
    };
    let named = |text: &str| {
        let length = name(text)?;
        let text = text.trim_end();
        Some((text.len() - length, text.len()))
    };
    let body = before.trim_end();
    let body = ["return", "echo", "printf", "print"]
        .iter()
        .find_map(|word| body.strip_suffix(word))
        .unwrap_or(body)
        .trim_end();
    // `mean = a => 3`
    let arrow = body.strip_suffix("=>").map(str::trim_end);
    if let Some(plain) = arrow.filter(|text| !text.ends_with(')')) {
        let (start, _) = named(plain)?;
        let (from, to) = named(plain[..start].trim_end().strip_suffix('=')?)?;
        return before.get(from..to);
    }
    let close = body.rfind(')')?;
    let between = body[close + 1..].trim();
    let plain = |c: char| c.is_alphanumeric() || " :{=>-<&'_[],|.?\n".contains(c);
    let assigned =
        between.ends_with('=') || between.contains(['\n', ';']) && !between.ends_with([':', '{']);
    if between.len() > 60 || !between.chars().all(plain) || assigned {
        return None;
    }
    let mut depth = 0_i32;
    let open = body[..=close].rfind(|c| {
        depth += match c {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    // `mean = (a) => 3`, else `def mean(a):`
    let named_before = body[..open].trim_end();
    let bound = named_before.strip_suffix('=').unwrap_or(named_before);
    let (from, to) = named(bound)?;
    let word = &bound[from..to];
    let keyword = [
        "if", "while", "for", "switch", "match", "return", "elif", "function", "catch",
    ];
    let alone = between.is_empty() && !bound[..from].trim_end().ends_with("def");
    if keyword.contains(&word) || alone {
        return None;
    }
    before.get(from..to)
}
