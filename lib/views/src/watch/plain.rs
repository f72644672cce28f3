//! The view as lines that are only ever appended: for logs, pipes and terminals that cannot move
//! their cursor.

use super::Urgency;
use super::subject::Subject;
use crate::report::Clock;
use crate::summary::{self, screen};
use std::collections::BTreeMap;

/// What was said so far of each agent.
#[derive(Debug, Default)]
pub struct Plain {
    said: BTreeMap<String, Printed>,
}

#[derive(Debug, Default)]
struct Printed {
    /// The journal that the events were of.
    journal: String,
    happened: u64,
    urgency: Option<Urgency>,
    refused: Option<String>,
}

impl Plain {
    /// What is new since the last call, a line each.
    pub fn news(&mut self, subjects: &[Subject], clock: &Clock) -> Vec<String> {
        let mut lines = Vec::new();
        for subject in subjects {
            let said = self.said.entry(subject.name.clone()).or_default();
            if said.journal != subject.journal {
                (said.journal, said.happened) = (subject.journal.clone(), 0);
            }
            // A journal that began anew has fewer.
            let news = subject.happened.saturating_sub(said.happened);
            let news = usize::try_from(news).unwrap_or(usize::MAX);
            let kept = subject.events().count();
            for (at, text) in subject.events().skip(kept.saturating_sub(news)) {
                lines.push(format!("{} {}: {text}", clock.second(*at), subject.name));
            }
            said.happened = subject.happened;
            let status = subject.status();
            let now = subject.urgency(&status);
            if said.urgency != Some(now) {
                said.urgency = Some(now);
                let needs = status.needs_you.iter().map(|need| need.what.as_str());
                let needs: Vec<&str> = needs.collect();
                let said = match needs.as_slice() {
                    [] => now.name().to_owned(),
                    needs => format!("{}: {}", now.name(), needs.join("; ")),
                };
                let time = clock.second(subject.seen.now);
                let night = summary::of(subject.state(), &subject.seen, None);
                let is_over = !status.state.is_under_way();
                let sum = is_over.then(|| format!("; {}", screen::total(&night)));
                let sum = sum.unwrap_or_default();
                lines.push(format!("{time} {}: {said}{sum}", subject.name));
            }
            if let Some(refused) = subject
                .refused
                .as_ref()
                .filter(|_| said.refused != subject.refused)
            {
                lines.push(format!("{}: {refused}", subject.name));
            }
            said.refused.clone_from(&subject.refused);
        }
        lines
    }
}
