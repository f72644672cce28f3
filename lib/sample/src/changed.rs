//! Which tests stand in changed files.

use super::unit;
use std::collections::BTreeSet;

/// Folders that a path may be deep, as far as ends of paths are compared.
const DEPTH_MAX: usize = 32;

/// Changed paths in the forms in which ids name them.
#[derive(Debug, Default)]
pub struct Changed {
    paths: BTreeSet<String>,
    path_ends: BTreeSet<String>,
    modules: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl Changed {
    /// Indexes paths relative to the repository's top, `/` between folders.
    pub fn new<S: AsRef<str>>(paths: impl IntoIterator<Item = S>) -> Self {
        let mut changed = Self::default();
        for path in paths {
            let path = path.as_ref();
            changed.paths.insert(path.to_owned());
            changed.path_ends.extend(ends(path).map(str::to_owned));
            if let Some(source) = path.strip_suffix(".rs") {
                changed.modules.extend(rust_module(source));
            }
            if let Some(source) = path.strip_suffix(".go") {
                let folder = source.rfind('/').map_or("", |end| &source[..end]);
                changed.folders.insert(folder.to_owned());
            }
        }
        changed
    }

    /// Does this test stand in a changed file?
    pub fn touches(&self, id: &str) -> bool {
        let file = unit::file(id).trim_start_matches("./");
        if self.path_ends.contains(file) || ends(file).any(|end| self.paths.contains(end)) {
            return true;
        }
        if let Some((package, _)) = unit::go_parts(id) {
            // The module's own name stands before the folders of its packages.
            return ends(package).any(|end| self.folders.contains(end))
                || (self.folders.contains("") && !package.contains('/'));
        }
        self.touches_module(id)
    }

    fn touches_module(&self, id: &str) -> bool {
        let (binary, path) = unit::nextest_parts(id).unwrap_or(("", id));
        let target = binary.rsplit("::").next().unwrap_or_default();
        if !target.is_empty() && self.modules.contains(target) && binary.contains("::") {
            return true;
        }
        let prefixes = path.match_indices("::").map(|(at, _)| &path[..at]);
        path.contains("::")
            && prefixes
                .take(DEPTH_MAX)
                .any(|prefix| self.modules.contains(prefix))
    }
}

/// The path and everything that is left of it without its first folders.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    let inner = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    [path].into_iter().chain(inner.take(DEPTH_MAX))
}

/// `crates/x/src/a/b` is the module `a::b`, `tests/it/a` the module `a`, `tests/it` the binary
/// `it`; the root of a crate names no module, since every test of the crate is below it.
fn rust_module(source: &str) -> Option<String> {
    let source = source.strip_suffix("/mod").unwrap_or(source);
    let inside = source
        .rsplit_once("src/")
        .map(|(_, inside)| inside)
        .or_else(|| {
            let (_, inside) = source.rsplit_once("tests/")?;
            Some(inside.split_once('/').map_or(inside, |(_, module)| module))
        })
        .unwrap_or(source);
    let root = matches!(inside, "lib" | "main");
    (!root && !inside.is_empty()).then(|| inside.replace('/', "::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_in_changed_files_are_found_for_every_runner() {
        let changed = Changed::new([
            "tests/test_a.py",
            "src/a/b.rs",
            "tests/it/lock.rs",
            "tests/smoke.rs",
            "pkg/x/x_test.go",
            "web/src/a.test.ts",
        ]);
        for id in [
            "tests/test_a.py::test_x",
            "test_a.py::test_x",
            "a::b::tests::one",
            "demo a::b::one",
            "demo::it lock::held",
            "demo::smoke starts",
            "example.com/m/pkg/x.TestA",
            "/home/me/p/web/src/a.test.ts",
            "src/a.test.ts > t",
        ] {
            assert!(changed.touches(id), "{id}");
        }
        for id in [
            "tests/test_ab.py::test_x",
            "a::c::one",
            "demo::it other::held",
            "demo smoke",
            "example.com/m/pkg/y.TestA",
            "/home/me/p/web/src/b.test.ts",
        ] {
            assert!(!changed.touches(id), "{id}");
        }
    }
}
