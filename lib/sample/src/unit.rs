//! What an id says about its file and its module, whatever runner it comes from.

use serde::Serialize;

/// What is drawn: single tests, or all tests of a file or module together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Each id by itself.
    Test,
    /// All ids of a file (a test binary for nextest, a package for Go).
    File,
    /// All ids of a module: a Python file, a Rust module, a Go package, else a folder.
    Module,
}

impl Unit {
    /// The part of the id that names its unit.
    pub fn of(self, id: &str) -> &str {
        match self {
            Self::Test => id,
            Self::File => file(id),
            Self::Module => module(id),
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::File => "file",
            Self::Module => "module",
        }
    }
}

/// Endings of files that hold tests; what stands before `::` is a path when it ends so.
const SOURCE_ENDINGS: [&str; 14] = [
    ".py", ".ts", ".js", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".rb", ".rs", ".txt",
    ".rst", ".md",
];

/// The part of the id that names its file.
pub fn file(id: &str) -> &str {
    shape(id).0
}

/// The part of the id that names its module.
pub fn module(id: &str) -> &str {
    shape(id).1
}

/// The name of the test inside its file or module; the whole id when it is a file.
pub fn name(id: &str) -> &str {
    let rest = &id[file(id).len().min(id.len())..];
    let rest = rest.trim_start_matches([':', ' ', '.']);
    if rest.is_empty() { id } else { rest }
}

fn shape(id: &str) -> (&str, &str) {
    titled(id)
        .or_else(|| source(id))
        .or_else(|| go(id))
        .or_else(|| rust(id))
        .unwrap_or((id, folder(id)))
}

/// `[chromium] › tests/a.spec.ts:3:5 › suite › title` and `src/a.test.ts > suite > title`.
fn titled(id: &str) -> Option<(&str, &str)> {
    let separator = [" › ", " > "].into_iter().find(|mark| id.contains(mark))?;
    let file = id
        .split(separator)
        .map(without_position)
        .find(|part| is_source(part))?;
    Some((file, folder(file)))
}

/// `tests/test_a.py::TestX::test_y[1-2]`, `./spec/a_spec.rb[1:2]`, `./spec/a_spec.rb:12`.
fn source(id: &str) -> Option<(&str, &str)> {
    let path = id.split_once("::").map_or(id, |(path, _)| path);
    if is_source(path) {
        let module = if path.len() < id.len() {
            path
        } else {
            folder(path)
        };
        return Some((path, module));
    }
    let spec = without_position(id.split('[').next().unwrap_or(id));
    (spec.len() < id.len() && is_source(spec)).then(|| (spec, folder(spec)))
}

/// `example.com/m/pkg.TestName`.
fn go(id: &str) -> Option<(&str, &str)> {
    let (package, name) = go_parts(id)?;
    (!name.is_empty()).then_some((package, package))
}

/// Package and test of a Go id.
pub fn go_parts(id: &str) -> Option<(&str, &str)> {
    ["Test", "Example", "Fuzz", "Benchmark"]
        .iter()
        .filter_map(|kind| {
            let at = id.match_indices(kind).map(|(at, _)| at).find(|at| {
                *at > 1 && id.as_bytes()[at - 1] == b'.' && !id[..*at].contains([' ', ':'])
            })?;
            Some((&id[..at - 1], &id[at..]))
        })
        .min_by_key(|(package, _)| package.len())
}

/// `crate::binary module::test` (nextest) and `module::test` (libtest).
fn rust(id: &str) -> Option<(&str, &str)> {
    if let Some((binary, test)) = nextest_parts(id) {
        let module = test
            .rfind("::")
            .map_or(binary, |end| &id[..=binary.len() + end]);
        return Some((binary, module));
    }
    let end = id.rfind("::")?;
    Some((&id[..end], &id[..end]))
}

/// Binary and test of a nextest id.
pub fn nextest_parts(id: &str) -> Option<(&str, &str)> {
    let (binary, test) = id.split_once(' ')?;
    let plain = |c: char| c.is_alphanumeric() || "_-:/.$@".contains(c);
    (!binary.is_empty() && !test.is_empty() && binary.chars().all(plain)).then_some((binary, test))
}

fn is_source(path: &str) -> bool {
    SOURCE_ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// `a.spec.ts:3:5` is `a.spec.ts`.
fn without_position(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':')
}

fn folder(path: &str) -> &str {
    path.rfind('/').map_or(path, |end| &path[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_every_runner_name_their_file_and_module() {
        for (id, file_, module_) in [
            (
                "tests/test_a.py::test_b",
                "tests/test_a.py",
                "tests/test_a.py",
            ),
            (
                "tests/my dir/test_a.py::T::test_b[x::y z]",
                "tests/my dir/test_a.py",
                "tests/my dir/test_a.py",
            ),
            ("README.md::example", "README.md", "README.md"),
            ("my-crate::it a::b::c", "my-crate::it", "my-crate::it a::b"),
            ("my-crate smoke", "my-crate", "my-crate"),
            ("a::b::tests::c", "a::b::tests", "a::b::tests"),
            (
                "example.com/m/pkg.TestA",
                "example.com/m/pkg",
                "example.com/m/pkg",
            ),
            (
                "gopkg.in/yaml.v3.TestTestA/TestB",
                "gopkg.in/yaml.v3",
                "gopkg.in/yaml.v3",
            ),
            ("/abs/src/a.test.ts", "/abs/src/a.test.ts", "/abs/src"),
            ("src/a.test.ts > suite > t", "src/a.test.ts", "src"),
            (
                "[chromium] › e2e/a.spec.ts:3:5 › logs in",
                "e2e/a.spec.ts",
                "e2e",
            ),
            ("./spec/a_spec.rb[1:2:1]", "./spec/a_spec.rb", "./spec"),
            ("./spec/a_spec.rb:12", "./spec/a_spec.rb", "./spec"),
            ("lonely", "lonely", "lonely"),
        ] {
            assert_eq!((file(id), module(id)), (file_, module_), "{id}");
        }
    }

    #[test]
    fn names_are_what_follows_the_file() {
        assert_eq!(name("t/test_a.py::T::b"), "T::b");
        assert_eq!(name("bin a::b"), "a::b");
        assert_eq!(name("a/b.test.ts"), "a/b.test.ts");
    }
}
