//! Which files decide whether a gate passes, by the conventions of each ecosystem: tests and what they
//! compare with, configuration of runners and linters, continuous integration, and dependencies that
//! are kept in the repository. Sources are everything else.

/// Why a file decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A test, or what stands in a folder of tests: helpers, fixtures, snapshots.
    Test,
    /// Configuration of a runner, linter, tool chain or of continuous integration.
    Config,
    /// A dependency that is kept in the tree, or what the interpreter loads by itself.
    Dependency,
}

/// Folders whose content belongs to tests.
const TEST_FOLDERS: [&str; 22] = [
    "test",
    "tests",
    "__tests__",
    "e2e",
    "testdata",
    "test-data",
    "test_data",
    "fixtures",
    "__fixtures__",
    "__snapshots__",
    "__mocks__",
    "snapshots",
    "golden",
    "goldens",
    "testcases",
    "cypress",
    "integration-tests",
    "testutil",
    "testutils",
    "test_utils",
    "testhelpers",
    "testsupport",
];
/// The same, at the top alone: further down sources have such names.
const TEST_FOLDERS_AT_TOP: [&str; 4] = ["spec", "specs", "features", "t"];
/// Folders with code of others.
const DEPENDENCY_FOLDERS: [&str; 8] = [
    "node_modules",
    "site-packages",
    "bower_components",
    ".venv",
    "venv",
    "vendor",
    "third_party",
    "__pycache__",
];
/// Folders of configuration.
const CONFIG_FOLDERS: [&str; 12] = [
    ".github",
    ".gitlab",
    ".circleci",
    ".cargo",
    ".config",
    ".husky",
    ".mvn",
    ".buildkite",
    ".vscode",
    ".devcontainer",
    ".hooks",
    "gradle",
];
/// Names of files that configure, whatever their folder; in lower case.
const CONFIG_NAMES: [&str; 67] = [
    "conftest.py",
    "pytest.ini",
    "pytest.toml",
    "tox.ini",
    "noxfile.py",
    "mypy.ini",
    "ruff.toml",
    "tasks.py",
    "makefile",
    "gnumakefile",
    "justfile",
    "taskfile.yml",
    "taskfile.yaml",
    "rakefile",
    "jenkinsfile",
    "dodo.py",
    "phpunit.xml",
    "phpunit.xml.dist",
    "clippy.toml",
    "rustfmt.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "nextest.toml",
    "deno.json",
    "deno.jsonc",
    "bunfig.toml",
    "biome.json",
    "biome.jsonc",
    "turbo.json",
    "nx.json",
    "go.work",
    "gradlew",
    "mvnw",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "gradle.properties",
    "build.xml",
    "ctesttestfile.cmake",
    "dune-project",
    "azure-pipelines.yml",
    "mise.toml",
    "karma.conf.js",
    "wallaby.js",
    "testng.xml",
    "pyrightconfig.json",
    "jsconfig.json",
    "tslint.json",
    "staticcheck.conf",
    "phpstan.neon",
    "phpstan.neon.dist",
    "psalm.xml",
    "checkstyle.xml",
    "detekt.yml",
    "deny.toml",
    "typos.toml",
    "_typos.toml",
    "cspell.json",
    "lefthook.yml",
    "cmakepresets.json",
    "ctestcustom.cmake",
    "ctestconfig.cmake",
    "junit-platform.properties",
    "behave.ini",
    "cucumber.yml",
];
/// Hidden files by which no check goes.
const HIDDEN_WORK: [&str; 13] = [
    ".gitignore",
    ".gitattributes",
    ".gitkeep",
    ".gitmodules",
    ".keep",
    ".mailmap",
    ".dockerignore",
    ".npmignore",
    ".helmignore",
    ".vercelignore",
    ".nojekyll",
    ".htaccess",
    ".worktreeinclude",
];
/// What an interpreter loads without being asked.
const LOADED_NAMES: [&str; 3] = ["sitecustomize.py", "usercustomize.py", ".pythonrc"];

/// What stands behind the last dot of a path's name.
pub fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Does this file decide? `path` is relative to the top, with `/`.
pub fn kind(path: &str) -> Option<Kind> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let lower = name.to_ascii_lowercase();
    let mut folders = folders.split('/').filter(|folder| !folder.is_empty());
    if folders
        .clone()
        .any(|folder| DEPENDENCY_FOLDERS.contains(&folder))
        || LOADED_NAMES.contains(&lower.as_str())
        || matches!(ending(&lower), "pth" | "pyc" | "pyo")
        // Python takes plugins of its runners from what such a folder declares.
        || folders
            .clone()
            .any(|folder| folder.ends_with(".egg-info") || folder.ends_with(".dist-info"))
    {
        return Some(Kind::Dependency);
    }
    if folders
        .clone()
        .any(|folder| CONFIG_FOLDERS.contains(&folder))
        || is_config(&lower)
    {
        return Some(Kind::Config);
    }
    let at_top = folders
        .clone()
        .next()
        .is_some_and(|folder| TEST_FOLDERS_AT_TOP.contains(&folder));
    let in_tests = at_top
        || folders.any(|folder| TEST_FOLDERS.contains(&folder.to_ascii_lowercase().as_str()));
    (in_tests || is_test_name(name)).then_some(Kind::Test)
}

