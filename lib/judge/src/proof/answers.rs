//! Files that hold what gates compare with. A program that prints what such a file says passes whatever it
//! says: every one of them is given another content, and the gates must turn red.

use super::protect::ending;

/// Words of a name that say so.
const WORDS: [&str; 14] = [
    "expected",
    "expect",
    "expectation",
    "expectations",
    "want",
    "wanted",
    "golden",
    "goldens",
    "gold",
    "snapshot",
    "snapshots",
    "approved",
    "baseline",
    "oracle",
];
/// Endings that say so.
const ENDINGS: [&str; 6] = ["out", "ans", "ref", "exp", "golden", "snap"];
/// What is run, or read by a tool, is no such file.
const CODE: [&str; 34] = [
    "py", "js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx", "rs", "rb", "go", "java", "kt",
    "scala", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "cs", "php", "pl", "pm", "t", "sh", "bash",
    "bats", "tcl", "lua", "mk", "cmake",
];

/// Does it hold such content, by its name or a folder's?
pub fn is(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let named = ENDINGS.contains(&ending(&lower)) || words.any(|word| WORDS.contains(&word));
    named && !is_code(&lower)
}

/// Is it run, or read by a tool?
pub(super) fn is_code(lower: &str) -> bool {
    CODE.contains(&ending(lower))
}

/// The same with every letter and digit another one; `None` where it holds none.
pub fn wrong(text: &str) -> Option<String> {
    let turned = |c: char, first: u8, all: u8| {
        let at = u8::try_from(c).map_or(0, |byte| byte - first);
        char::from(first + (at + 1) % all)
    };
    let other = |c: char| match c {
        'a'..='z' => turned(c, b'a', 26),
        'A'..='Z' => turned(c, b'A', 26),
        '0'..='9' => turned(c, b'0', 10),
        c => c,
    };
    let wrong: String = text.chars().map(other).collect();
    (wrong != text).then_some(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_with_is_known_by_its_name_and_turned_into_something_else() {
        for path in [
            "tests/one.expected",
            "data/want.txt",
            "testdata/tab.golden",
            "t/golden/a.json",
            "tests/1.out",
            "tests/expected_output.csv",
        ] {
            assert!(is(path), "{path}");
        }
        for path in [
            "tests/one.in",
            "tests/expected.py",
            "expected/run.sh",
            "data/wanton.txt",
            "layout.txt",
        ] {
            assert!(!is(path), "{path}");
        }
        assert_eq!(wrong("Zz 19,é\n").as_deref(), Some("Aa 20,é\n"));
        assert_eq!(wrong("{}\n"), None);
    }
}
