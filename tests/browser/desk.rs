//! The desk's page in a real browser, with a diff that attacks it.

use super::{packages, support};
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Ends the desk whatever the test says.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(folder: &Path, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    // Beside the project: what is new around a home cannot be read in the cell.
    let home = folder.with_file_name("home");
    std::fs::create_dir_all(&home).unwrap();
    command.current_dir(folder).env_clear().env("HOME", home);
    let programs = cargo_bin!("overnight");
    let programs = programs.parent().unwrap().display();
    command.env("PATH", format!("{programs}:/usr/local/bin:/usr/bin:/bin"));
    for name in ["GIT_AUTHOR", "GIT_COMMITTER"] {
        command.env(format!("{name}_NAME"), "t");
        command.env(format!("{name}_EMAIL"), "t@t");
    }
    command
}

/// A night that left a diff with scripts, letters that turn the text around, terminal escapes, and
/// another with 100,000 lines.
fn night(folder: &Path) {
    let mut text = String::from(
        "<script>globalThis.owned=1</script><img src=x onerror=alert(2)>\n\u{202e}turned\u{1b}[31m\n",
    );
    for at in 0..100_000 {
        let _ = writeln!(text, "line {at}");
    }
    std::fs::write(folder.join("text"), text).unwrap();
    std::fs::write(folder.join("AGENT_PROMPT.md"), "# The goal <b>\n").unwrap();
    std::fs::write(folder.join(".gitignore"), "text\nprofile\n").unwrap();
    for arguments in [
        &["init", "-q", "-b", "auto/t"][..],
        &["add", "."],
        &["commit", "-qm", "start"],
    ] {
        assert!(
            command(folder, "git")
                .args(arguments)
                .status()
                .unwrap()
                .success()
        );
    }
    let agent = format!(
        "command:cp '{}' evil.txt; echo x > made; git add .; git commit -qm made; echo '<DONE>made</DONE>'",
        folder.join("text").display()
    );
    let run = command(folder, cargo_bin!("overnight"))
        .args(["run", "--here", "--no-pr", "--agent", &agent])
        .output();
    assert!(run.as_ref().unwrap().status.success(), "{run:?}");
}

/// What a browser found on the page.
fn walk(packages: &Path, folder: &Path) -> Value {
    let mut served = command(folder, cargo_bin!("overnight"));
    served.args(["review", "--web"]).stdin(Stdio::null());
    let mut served = Served(served.stdout(Stdio::piped()).spawn().unwrap());
    let mut address = String::new();
    let out = served.0.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut address).unwrap();
    let done = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/desk.mjs"))
        .arg(packages)
        .arg(address.trim())
        .arg(folder.join("profile"))
        .args(super::shots(packages, "desk"))
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    serde_json::from_slice(&done.stdout).unwrap()
}

#[test]
fn a_hostile_diff_is_harmless_and_the_keyboard_reaches_everything() {
    let packages = match packages() {
        Ok(folder) => folder,
        Err(why) => return support::skip(why),
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap().join("project");
    std::fs::create_dir(&folder).unwrap();
    night(&folder);
    let found = walk(&packages, &folder);
    for what in ["foreign", "violations", "wide"] {
        assert_eq!(
            found[what].as_array().unwrap().len(),
            0,
            "{what}: {}",
            found[what]
        );
    }
    assert_eq!(
        (&found["owned"], &found["markup"]),
        (&false.into(), &0.into()),
        "{found}"
    );
    // The token is no longer in the address, and no script reads the cookie.
    assert!(found["hash"].as_str().unwrap().ends_with('/'), "{found}");
    assert_eq!(found["cookies"], "");
    let hunk = found["hunk"].as_str().unwrap();
    assert!(
        hunk.contains("<script>") && hunk.contains("<U+202E>turned<U+001B>"),
        "{hunk}"
    );
    assert!(
        found["lines"].as_u64().unwrap() < 3_000,
        "{}",
        found["lines"]
    );
    assert!(
        found["again"].as_str().unwrap().contains("used before"),
        "{found}"
    );
    assert!(
        found["other"].as_str().unwrap().starts_with("refused"),
        "{found}"
    );
    assert_eq!(found["rebound"], "403");
    assert_eq!(found["strangers"], serde_json::json!([403, 403]), "{found}");
    let refused = [&found["replayed"], &found["stale"], &found["bare"]];
    assert_eq!(refused, [409, 409, 401], "{found}");
}