/// `.eslintrc.json`, `vitest.config.ts`, `Makefile`, `tsconfig.build.json`.
fn is_config(lower: &str) -> bool {
    let parts: Vec<&str> = lower.split('.').collect();
    // What hides is for a tool: `.mypy.ini`, `.rspec-local`. So is `pylintrc`.
    let hidden =
        lower.starts_with('.') && !lower.starts_with(".env") && !HIDDEN_WORK.contains(&lower);
    CONFIG_NAMES.contains(&lower)
        || hidden
        || (parts.len() == 1 && lower.len() > 4 && lower.ends_with("rc"))
        || (parts.len() > 2
            && parts[1..parts.len() - 1]
                .iter()
                .any(|part| matches!(*part, "config" | "setup" | "workspace")))
        || lower.starts_with("tsconfig") && ending(lower) == "json"
        || ending(lower) == "mk"
}

/// `test_slug.py`, `slug_test.go`, `slug.spec.ts`, `SlugTest.java`, `slug.snap`.
fn is_test_name(name: &str) -> bool {
    const ENDINGS: [&str; 7] = [
        "snap", "golden", "expected", "bats", "t", "feature", "approved",
    ];
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    if ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) {
        return true;
    }
    if !is_code(ending) {
        return false;
    }
    let lower = stem.to_ascii_lowercase();
    let mut words = lower.split(['_', '-', '.']);
    let word = |word: &str| matches!(word, "test" | "tests" | "spec" | "specs");
    let (first, last) = (words.next().unwrap_or_default(), words.next_back());
    word(first)
        || last.is_some_and(word)
        || matches!(
            first,
            "testing" | "testutil" | "testutils" | "testhelper" | "testhelpers" | "testlib"
        )
        || ["Test", "Tests", "TestCase", "Spec", "IT"]
            .iter()
            .any(|end| {
                stem.strip_suffix(end).is_some_and(|rest| {
                    rest.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                })
            })
        || stem
            .strip_prefix("Test")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Endings of code and of what tests are written in.
fn is_code(ending: &str) -> bool {
    !matches!(
        ending.to_ascii_lowercase().as_str(),
        "md" | "rst" | "txt" | "png" | "jpg" | "svg" | "pdf" | "log"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_configuration_and_dependencies_decide() {
        for path in [
            "tests/__init__.py",
            "test_slug.py",
            "pkg/slug_test.go",
            "src/slug.spec.ts",
            "src/test/java/a/SlugTest.java",
            "src/SlugTests.cs",
            "a/__snapshots__/x.snap",
            "t/basic.t",
            "spec/slug_spec.rb",
            "test.js",
            "TestSlug.java",
            "tests.py",
            "e2e/login.ts",
        ] {
            assert_eq!(kind(path), Some(Kind::Test), "{path}");
        }
        for path in [
            "conftest.py",
            "pkg/conftest.py",
            "Makefile",
            "sub/justfile",
            ".eslintrc.json",
            "vitest.config.ts",
            "jest.config.js",
            ".github/workflows/ci.yml",
            ".cargo/config.toml",
            "rust-toolchain.toml",
            "phpunit.xml.dist",
            ".mocharc.yml",
            "tsconfig.build.json",
            ".rspec",
            ".pytest.ini",
            "jest.setup.js",
            ".mypy.ini",
            ".rspec-local",
            "pylintrc",
            "pyrightconfig.json",
        ] {
            assert_eq!(kind(path), Some(Kind::Config), "{path}");
        }
        for path in [
            "node_modules/mean/index.js",
            "sitecustomize.py",
            "vendor/x/y.go",
            "a.pth",
            "x.egg-info/entry_points.txt",
            "__pycache__/text.cpython-311.pyc",
        ] {
            assert_eq!(kind(path), Some(Kind::Dependency), "{path}");
        }
    }

    #[test]
    fn sources_do_not_decide() {
        for path in [
            "text.py",
            "src/lib.rs",
            "src/main/java/a/Slug.java",
            "README.md",
            "Cargo.toml",
            "contest.py",
            "latest.js",
            "src/attest.rs",
            "docs/testing.md",
            "lib/inspect.rb",
            "src/protest.go",
            "package.json",
            "config.py",
            "src/config.rs",
            "manifest.json",
            "testimonials.html",
            "src/features/cart.js",
            "app/spec/parse.py",
            "Latest.java",
            ".gitignore",
            ".env.example",
            "arc",
        ] {
            assert_eq!(kind(path), None, "{path}");
        }
    }
}
