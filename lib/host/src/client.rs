//! Claude Code: where it is, how a headless attempt is started, what it left in its stream.

use crate::agent::{Launch, own_program};
use crate::{env, homes, random};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_run::client::Ending;
use overnight_run::client::transcript::{self, Spending};
use overnight_run::event::Context;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A stream line longer than this is skipped: the client prints none near it.
const LINE_BYTES_MAX: u64 = 32 << 20;
/// The last message stands within so much of a transcript's end, or is not looked for.
const TRANSCRIPT_END_BYTES: u64 = 1 << 20;
/// What follows a turn's last message is short.
const AWAITED_BYTES: u64 = 256 << 10;
const AWAITED: Duration = Duration::from_millis(500);
const AWAITED_PAUSE: Duration = Duration::from_millis(10);
/// A session that started more subagents than this is not reckoned to the last one.
const SUBAGENTS_MAX: usize = 10_000;

/// An installed client, and the plugin to load into it.
#[derive(Debug, Clone)]
pub struct Client {
    program: PathBuf,
    plugin: Option<PathBuf>,
    installed: bool,
}

impl Client {
    /// Finds `claude` on the PATH and our plugin beside this program.
    pub fn find() -> Result<Self, Fault> {
        let program = find_program("claude")
            .ok_or_else(|| Fault::new(Code::ClientMissing, "no program `claude` on the PATH"))?;
        Ok(Self {
            program,
            plugin: plugin_folder(),
            installed: plugin_installed(),
        })
    }

    /// The command of one attempt: fresh session, prompt as argument, stdin closed by the caller.
    pub fn command(&self, launch: &Launch) -> Result<Command, Fault> {
        let mut command = Command::new(&self.program);
        command.arg("-p").arg(launch.prompt.0);
        command.args(["--output-format", "stream-json", "--verbose"]);
        match launch.continues {
            Some(session) => command.args(["--resume", session]),
            None => command.args(["--session-id", &random::uuid()?]),
        };
        command.args(["--permission-prompts", "none"]);
        // Without the guard edits are not accepted unseen: `acceptEdits` alone runs `rm -rf src`.
        let guarded = self.installed || self.plugin.is_some();
        command.args([
            "--permission-mode",
            if guarded { "acceptEdits" } else { "default" },
        ]);
        if let (false, Some(plugin)) = (self.installed, &self.plugin) {
            command.arg("--plugin-dir").arg(plugin);
        }
        let mut tools = vec!["Bash(completion-check declare:*)"];
        tools.extend(launch.allowed_tools.iter().map(String::as_str));
        command.arg("--allowedTools").arg(tools.join(","));
        if let Some(model) = launch.model {
            command.args(["--model", model]);
        }
        if let Some(left) = launch.budget_left_usd {
            command.args(["--max-budget-usd", &format!("{left:.4}")]);
        }
        Ok(command)
    }
}

impl Client {
    /// The command of an agent that only reads, with its prompt on stdin, by this model and with so many
    /// dollars: nothing that the folder holds (settings, hooks, instructions, servers) takes part.
    pub fn reads_only(&self, model: Option<&str>, left: Option<f64>) -> Command {
        const TOOLS: &str = "Read,Grep,Glob";
        let mut command = Command::new(&self.program);
        command.args(["-p", "--output-format", "stream-json", "--verbose"]);
        command.args(["--permission-mode", "default"]);
        // It is no part of the session that it may be started from.
        let session = [
            &vars::CLAUDECODE,
            &vars::SESSION_ID,
            &vars::CLAUDE_PID,
            &vars::CLAUDE_ENV_FILE,
        ];
        for var in session {
            command.env_remove(var.name);
        }
        command.args(["--permission-prompts", "none", "--safe-mode"]);
        command.args(["--tools", TOOLS, "--allowedTools", TOOLS]);
        command.args(model.iter().flat_map(|model| ["--model", model]));
        if let Some(left) = left {
            command.args(["--max-budget-usd", &format!("{left:.4}")]);
        }
        command
    }
}

/// Finds a program on the PATH; entries that are not absolute are passed over, so that a
/// repository cannot put its own in the way (tests/cases/hostile.md R06).
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::get_os(&vars::PATH)?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| {
            rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok() && file.is_file()
        })
}

/// The plugin that this program belongs to: the folder above `bin/` with a plugin manifest.
pub fn plugin_folder() -> Option<PathBuf> {
    let program = own_program().ok()?;
    let root = program.canonicalize().ok()?.parent()?.parent()?.to_owned();
    root.join(".claude-plugin/plugin.json")
        .is_file()
        .then_some(root)
}

/// Is the plugin installed in the client's own configuration?
fn plugin_installed() -> bool {
    const LIST_BYTES_MAX: u64 = 4 << 20;
    let Some(folder) = homes::client() else {
        return false;
    };
    let list = folder.join("plugins/installed_plugins.json");
    match crate::files::read_bounded(&list, LIST_BYTES_MAX) {
        Ok(crate::files::Content::Bytes(bytes)) => {
            memchr::memmem::find(&bytes, b"\"overnight@").is_some()
        }
        _ => false,
    }
}

/// Reads the stream of a finished attempt from this offset on, one bounded line at a time.
pub fn read_stream(path: &Path, offset: u64) -> Result<Ending, Fault> {
    let mut ending = Ending::default();
    each_line(path, offset, |line| ending.read(line))?;
    Ok(ending)
}

