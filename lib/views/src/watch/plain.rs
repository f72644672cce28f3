//! The view as lines that are only ever appended: for logs, pipes and terminals that cannot move
//! their cursor.

use super::subject::Subject;
use super::{NEEDS_MAX, Urgency};
use crate::report::Clock;
use crate::status::{Life, Seen};
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
                let time = clock.second(subject.seen.now);
                lines.push(format!(
                    "{time} {}: {}",
                    subject.name,
                    stands(subject, subjects, now)
                ));
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

/// Where it stands now, what it needs, and, of one that nobody drives, what it came to and which
/// agents live on.
fn stands(subject: &Subject, all: &[Subject], now: Urgency) -> String {
    let status = subject.status();
    let needs = status.needs_you.iter().map(|need| need.what.clone());
    let mut told: Vec<String> = needs.take(NEEDS_MAX).collect();
    let more = status.needs_you.len().saturating_sub(NEEDS_MAX);
    if more > 0 {
        told.push(format!("and {more} more: overnight status {}", status.run));
    }
    if !status.state.is_under_way() {
        // Whoever paused it is told so, whatever it needs besides.
        let paused = status.state == Life::Paused;
        told.extend(status.summary.clone().filter(|_| paused));
        let seen = Seen {
            open_usd: subject.open_usd(all.iter()),
            ..subject.seen.clone()
        };
        let night = summary::of(subject.state(), &seen, None);
        told.extend(screen::alive(&night));
        told.push(screen::total(&night));
    }
    // A blocked task says that it is.
    let told = told.join("; ");
    let name = now.name();
    match told.strip_prefix(name) {
        _ if told.is_empty() => name.to_owned(),
        Some(rest) if rest.starts_with(": ") => told,
        _ => format!("{name}: {told}"),
    }
}
