//! `go.mod`: what is required is free, where a module that was known comes from is dusk's.

use std::collections::BTreeSet;

/// One directive of one module: its word (`require`, `replace`, …) and the rest of the line.
type Directive<'t> = (&'t str, &'t str);

/// The claimed file with dusk's replacements and exclusions of every module that dusk knew.
pub(super) fn merge(dusk: &str, claimed: &str) -> String {
    let known: BTreeSet<&str> = directives(dusk).filter_map(module).collect();
    let redirects = |(word, _): &Directive<'_>| matches!(*word, "replace" | "exclude");
    let own = directives(claimed)
        .filter(|one| !redirects(one) || module(*one).is_some_and(|name| !known.contains(name)));
    let all = own.chain(directives(dusk).filter(redirects));
    all.flat_map(|(word, rest)| [word, " ", rest, "\n"])
        .collect()
}

/// The module that a directive is about.
fn module((word, rest): Directive<'_>) -> Option<&str> {
    matches!(word, "require" | "replace" | "exclude")
        .then(|| rest.split_whitespace().next())
        .flatten()
}

/// Every directive, those in brackets one by one.
fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    let mut block = None;
    text.lines().filter_map(move |line| {
        let line = line.split("//").next().unwrap_or_default().trim();
        match (block, line) {
            (_, "") => None,
            (Some(_), ")") => {
                block = None;
                None
            }
            (Some(word), rest) => Some((word, rest)),
            (None, line) => {
                let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                if rest.trim() == "(" {
                    block = Some(word);
                    return None;
                }
                Some((word, rest.trim()))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_module_is_not_redirected_and_a_new_one_may_be() {
        let dusk = "module p\n\ngo 1.19\n\nrequire (\n\tx.org/a v1.0.0 // indirect\n)\nreplace x.org/b => ./b\n";
        let claimed = "module p\ngo 1.19\nrequire x.org/a v1.0.0\nrequire x.org/c v0.0.0\nreplace (\n\tx.org/a => ./fake\n\tx.org/b => ./fake\n\tx.org/c => ./c\n)\n";
        assert_eq!(
            merge(dusk, claimed),
            "module p\ngo 1.19\nrequire x.org/a v1.0.0\nrequire x.org/c v0.0.0\nreplace x.org/c => ./c\nreplace x.org/b => ./b\n"
        );
    }
}
