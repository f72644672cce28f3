//! The shells of a session are led through the filter while something needs it, and not before.

use crate::project::Project;
use crate::shared::{Session, project};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// What the client keeps for a session, and which of its files a hook may write.
struct Kept {
    folder: PathBuf,
    home: String,
    file: String,
}

impl Kept {
    fn of(project: &Project) -> Self {
        let home = project.home().join(".claude");
        let folder = home.join("session-env/s1");
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("sessionstart-hook-0.sh");
        Self {
            home: home.to_str().unwrap().to_owned(),
            file: file.to_str().unwrap().to_owned(),
            folder,
        }
    }

    fn environment(&self) -> [(&str, &str); 2] {
        [
            ("CLAUDE_CONFIG_DIR", &self.home),
            ("CLAUDE_ENV_FILE", &self.file),
        ]
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.file).unwrap_or_default()
    }

    fn mark(&self) -> PathBuf {
        self.folder.join("overnight-run")
    }
}

fn starts(session: &Session) -> Option<Value> {
    session.hook(
        "session-start",
        json!({"hook_event_name": "SessionStart", "source": "startup"}),
    )
}

/// The client saw the mark come or go.
fn changed(session: &Session) -> Option<Value> {
    session.hook("session-start", json!({"hook_event_name": "FileChanged"}))
}

#[test]
fn a_session_without_a_run_has_nothing_before_its_commands_and_a_run_leads_them_while_it_lasts() {
    let project = project(&[("a", &[])]);
    let kept = Kept::of(&project);
    let environment = kept.environment();
    let session = Session::new(&project, "s1").with(&environment);
    let answer = starts(&session).unwrap();
    let watched = &answer["hookSpecificOutput"]["watchPaths"];
    assert_eq!(watched, &json!([kept.mark()]), "{answer}");
    assert!(std::fs::read_dir(&kept.folder).unwrap().next().is_none());
    std::thread::scope(|scope| {
        // What is armed waits until the client leads its shells.
        let client = scope.spawn(|| {
            let began = Instant::now();
            while !kept.mark().is_file() {
                assert!(began.elapsed().as_secs() < 60, "no run is armed");
                std::thread::yield_now();
            }
            changed(&session)
        });
        session.flow();
        assert!(kept.text().contains("unset OVERNIGHT_FILTER_ACTIVE"));
        assert_eq!(client.join().unwrap(), None);
    });
    // A session that is taken up again has it once, wherever the hook before wrote it.
    let other = kept.folder.join("filechanged-hook-0.sh");
    std::fs::rename(&kept.file, &other).unwrap();
    session.resumed();
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "");
    assert_eq!(
        kept.text().matches("unset OVERNIGHT_FILTER_ACTIVE").count(),
        1
    );
    session.typed("stop");
    assert!(!kept.mark().exists());
    changed(&session);
    assert_eq!(kept.text(), "");
}

#[test]
fn who_wants_short_outputs_everywhere_sets_it_and_what_others_wrote_stays() {
    let project = project(&[("a", &[])]);
    let kept = Kept::of(&project);
    let environment = kept.environment();
    let session = Session::new(&project, "s1").with(&environment);
    std::fs::write(&kept.file, "export OTHER=1\n").unwrap();
    let config = project.home().join(".config/overnight");
    std::fs::create_dir_all(&config).unwrap();
    for (text, led) in [("[filter]\nattended = \"on\"\n", true), ("", false)] {
        std::fs::write(config.join("config.toml"), text).unwrap();
        starts(&session);
        let text = kept.text();
        assert!(text.starts_with("export OTHER=1\n"), "{text}");
        assert_eq!(
            text.contains("unset OVERNIGHT_FILTER_ACTIVE"),
            led,
            "{text}"
        );
    }
}

#[test]
fn outputs_of_a_session_are_shortened_in_a_run_and_else_only_what_the_client_cuts() {
    let project = project(&[("a", &[])]);
    let session = Session::new(&project, "s1");
    let long = (0..300)
        .map(|line| format!("line {line}\n"))
        .collect::<Vec<_>>()
        .concat();
    let shortened = || {
        let event = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make all"},
            "tool_response": {"stdout": long, "stderr": "", "interrupted": false}});
        session.call("output-filter", &["hook"], event).is_some()
    };
    assert!(!shortened() && !project.path("logs").exists());
    session.flow();
    assert!(shortened() && project.path("logs").exists());
}
