//! jscpd, the clone detector, run over a folder: <https://jscpd.dev>. A detector for 200 languages
//! is not what this project is for.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_host::client::find_program;
use overnight_host::deadline;
use overnight_host::files::{self, Content};
use overnight_host::random;
use overnight_views::clones::{self, LINES_MIN, Pair, TOKENS_MIN};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What is no code of this project, or no code at all. (jscpd splits the list at commas: no braces.)
const IGNORED: &[&str] = &[
    "**/*.json",
    "**/*.lock",
    "**/*.md",
    "**/*.rst",
    "**/*.svg",
    "**/*.csv",
    "**/*.xml",
    "**/*.html",
    "**/*.txt",
    "**/*.yml",
    "**/*.yaml",
    "**/*.toml",
    "**/*.snap",
    "**/*.log",
    "**/*.min.*",
    "**/node_modules/**",
    "**/vendor/**",
    "**/third_party/**",
    "**/target/**",
    "**/dist/**",
    "**/build/**",
    "**/.venv/**",
    "**/.git/**",
];
/// Bytes of a report at most: it quotes every clone.
const REPORT_BYTES_MAX: u64 = 256 << 20;
/// jscpd takes 0.1 s for 70,000 lines; this is for the largest repositories.
const WAIT_MAX: Duration = Duration::from_mins(10);
const GRACE: Duration = Duration::from_secs(2);

/// The pairs that jscpd finds below `folder`, as it reports them.
pub fn detect(folder: &Path) -> Result<Vec<Pair>, Fault> {
    let program = find_program("jscpd").ok_or_else(|| {
        Fault::new(
            Code::CommandStart,
            "the clone detector jscpd is not on the PATH",
        )
        .hint("npm install --global jscpd@5, or cargo install jscpd")
    })?;
    let out = Scratch::new()?;
    let report = out.0.join("jscpd-report.json");
    let mut command = Command::new(program);
    command
        .arg(".")
        .args(["--min-tokens", &TOKENS_MIN.to_string()])
        .args(["--min-lines", &LINES_MIN.to_string()])
        .args(["--ignore-identifiers", "--skip-comments"])
        .args(["--reporters", "json", "--silent"])
        .arg("--output")
        .arg(&out.0)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    // The project's own idea of what is no code of its own is better than ours.
    if !folder.join(".jscpd.json").exists() {
        command.args(["--ignore", &IGNORED.join(",")]);
    }
    let ended = deadline::run(&mut command, Some(WAIT_MAX), GRACE)
        .map_err(|error| Fault::new(Code::CommandStart, format!("jscpd: {error}")))?;
    // Its status also says whether a threshold of the project is passed; the report says all.
    match files::read_bounded(&report, REPORT_BYTES_MAX)? {
        Content::Bytes(json) => clones::parse(&json),
        _ if ended.timed_out => Err(Fault::new(Code::CommandTimeout, "jscpd took too long")),
        _ => {
            let reason = format!("jscpd wrote no report ({})", ended.status);
            Err(Fault::new(Code::CommandFailed, reason)
                .hint("find-clones needs jscpd 5: jscpd --version"))
        }
    }
}

/// A private folder that goes with this value.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Fault> {
        let folder = std::env::temp_dir().join(format!("overnight-clones-{}", random::hex::<8>()?));
        files::create_private_folder(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left of it is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
