//! Files as lists: test files below folders, files of ids and durations, changed files.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_host::files::{Content, read_bounded};
use overnight_host::git;
use overnight_sample::ring::LIST_BYTES_MAX;
use overnight_sample::unit;
use std::path::{Path, PathBuf};

/// What test files are called, where nothing else is asked for.
const TEST_FILES: [&str; 9] = [
    "test_*.py",
    "*_test.py",
    "*.test.{js,jsx,ts,tsx,mjs,cjs,mts,cts}",
    "*.spec.{js,jsx,ts,tsx,mjs,cjs,mts,cts}",
    "**/__tests__/**/*.{js,jsx,ts,tsx}",
    "*_test.go",
    "*_spec.rb",
    "*_test.rb",
    "**/tests/**/*.rs",
];

/// Which ids or files are wanted.
#[derive(Debug)]
pub struct Globs {
    include: Option<GlobSet>,
    exclude: GlobSet,
}

impl Globs {
    /// Compiles patterns as `.gitignore` reads them: `*` stays within a folder, `**` does not, and
    /// a pattern without `/` matches names anywhere.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, Fault> {
        let include = if include.is_empty() {
            None
        } else {
            Some(compile(include)?)
        };
        let exclude = compile(exclude)?;
        Ok(Self { include, exclude })
    }

    /// Do they say anything?
    pub fn is_empty(&self) -> bool {
        self.include.is_none() && self.exclude.is_empty()
    }

    /// The same, with the usual names of test files where nothing is included explicitly.
    pub fn or_test_files(mut self) -> Result<Self, Fault> {
        if self.include.is_none() {
            self.include = Some(compile(&TEST_FILES)?);
        }
        Ok(self)
    }

    /// Is this id (or path) wanted? Its file and the last parts of both are looked at as well.
    pub fn wants(&self, id: &str) -> bool {
        let file = unit::file(id).trim_start_matches("./");
        let last = |path: &str| path.rfind('/').map_or(0, |end| end + 1);
        let forms = [id, file, &id[last(id)..], &file[last(file)..]];
        let hit = |set: &GlobSet| forms.iter().any(|form| set.is_match(form));
        self.include.as_ref().is_none_or(hit) && !hit(&self.exclude)
    }
}

fn compile<S: AsRef<str>>(patterns: &[S]) -> Result<GlobSet, Fault> {
    let mut set = GlobSetBuilder::new();
    let wrong = |error: globset::Error| Fault::new(Code::InputInvalid, error.to_string());
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern.as_ref())
            .literal_separator(true)
            .build();
        set.add(glob.map_err(wrong)?);
    }
    set.build().map_err(wrong)
}

