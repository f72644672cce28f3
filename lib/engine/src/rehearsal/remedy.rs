//! What to do about a finding: the command, or the line of the file that names what is in the way.

use crate::client::find_program;
use crate::config::{PERSON_FILE, PROJECT_FILE};
use crate::state::Place;
use crate::{homes, tasklist};
use overnight_base::text::one_line;
use overnight_run::Config;
use overnight_run::task::TaskSpec;
use overnight_views::init;
use overnight_views::remedy::{self, MANAGERS};
use serde_json::Value;

/// How a program is installed on this machine.
pub(super) fn install(program: &str) -> String {
    let manager = MANAGERS
        .iter()
        .map(|(name, _)| *name)
        .find(|name| find_program(name).is_some());
    remedy::install(program, manager, rustix::process::geteuid().is_root())
}

/// A line of the person's own settings with one value more.
pub(super) fn persons(table: (&str, &str), known: &[String], more: &str) -> String {
    let file = homes::config().map(|folder| folder.join(PERSON_FILE).display().to_string());
    let values = [known, &[more.to_owned()]].concat();
    remedy::line(&file.unwrap_or_default(), table, &values)
}

/// What a night's commands come from.
pub(super) struct Sources<'a> {
    pub(super) place: &'a Place,
    pub(super) config: &'a Config,
    pub(super) tasks: &'a [TaskSpec],
}

impl Sources<'_> {
    /// A program that a command starts is not there, or may not be started.
    pub(super) fn provide(&self, command: &str, said: &str) -> String {
        match remedy::missing(said) {
            Some(path) if path.contains('/') && self.place.top.join(path).is_file() => {
                format!(
                    "chmod +x {path} && git add {path} && git commit -m 'Let {path} be started'"
                )
            }
            Some(path) if path.contains('/') => self.without(command),
            program => self.set_up().unwrap_or_else(|| match program {
                Some(program) => install(program),
                None => self.without(command),
            }),
        }
    }

    /// The line that has the project's dependencies installed, where its files say how and nobody asked
    /// for it yet.
    pub(super) fn set_up(&self) -> Option<String> {
        let found = overnight_host::setup::look(self.place).setup;
        let commands: Vec<String> = found.into_iter().map(|gate| gate.command).collect();
        let wanted = self.config.setup.is_empty() && !commands.is_empty();
        wanted.then(|| remedy::line(PROJECT_FILE, ("run", "setup"), &commands))
    }

    /// How a gate is left out: the line that names it, without it.
    pub(super) fn without(&self, command: &str) -> String {
        self.in_list(command)
            .or_else(|| self.in_settings(("run", "gates"), &self.config.gates, command))
            .unwrap_or_else(|| format!("leave --gate {} out", one_line(command, 100)))
    }

    /// The same for a command of the set-up.
    pub(super) fn without_set_up(&self, command: &str) -> Option<String> {
        self.in_settings(("run", "setup"), &self.config.setup, command)
    }

    fn in_settings(&self, table: (&str, &str), values: &[String], command: &str) -> Option<String> {
        let persons = homes::config().map(|folder| folder.join(PERSON_FILE));
        let projects = self.place.top.join(PROJECT_FILE);
        [Some(projects), persons]
            .into_iter()
            .flatten()
            .find_map(|path| {
                let text = std::fs::read_to_string(&path).ok()?;
                let named = |value: &&String| {
                    let literal = format!("'{value}'");
                    text.contains(&init::quoted(value)) || text.contains(&literal)
                };
                values
                    .iter()
                    .filter(named)
                    .find(|value| *value == command)?;
                let rest: Vec<String> = values
                    .iter()
                    .filter(named)
                    .filter(|value| *value != command)
                    .cloned()
                    .collect();
                Some(remedy::line(&path.display().to_string(), table, &rest))
            })
    }

    /// In the task list its task keeps what else proves it done.
    fn in_list(&self, command: &str) -> Option<String> {
        let has = |task: &&TaskSpec| task.gates.iter().any(|gate| gate == command);
        let task = self.tasks.iter().find(has)?;
        let path = self.place.list_folder().join(tasklist::FILE);
        let list: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        let mut proofs = list[&task.id]["definition_of_done"].as_array()?.clone();
        proofs.retain(|proof| {
            let text = proof.as_str().unwrap_or_default();
            text.trim_start_matches("$ ") != command
        });
        Some(format!(
            "at {:?} in {}: \"definition_of_done\": {}",
            task.id,
            tasklist::FILE,
            Value::Array(proofs)
        ))
    }
}
