//! `CMakeLists.txt`: which sources make up what is free, how tests are declared and what their programs
//! are made of is dusk's.

use std::collections::BTreeSet;

/// Commands that declare tests or say how their results are read.
const TESTS: [&str; 7] = [
    "add_test",
    "set_tests_properties",
    "enable_testing",
    "gtest_discover_tests",
    "gtest_add_tests",
    "catch_discover_tests",
    "doctest_discover_tests",
];
/// Commands that say what a program is made of.
const MAKING: [&str; 3] = [
    "add_executable",
    "target_compile_definitions",
    "target_compile_options",
];

/// One command: its name in small letters and its whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Call<'t> {
    name: String,
    text: &'t str,
}

/// The claimed file with dusk's declarations of tests; `None` where it cannot be read.
pub(super) fn merge(dusk: &str, claimed: &str) -> Option<String> {
    let (before, now) = (calls(dusk)?, calls(claimed)?);
    let programs: BTreeSet<&str> = before.iter().flat_map(programs).collect();
    let decides = |call: &Call<'_>| call.decides(&programs);
    let kept: Vec<&Call<'_>> = before.iter().filter(|call| decides(call)).collect();
    let mut claims: Vec<&Call<'_>> = now.iter().filter(|call| decides(call)).collect();
    claims.retain(|call| kept.contains(call));
    if claims == kept {
        // Each stands where it stood, also within conditions: only what is new goes.
        let own = now
            .iter()
            .filter(|call| !decides(call) || kept.contains(call));
        return Some(lines(own));
    }
    // Within a condition or a loop a declaration means something else than behind everything.
    let nested = before.iter().any(|call| {
        matches!(
            call.name.as_str(),
            "if" | "foreach" | "function" | "macro" | "while"
        )
    });
    if nested {
        return None;
    }
    let own = now.iter().filter(|call| !decides(call));
    Some(lines(own.chain(kept)))
}

fn lines<'c>(calls: impl Iterator<Item = &'c Call<'c>>) -> String {
    calls.flat_map(|call| [call.text, "\n"]).collect()
}

impl<'t> Call<'t> {
    fn words(&self) -> impl Iterator<Item = &'t str> {
        let inner = self.text.split_once('(').map_or("", |(_, inner)| inner);
        inner
            .trim_end_matches(')')
            .split(|c: char| c.is_whitespace() || c == '"')
            .filter(|word| !word.is_empty())
    }

    fn decides(&self, programs: &BTreeSet<&str>) -> bool {
        let first = self.words().next();
        TESTS.contains(&self.name.as_str())
            || self.name == "set_property" && first == Some("TEST")
            || MAKING.contains(&self.name.as_str())
                && first.is_some_and(|name| programs.contains(name))
    }
}

/// The programs that a declaration of tests runs, among its words.
fn programs<'t>(call: &Call<'t>) -> Vec<&'t str> {
    if TESTS.contains(&call.name.as_str()) {
        call.words().collect()
    } else {
        Vec::new()
    }
}

/// Every command of the file, without comments between them.
fn calls(text: &str) -> Option<Vec<Call<'_>>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let skipped = rest.len() - rest.trim_start().len();
        let (rest, begin) = (rest.trim_start(), at + skipped);
        if rest.is_empty() {
            return Some(found);
        }
        if rest.starts_with('#') {
            at = begin + rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let open = rest.find('(')?;
        let length = open + closed(&rest[open..])?;
        found.push(Call {
            name: rest[..open].trim().to_ascii_lowercase(),
            text: &rest[..length],
        });
        at = begin + length;
    }
    None
}

/// How long the brackets are that a text begins with.
fn closed(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut comment, mut escaped) = (0_u32, false, false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\n' if comment => comment = false,
            _ if comment => {}
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '#' => comment = true,
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at + 1),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUSK: &str = "project(g C) # a ( comment\nenable_testing()\nadd_library(g src/g.c)\n\
        add_executable(tg test/tg.c)\ntarget_link_libraries(tg g)\nadd_test(NAME gcd COMMAND tg \"(\")\n";

    #[test]
    fn new_sources_stay_and_declarations_of_tests_are_dusks() {
        let claimed = DUSK.replace("src/g.c", "src/g.c src/abs.c")
            + "set_tests_properties(gcd PROPERTIES WILL_FAIL TRUE)\n";
        let merged = merge(DUSK, &claimed).unwrap();
        assert!(
            merged.contains("add_library(g src/g.c src/abs.c)"),
            "{merged}"
        );
        assert!(
            merged.contains("add_test") && !merged.contains("WILL_FAIL"),
            "{merged}"
        );
        for (from, to) in [
            ("COMMAND tg", "COMMAND true"),
            ("test/tg.c", "src/other.c"),
            ("enable_testing()", "message(none)"),
        ] {
            let merged = merge(DUSK, &DUSK.replace(from, to)).unwrap();
            assert!(merged.contains(from), "{merged}");
        }
    }

    #[test]
    fn what_cannot_be_merged_is_dusks() {
        let dusk = "if(BUILD_TESTING)\n  add_test(NAME a COMMAND a)\nendif()\n";
        assert_eq!(merge(dusk, "message(x)\n"), None);
        assert!(merge(dusk, &format!("{dusk}add_library(b b.c)\n")).is_some());
        assert_eq!(merge(dusk, "add_test("), None);
    }
}
