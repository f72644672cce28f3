//! A program in C that checks something: a test, whatever its file is called. One that also holds what it
//! checks has its checks in functions of their own.

use super::super::expect::checks;
use super::super::narrow::has_word;
use super::item_end;

/// A function at the file's outermost level.
struct Function<'t> {
    name: &'t str,
    at: (usize, usize),
    /// Does it check something, or start what does?
    test: bool,
}

/// Is it a program that checks something?
pub fn is_checking(source: &str) -> bool {
    has_main(source) && checks(source)
}

fn has_main(source: &str) -> bool {
    source.match_indices("main(").any(|(at, _)| {
        let line = source[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = &source[line..at];
        before.contains("int ") || before.contains("static void ")
    })
}

/// Does it hold what it checks, too? What takes in a file of the project checks that.
pub(super) fn is_mixed(source: &str) -> bool {
    let takes_in = |line: &str| line.trim_start().starts_with("#include \"");
    if !is_checking(source) || source.lines().any(takes_in) {
        return false;
    }
    let functions = functions(source);
    let tests = || functions.iter().filter(|function| function.test);
    functions
        .iter()
        .filter(|function| !function.test)
        .any(|work| tests().any(|test| has_word(&source[test.at.0..test.at.1], work.name)))
}

/// Where its checks stand.
pub(super) fn test_functions(source: &str) -> Vec<(usize, usize)> {
    if !is_mixed(source) {
        return Vec::new();
    }
    let tests = functions(source)
        .into_iter()
        .filter(|function| function.test);
    tests.map(|function| function.at).collect()
}

/// The claimed file with dusk's checks in place of its functions of the same names; `None` where they
/// are the same.
pub(super) fn splice(dusk: &str, claimed: &str) -> Option<String> {
    let now = functions(claimed);
    let mut spliced = claimed.to_owned();
    let mut lost = String::new();
    let text = |source: &str, (from, to): (usize, usize)| source[from..to].to_owned();
    let tests = functions(dusk).into_iter().filter(|function| function.test);
    let mut found: Vec<(Option<&Function<'_>>, String)> = tests
        .map(|test| {
            let own = now.iter().find(|function| function.name == test.name);
            (own, text(dusk, test.at))
        })
        .collect();
    // From the end, so that places before stay.
    found.sort_by_key(|(own, _)| std::cmp::Reverse(own.map(|own| own.at.0)));
    for (own, old) in found {
        match own {
            Some(own) => spliced.replace_range(own.at.0..own.at.1, &old),
            None => lost = format!("{lost}\n{old}\n"),
        }
    }
    spliced.push_str(&lost);
    (spliced != claimed).then_some(spliced)
}

/// The functions in order.
fn functions(source: &str) -> Vec<Function<'_>> {
    let mut found: Vec<Function<'_>> = Vec::new();
    let (mut at, mut next) = (0, 0);
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let outer = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if start < next || !outer {
            continue;
        }
        let Some(end) = item_end(source, start) else {
            continue;
        };
        next = end;
        let text = &source[start..end];
        let head = text.split('{').next().unwrap_or(text);
        let name = head.split('(').next().unwrap_or(head);
        let name = name.rsplit([' ', '*', '\n', '\t']).next().unwrap_or(name);
        if text.ends_with('}') && head.contains('(') && !name.is_empty() {
            found.push(Function {
                name,
                at: (start, end),
                test: checks(text),
            });
        }
    }
    starts(source, &mut found);
    found
}

/// `main` is a check where it starts one.
fn starts(source: &str, functions: &mut [Function<'_>]) {
    let tests: Vec<&str> = functions
        .iter()
        .filter(|function| function.test)
        .map(|function| function.name)
        .collect();
    let main = functions
        .iter_mut()
        .find(|function| function.name == "main");
    if let Some(main) = main {
        let text = &source[main.at.0..main.at.1];
        main.test |= tests.iter().any(|name| has_word(text, name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &str = "#include <stdio.h>\nint clamp(int x) { return x; }\nstatic int low(void)\n{\n  if (clamp(-5) != 0) { puts(\"}\"); return 1; }\n  return 0;\n}\nint main(int n, char **v) {\n  if (n > 1) return low();\n  return 0;\n}\n";

    #[test]
    fn a_program_of_checks_is_known_by_what_it_asks() {
        let test =
            "#include \"span.h\"\nint main(void) {\n  assert(clamp(7) == 7);\n  return 0;\n}\n";
        assert!(is_checking(test) && !is_mixed(test));
        assert!(!is_checking(
            "int main(int n, char **v) { return n > 1; }\n"
        ));
        assert!(!is_checking(
            "int f(void) { assert(g(1) == 2); return 0; }\n"
        ));
    }

    #[test]
    fn dusks_checks_stand_beside_the_claimed_work() {
        assert!(is_mixed(MIXED));
        let work = MIXED.replace("return x;", "return x < 0 ? 0 : x;");
        assert_eq!(splice(MIXED, &work), None);
        let weak = work.replace("!= 0)", "!= -5)");
        assert_eq!(splice(MIXED, &weak).unwrap(), work);
        let gone = work.replace("return low();", "return 0;");
        assert_eq!(splice(MIXED, &gone).unwrap(), work);
        let lost = splice(MIXED, "int clamp(int x) { return x; }\n").unwrap();
        assert!(
            lost.contains("static int low(void)") && lost.contains("int main("),
            "{lost}"
        );
    }
}
