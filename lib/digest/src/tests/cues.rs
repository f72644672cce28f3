//! What a grammar says it looks for is all that it looks for.

use super::super::*;
use std::path::Path;

/// Larger captures repeat the same kinds of lines.
const SIZE_MAX: usize = 20_000;

fn digest(bytes: &[u8], ask_all: bool) -> Digest {
    let mut digester = Digester::new(Options::default());
    if ask_all {
        digester.machine.ask_all();
    }
    digester.push(bytes);
    digester.finish(End::Exit(1), None)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the captures are files")]
fn asking_every_grammar_about_every_line_changes_nothing() {
    let sets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/output-filter");
    let mut asked = 0;
    for set in std::fs::read_dir(sets).unwrap() {
        for file in std::fs::read_dir(set.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            if bytes.len() > SIZE_MAX || path.extension().is_none_or(|end| end != "txt") {
                continue;
            }
            let [by_cues, by_all] = [false, true].map(|all| digest(&bytes, all));
            let frame = Frame::default();
            assert_eq!(by_cues.render(&frame), by_all.render(&frame), "{path:?}");
            asked += 1;
        }
    }
    assert!(asked > 500);
}