/// Every file below `root` that no `.gitignore` excludes, sorted; links are not followed, hidden
/// files are left out.
pub fn walk(root: &Path) -> Result<Vec<PathBuf>, Fault> {
    if !root.is_dir() {
        let reason = format!("{} is no folder", root.display());
        return Err(Fault::new(Code::InputMissing, reason));
    }
    let mut files = Vec::new();
    let walk = WalkBuilder::new(root)
        .require_git(false)
        .git_global(false)
        .sort_by_file_path(Path::cmp)
        .build();
    for entry in walk {
        let entry = entry.map_err(|error| Fault::new(Code::FileRead, error.to_string()))?;
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// The wanted files below these folders as ids separated by NUL: relative to the working folder
/// where they are inside it, so that every work tree gives the same ids.
pub fn list(roots: &[PathBuf], globs: &Globs) -> Result<Vec<u8>, Fault> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut ids = Vec::new();
    for root in roots {
        for file in walk(root)? {
            let relative = file.strip_prefix(&here).unwrap_or(&file);
            let path = relative.to_str().ok_or_else(|| {
                let reason = format!("{} is no UTF-8", relative.display());
                Fault::new(Code::SampleId, reason)
            })?;
            let path = path.strip_prefix("./").unwrap_or(path);
            if globs.wants(path) {
                ids.extend_from_slice(path.as_bytes());
                ids.push(0);
            }
        }
    }
    Ok(ids)
}

/// The working folder with a `/` behind, as ids of files start with it; empty when it is no text.
pub fn working_folder() -> String {
    let here = std::env::current_dir().unwrap_or_default();
    here.to_str()
        .map(|here| format!("{here}/"))
        .unwrap_or_default()
}

/// A whole file as text: ids, durations. `code` is that of what is wrong with its content.
pub fn text(path: &Path, code: Code) -> Result<String, Fault> {
    let shown = path.display();
    match read_bounded(path, LIST_BYTES_MAX as u64)? {
        Content::Bytes(bytes) => String::from_utf8(bytes)
            .map_err(|_| Fault::new(code, format!("{shown} is no UTF-8 text"))),
        Content::Missing => Err(Fault::new(code, format!("{shown} does not exist"))),
        Content::Refused(why) => Err(Fault::new(code, format!("{shown} is {why}"))),
    }
}

/// Files that differ from `reference` (and those not yet added), relative to the working folder.
pub fn changed(reference: &str) -> Result<Vec<String>, Fault> {
    if reference.starts_with('-') {
        let reason = format!("{reference:?} is no reference");
        return Err(Fault::new(Code::InputInvalid, reason));
    }
    let here = Path::new(".");
    if git::locate(here)?.is_none() {
        let reason = "what has changed is known inside a git repository only";
        return Err(Fault::new(Code::NotARepository, reason));
    }
    let commit = format!("{reference}^{{commit}}");
    let known = git::run(here, &["rev-parse", "--verify", "--quiet", &commit])?;
    if !known.ok() {
        let reason = format!("{reference:?} is no commit of this repository");
        return Err(Fault::new(Code::InputInvalid, reason));
    }
    let differ = [
        "diff",
        "--name-only",
        "--relative",
        "--no-ext-diff",
        "--no-textconv",
        "-z",
        reference,
        "--",
    ];
    let fresh = ["ls-files", "--others", "--exclude-standard", "-z"];
    let mut paths = split(&git::read(here, &differ)?);
    paths.extend(split(&git::read(here, &fresh)?));
    Ok(paths)
}

fn split(text: &str) -> Vec<String> {
    text.split('\0')
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_git_ignores_and_links_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(".gitignore", "build/\n*.gen.py\n!keep.gen.py\n");
        for file in [
            "a/test_b.py",
            "a/c_test.go",
            "a/x.py",
            "build/test_c.py",
            "test_d.gen.py",
            "a/keep.gen.py",
            ".hidden/test_e.py",
        ] {
            write(file, "");
        }
        std::os::unix::fs::symlink("/", folder.path().join("test_link.py")).unwrap();
        let names = |include: &[&str], exclude: &[&str]| {
            let owned = |list: &[&str]| {
                list.iter()
                    .map(|glob| (*glob).to_owned())
                    .collect::<Vec<_>>()
            };
            let globs = Globs::new(&owned(include), &owned(exclude))
                .unwrap()
                .or_test_files()
                .unwrap();
            let ids = list(&[folder.path().to_owned()], &globs).unwrap();
            let root = folder.path().to_str().unwrap().to_owned() + "/";
            split(&String::from_utf8(ids).unwrap().replace(&root, ""))
        };
        assert_eq!(names(&[], &[]), ["a/c_test.go", "a/test_b.py"]);
        assert_eq!(names(&["*.py"], &["test_*"]), ["a/keep.gen.py", "a/x.py"]);
        assert_eq!(names(&["*.py"], &["**/a/**"]), [""; 0]);
    }

    #[test]
    fn globs_look_at_ids_and_their_files() {
        let globs = |pattern: &str| Globs::new(&[pattern.to_owned()], &[]).unwrap();
        let id = "tests/unit/test_a.py::test_slow";
        for pattern in [
            "tests/**",
            "test_a.py",
            "*slow*",
            "tests/unit/*.py",
            "**/unit/*",
            "*.py::*",
        ] {
            assert!(globs(pattern).wants(id), "{pattern}");
        }
        assert!(!globs("tests/*.py").wants(id));
        assert!(globs("lock::*").wants("lock::tests::held"));
        assert_eq!(
            Globs::new(&["[".to_owned()], &[]).unwrap_err().code,
            Code::InputInvalid
        );
    }
}
