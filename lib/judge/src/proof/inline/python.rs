//! A Python file that holds both what is worked on and its tests, such as one that a gate starts.

/// A piece of the file at its outermost level.
struct Piece<'t> {
    text: &'t str,
    test: bool,
}

/// Does the file hold tests, and something else to work on? What only starts one that checks (`checker`) is no
/// test beside it.
pub(super) fn is_mixed(source: &str, checker: bool) -> bool {
    let pieces = pieces(source);
    let works = |piece: &Piece<'_>| {
        !piece.test && (piece.text.starts_with("def ") || piece.text.starts_with("class "))
    };
    let tests =
        |piece: &Piece<'_>| piece.test && !(checker && piece.text.starts_with("if __name__"));
    pieces.iter().any(tests) && pieces.iter().any(works)
}

/// Where its tests stand.
pub(super) fn test_pieces(source: &str) -> Vec<(usize, usize)> {
    let mut at = 0;
    let mut found = Vec::new();
    for piece in pieces(source) {
        let end = at + piece.text.len();
        if piece.test {
            found.push((at, end));
        }
        at = end;
    }
    found
}

/// The claimed file with dusk's tests in place of its own; `None` where they are the same.
pub(super) fn splice(dusk: &str, claimed: &str) -> Option<String> {
    let (before, now) = (pieces(dusk), pieces(claimed));
    let tests = |pieces: &[Piece<'_>]| -> String {
        let tests = pieces.iter().filter(|piece| piece.test);
        tests.map(|piece| piece.text).collect()
    };
    // What starts a program is no test beside its work.
    let alone = |piece: &Piece<'_>| !piece.text.starts_with("if __name__") || checks(piece.text);
    let old = tests(&before);
    if !before.iter().any(|piece| piece.test && alone(piece)) || old == tests(&now) {
        return None;
    }
    let own = now.iter().filter(|piece| !piece.test);
    let own: String = own.map(|piece| piece.text).collect();
    Some(format!("{own}\n{old}"))
}

/// The pieces in order: each class, function and other run of lines.
fn pieces(source: &str) -> Vec<Piece<'_>> {
    let mut starts = vec![0];
    let (mut at, mut quoted, mut decorated) = (0, false, false);
    for line in source.split_inclusive('\n') {
        let outer = !quoted && !line.starts_with([' ', '\t', '\n', '\r', '#', ')', ']', '}']);
        if outer && !decorated && at > 0 {
            starts.push(at);
        }
        if outer {
            decorated = line.starts_with('@');
        }
        let marks = line.matches("\"\"\"").count() + line.matches("'''").count();
        quoted ^= marks % 2 == 1;
        at += line.len();
    }
    starts.push(source.len());
    let of = |pair: &[usize]| {
        let text = &source[pair[0]..pair[1]];
        Piece {
            text,
            test: is_test(text),
        }
    };
    starts.windows(2).map(of).collect()
}

/// Does what stands where a program starts check something?
fn checks(text: &str) -> bool {
    ["assert", "test", "check"]
        .iter()
        .any(|word| text.contains(word))
}

fn is_test(piece: &str) -> bool {
    let head = piece
        .lines()
        .find(|line| !line.starts_with('@'))
        .unwrap_or_default();
    let name = |word: &str| head.strip_prefix(word).unwrap_or_default();
    name("def ").starts_with("test")
        || name("async def ").starts_with("test")
        || name("class ").starts_with("Test")
        || (head.starts_with("class ") && head.contains("TestCase"))
        || head.starts_with("if __name__")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUSK: &str = "import unittest\n\ndef f(x):\n    return x\n\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(2), 4)\n\nif __name__ == '__main__':\n    unittest.main()\n";

    #[test]
    fn dusks_tests_stand_behind_the_claimed_work() {
        assert!(is_mixed(DUSK, true) && !is_mixed("def f():\n    pass\n", false));
        assert!(!is_mixed(
            "import unittest\n\ndef test_a():\n    pass\n",
            false
        ));
        let starts = "def main():\n    return 1\n\nif __name__ == '__main__':\n    exit(main())\n";
        assert!(is_mixed(starts, false) && !is_mixed(starts, true));
        let other = starts.replace("exit(main())", "main()");
        assert_eq!(splice(starts, &other), None);
        let claimed = DUSK
            .replace("return x", "return x * 2")
            .replace("f(2), 4", "f(2), 2");
        let spliced = splice(DUSK, &claimed).unwrap();
        assert!(spliced.contains("return x * 2") && spliced.contains("f(2), 4"));
        assert!(!spliced.contains("f(2), 2"), "{spliced}");
        assert_eq!(splice(DUSK, &DUSK.replace("return x", "return 3")), None);
    }
}
