//! Is `lib-docs/origins.md` current: what it names exists.

use std::path::Path;

#[test]
fn every_origin_names_a_page_and_a_test_that_exist() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = include_str!("../../lib-docs/origins.md");
    let mut sources = String::new();
    for folder in ["tests", "bins", "lib"] {
        for entry in walkdir::WalkDir::new(top.join(folder)) {
            let entry = entry.unwrap();
            if entry.path().extension().is_some_and(|end| end == "rs") {
                sources += &std::fs::read_to_string(entry.path()).unwrap();
            }
        }
    }
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(1)
        .collect();
    assert!(rows.len() > 40);
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        let links = cells[1].split("](").skip(1);
        for link in links.map(|rest| rest.split(')').next().unwrap()) {
            assert!(top.join("lib-docs").join(link).exists(), "{link}");
        }
        let shown = cells[2].trim_matches(['`', ' ', '|']);
        assert!(
            shown.starts_with("measured") || sources.contains(&format!("fn {shown}(")),
            "{shown}"
        );
    }
}
