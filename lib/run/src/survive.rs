//! A night that comes back after a kill or a reboot: the units with which the person's service manager looks
//! after it, and what whoever looks does.

use crate::State;
use std::fmt::Write;

/// Seconds from one look to the next.
const LOOK_S: u32 = 300;
/// A driver of which nothing was heard for so long is told of.
pub const QUIET_MS: u64 = 3_600_000;
/// How often a run comes back at most: one that dies each time needs a person.
pub const BACK_MAX: u32 = 12;

/// What is done at a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// It is over: nobody need look any longer.
    Over,
    /// Its driver is gone: another one goes on.
    GoOn,
    /// It died too often.
    GiveUp,
    /// Nothing was heard for too long.
    Quiet,
    /// All is well.
    Well,
}

/// What is seen of a run from outside, beside its journal.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Does its driver live?
    pub alive: bool,
    /// Unix time in milliseconds at which something of it was written last.
    pub heard: u64,
    /// How often it came back.
    pub times: u32,
    /// Unix time in milliseconds now.
    pub now: u64,
}

/// What is to be done about a run. One that a person stopped is looked after no longer: what is
/// interrupted here was so by the machine.
pub fn look(state: &State, seen: Seen) -> Look {
    if state.finished.is_some() {
        return Look::Over;
    }
    if !seen.alive {
        return if seen.times >= BACK_MAX {
            Look::GiveUp
        } else {
            Look::GoOn
        };
    }
    let held = state.waiting.is_some() || state.paused.is_some();
    if !held && seen.now.saturating_sub(seen.heard) >= QUIET_MS {
        return Look::Quiet;
    }
    Look::Well
}

/// What is started at each look.
#[derive(Debug)]
pub struct Job<'a> {
    /// The run.
    pub run: &'a str,
    /// The program and its arguments.
    pub command: &'a [String],
    /// Where it is started.
    pub folder: &'a str,
    /// Its environment.
    pub environment: &'a [(String, String)],
}

/// The name of a run's units, without their ending.
pub fn name(run: &str) -> String {
    format!("overnight-{run}")
}

impl Job<'_> {
    /// The service of systemd. What it starts lives on when it has ended.
    pub fn service(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| quoted(word, true)).collect();
        let mut text = format!(
            "[Unit]\nDescription=Overnight: a look after run {}\n\n[Service]\nType=oneshot\nKillMode=process\nWorkingDirectory={}\n",
            self.run,
            self.folder.replace('%', "%%"),
        );
        for (name, value) in self.environment {
            let _ = writeln!(
                text,
                "Environment={}",
                quoted(&format!("{name}={value}"), false)
            );
        }
        let _ = writeln!(text, "ExecStart={}", words.join(" "));
        text
    }

    /// Its timer.
    pub fn timer(&self) -> String {
        format!(
            "[Unit]\nDescription=Overnight: looks after run {}\n\n[Timer]\nOnStartupSec=60\nOnActiveSec={LOOK_S}\nOnUnitActiveSec={LOOK_S}\n\n[Install]\nWantedBy=timers.target\n",
            self.run
        )
    }

    /// The agent of launchd.
    pub fn plist(&self) -> String {
        let mut words = String::new();
        for word in self.command {
            let _ = writeln!(words, "    <string>{}</string>", xml(word));
        }
        let mut environment = String::new();
        for (name, value) in self.environment {
            let (name, value) = (xml(name), xml(value));
            let _ = writeln!(
                environment,
                "    <key>{name}</key>\n    <string>{value}</string>"
            );
        }
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{}</string>
  <key>ProgramArguments</key>
  <array>
{words}  </array>
  <key>WorkingDirectory</key>
  <string>{}</string>
  <key>EnvironmentVariables</key>
  <dict>
{environment}  </dict>
  <key>StartInterval</key>
  <integer>{LOOK_S}</integer>
  <key>RunAtLoad</key>
  <true/>
  <key>AbandonProcessGroup</key>
  <true/>
</dict>
</plist>
"#,
            xml(&name(self.run)),
            xml(self.folder),
        )
    }
}

/// A word as systemd reads it back; `command`: where it looks for variables, too.
fn quoted(word: &str, command: bool) -> String {
    let mut text = String::from("\"");
    for c in word.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '%' => text.push_str("%%"),
            '$' if command => text.push_str("$$"),
            '\n' => text.push_str("\\n"),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    #[test]
    fn a_look_brings_back_what_died_and_tells_of_what_is_quiet() {
        let seen = Seen {
            alive: true,
            heard: 0,
            times: 0,
            now: QUIET_MS,
        };
        let state = State::default();
        let waiting = State {
            waiting: Some((9, crate::step::WaitCause::UsageLimit)),
            ..State::default()
        };
        let over = State {
            finished: Some(Reason::AllDone),
            ..State::default()
        };
        let dead = Seen {
            alive: false,
            ..seen
        };
        let cases = [
            (&state, seen, Look::Quiet),
            (&state, Seen { heard: 1, ..seen }, Look::Well),
            (&waiting, seen, Look::Well),
            (&waiting, dead, Look::GoOn),
            (
                &state,
                Seen {
                    times: BACK_MAX,
                    ..dead
                },
                Look::GiveUp,
            ),
            (&over, dead, Look::Over),
        ];
        for (at, (state, seen, expected)) in cases.into_iter().enumerate() {
            assert_eq!(look(state, seen), expected, "case {at}");
        }
    }

    #[test]
    fn odd_names_are_read_back_as_they_are() {
        assert_eq!(
            quoted("a \"b\" \\ 50% $HOME", true),
            r#""a \"b\" \\ 50%% $$HOME""#
        );
        assert_eq!(quoted("P=$HOME", false), "\"P=$HOME\"");
        assert_eq!(xml("<a & b>"), "&lt;a &amp; b&gt;");
    }
}