/// What a session and its subagents have spent since a Unix time in milliseconds, by its
/// transcript. What cannot be read counts nothing.
pub fn spent_since(transcript: &Path, since_ms: u64) -> Spending {
    let mut spending = Spending::since(since_ms);
    each_transcript(transcript, |path| {
        let _ = each_line(path, 0, |line| spending.read(line));
    });
    spending
}

/// What the end of a session's transcript says.
#[derive(Debug, Clone, Default)]
pub struct TranscriptEnd {
    /// How full the main thread's context was.
    pub context: Option<Context>,
    /// With what message the service failed the agent that the main thread started last.
    pub failed_agent: Option<String>,
}

/// Waits until this last message, of after this Unix time in milliseconds, stands in the session's transcript, half a
/// second at most: the client writes it down up to 100 ms late (measured with 2.1.329, at more than half of all turns'
/// ends), and what came before the message with it. Gives whether it came.
pub fn await_message(transcript: &Path, message: &str, since: u64) -> bool {
    let began = Instant::now();
    loop {
        let Ok(about) = std::fs::metadata(transcript) else {
            return false;
        };
        let mut found = false;
        let _ = each_line(
            transcript,
            about.len().saturating_sub(AWAITED_BYTES),
            |line| {
                found |= transcript::says(line, message, since);
            },
        );
        if found || began.elapsed() >= AWAITED {
            return found;
        }
        std::thread::sleep(AWAITED_PAUSE);
    }
}

/// Reads the end of a session's transcript, for what came since this Unix time in milliseconds.
pub fn transcript_end(transcript: &Path, since: u64) -> TranscriptEnd {
    let length = std::fs::metadata(transcript).map_or(0, |about| about.len());
    let from = length.saturating_sub(TRANSCRIPT_END_BYTES);
    let (mut tokens, mut failed_agent) = (None, None);
    // Where the end begins in the middle of a line, that one is passed over. What cannot be read says nothing.
    let _ = each_line(transcript, from, |line| {
        tokens = transcript::context(line).or(tokens);
        if let Some(last) = transcript::failed_agent(line, since) {
            failed_agent = last;
        }
    });
    TranscriptEnd {
        context: tokens.map(|tokens| Context {
            tokens,
            window: None,
        }),
        failed_agent,
    }
}

/// When the person broke off the last turn of this session, in Unix milliseconds, if that is where its transcript
/// ends.
pub fn broken_off(session: &str) -> Option<u64> {
    /// What the client writes behind Esc is short; it is looked for whenever a status line is drawn.
    const NEAR_BYTES: u64 = 1 << 14;
    let transcript = transcript_of(session)?;
    let length = std::fs::metadata(&transcript).map_or(0, |about| about.len());
    let last = |bytes: u64| {
        let mut last = None;
        let _ = each_line(&transcript, length.saturating_sub(bytes), |line| {
            last = transcript::broken_off(line).or(last);
        });
        last
    };
    last(NEAR_BYTES)
        .or_else(|| last(TRANSCRIPT_END_BYTES))
        .flatten()
}

/// The transcript of a session, wherever the client keeps it.
pub fn transcript_of(session: &str) -> Option<PathBuf> {
    let projects = std::fs::read_dir(homes::client()?.join("projects")).ok()?;
    let file = |folder: std::fs::DirEntry| folder.path().join(format!("{session}.jsonl"));
    let mut files = projects.flatten().map(file);
    files.find(|path| path.is_file())
}

/// A session's transcript after those of its subagents.
pub fn each_transcript(transcript: &Path, mut visit: impl FnMut(&Path)) {
    let subagents = std::fs::read_dir(transcript.with_extension("").join("subagents"));
    let of_subagents = subagents.into_iter().flatten().filter_map(Result::ok);
    let own = of_subagents.map(|entry| entry.path()).filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "jsonl")
    });
    for path in own.take(SUBAGENTS_MAX).chain([transcript.to_owned()]) {
        visit(&path);
    }
}

/// The lines of a file from an offset on, each of a bounded length.
pub fn each_line(path: &Path, offset: u64, mut read_line: impl FnMut(&[u8])) -> Result<(), Fault> {
    let fault =
        |error: std::io::Error| Fault::new(Code::FileRead, format!("{}: {error}", path.display()));
    let mut file = std::fs::File::open(path).map_err(fault)?;
    file.seek(SeekFrom::Start(offset)).map_err(fault)?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader
            .by_ref()
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut line)
            .map_err(fault)?;
        if read == 0 {
            return Ok(());
        }
        read_line(&line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_written_late_is_waited_for_and_one_that_never_comes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let line = r#"{"type":"assistant","timestamp":"2026-11-21T15:22:10.000Z","message":{"content":[{"type":"text","text":"done"}]}}"#;
        std::thread::scope(|scope| {
            std::fs::write(&path, "{}\n").unwrap();
            let waits = scope.spawn(|| await_message(&path, "done", 0));
            std::fs::write(&path, format!("{line}\n")).unwrap();
            assert!(waits.join().unwrap());
        });
        assert!(!await_message(&path, "done", u64::MAX), "of before");
        assert!(!await_message(&folder.path().join("none"), "done", 0));
    }
}
