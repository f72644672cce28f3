//! Is `tests/cases/hostile.md` current: every row of the threat model has tests that exist.

use std::path::Path;

/// The rows: a letter and how many there are.
const ROWS: &[(&str, usize)] = &[
    ("H", 21),
    ("C", 16),
    ("L", 11),
    ("T", 6),
    ("D", 4),
    ("R", 6),
    ("V", 8),
    ("X", 4),
];

#[test]
fn every_hostile_row_names_tests_that_exist_or_says_why_there_is_none() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = include_str!("../cases/hostile.md");
    let mut lines = table.lines().skip_while(|line| !line.starts_with("| H01"));
    for (letter, count) in ROWS {
        for number in 1..=*count {
            let line = lines.next().unwrap_or_default();
            assert!(
                line.starts_with(&format!("| {letter}{number:02} |")),
                "{line}"
            );
            let named: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
            for name in named.iter().filter(|name| name.contains(".rs::")) {
                let (file, test) = name.split_once("::").unwrap();
                let source = std::fs::read_to_string(top.join(file)).unwrap_or_default();
                assert!(source.contains(&format!("fn {test}(")), "{name}");
            }
            let tested = named.iter().any(|name| name.contains(".rs::"));
            assert!(tested || line.contains("exception: "), "{line}");
        }
    }
    assert_eq!(lines.next(), None);
}
