//! Matching of shell patterns against known text.

/// Longest text and pattern that are matched; beyond, the result counts as unknown.
pub(super) const TEXT_MAX: usize = 2_048;

/// Does the pattern (`*`, `?`, `[…]` as plain characters, `\` quotes) match the whole text?
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            retry = Some((p + 1, t));
            p += 1;
            continue;
        }
        match one(&pattern, p, text[t]) {
            Some(after) => {
                p = after;
                t += 1;
            }
            None => match retry {
                Some((star, from)) => {
                    p = star;
                    t = from + 1;
                    retry = Some((star, t));
                }
                None => return false,
            },
        }
    }
    pattern[p.min(pattern.len())..].iter().all(|c| *c == '*')
}

/// The place behind the pattern's element at `p` if it matches the character.
fn one(pattern: &[char], p: usize, c: char) -> Option<usize> {
    match *pattern.get(p)? {
        '?' => Some(p + 1),
        '\\' => (pattern.get(p + 1) == Some(&c)).then_some(p + 2),
        '[' => {
            let close = pattern
                .iter()
                .skip(p + 2)
                .position(|c| *c == ']')
                .map(|at| p + 2 + at);
            let Some(close) = close else {
                return (c == '[').then_some(p + 1);
            };
            let negated = matches!(pattern[p + 1], '!' | '^');
            let set = &pattern[p + 1 + usize::from(negated)..close];
            let inside = set.contains(&c)
                || set
                    .windows(3)
                    .any(|range| range[1] == '-' && range[0] <= c && c <= range[2]);
            (inside != negated).then_some(close + 1)
        }
        literal => (literal == c).then_some(p + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text, expected) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "a.rs.bak", false),
            ("a*b*c", "aXbYbc", true),
            ("[a-c]?", "bz", true),
            ("[!a]", "a", false),
            ("", "", true),
            ("[", "[", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
