//! A changed file, and why a person should look at it.

use serde::Serialize;

/// One file's change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Its path.
    pub path: String,
    /// Lines added; 0 where they are not counted.
    pub added: u64,
    /// Lines removed; 0 where they are not counted.
    pub removed: u64,
    /// Does git not know it yet?
    pub untracked: bool,
    /// Its size where its lines are not counted: it is binary, or very large.
    pub bytes: Option<u64>,
}

impl FileChange {
    /// Lines added and removed; of a file whose lines are not counted its size.
    pub fn counts(&self) -> [String; 2] {
        match self.bytes {
            // What is gone, or stands in no work tree, has no size.
            Some(0) => ["binary".to_owned(), String::new()],
            Some(bytes) => [size(bytes), String::new()],
            None => [format!("+{}", self.added), format!("-{}", self.removed)],
        }
    }

    /// Both in a word.
    pub fn words(&self) -> String {
        self.counts().join(" ").trim_end().to_owned()
    }

    /// Why a person should look at it: what can weaken a proof or reach beyond the code, else its
    /// size.
    pub fn why(&self) -> &'static str {
        let path = self.path.to_ascii_lowercase();
        let name = path.rsplit('/').next().unwrap_or_default();
        let in_folder = |folder: &str| {
            path.starts_with(&format!("{folder}/")) || path.contains(&format!("/{folder}/"))
        };
        let is_test = ["test", "tests", "spec", "__tests__"]
            .iter()
            .any(|folder| in_folder(folder))
            || ["test_", "tests."]
                .iter()
                .any(|start| name.starts_with(start))
            || ["_test.", ".test.", ".spec.", "_spec."]
                .iter()
                .any(|part| name.contains(part));
        if path.starts_with("progress/") {
            "progress"
        } else if is_test && self.removed > self.added {
            "tests shrank"
        } else if in_folder(".github")
            || in_folder(".ci")
            || name.starts_with(".gitlab-ci")
            || name == "jenkinsfile"
        {
            "build service"
        } else if MANIFESTS.contains(&name) {
            "dependencies"
        } else if in_folder(".claude")
            || matches!(name, "tasks.json" | "agent_prompt.md" | "overnight.toml")
        {
            "the agent's own orders"
        } else if is_test {
            "tests"
        } else {
            "size"
        }
    }

    /// Its place in the list: what can weaken a proof first, what Overnight writes itself last.
    pub fn rank(&self) -> u8 {
        match self.why() {
            "progress" => 2,
            "tests" | "size" => 1,
            _ => 0,
        }
    }
}

/// Bytes as people read them.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["KiB", "MiB", "GiB"];
    let mut tenths = bytes.saturating_mul(10) / 1024;
    let mut unit = 0;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    match (bytes, tenths) {
        (0..1024, _) => format!("{bytes} bytes"),
        (_, 0..100) => format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit]),
        _ => format!("{} {}", tenths / 10, UNITS[unit]),
    }
}

/// Files that name what else is downloaded and run.
const MANIFESTS: [&str; 14] = [
    "cargo.toml",
    "cargo.lock",
    "build.rs",
    "package.json",
    "package-lock.json",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "go.mod",
    "go.sum",
    "gemfile",
    "pom.xml",
    "makefile",
    "dockerfile",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_whose_lines_are_not_counted_has_its_size() {
        let of = |bytes| FileChange {
            bytes,
            added: 3,
            ..FileChange::default()
        };
        assert_eq!(of(None).words(), "+3 -0");
        for (bytes, words) in [
            (7, "7 bytes"),
            (1_536, "1.5 KiB"),
            (3_250_000, "3.0 MiB"),
            (90 << 20, "90 MiB"),
            (5 << 40, "5120 GiB"),
        ] {
            assert_eq!(of(Some(bytes)).words(), words);
        }
    }
}
