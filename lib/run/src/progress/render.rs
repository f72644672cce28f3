//! The model written into the files, around what people added to them.

use super::document::{Document, trimmed};
use super::item::{Item, List};
use super::labels::{LANGUAGES, Labels, Language};
use super::parse::{body, headings, parse_head, parse_state, uncounted};
use super::{DONE_SHOWN_MAX, Files, Progress, Stamp};

/// Renders the model into the files as they stand, in their language; new ones in this one. Sections, notes and free text that are not
/// ours stay; rendering twice is rendering once.
pub fn render(progress: &Progress, existing: &Files, language: Language) -> Files {
    let mut readme = Document::parse(&existing.readme);
    let labels = Labels::of(&readme, language);
    readme.preamble = head(progress, labels, &readme.preamble);
    let state = state(progress, labels, body(&readme, |labels| labels.state));
    readme.put(headings(|labels| labels.state), labels.state, state);
    let done = done_shown(progress, labels, body(&readme, |labels| labels.done));
    readme.put(headings(|labels| labels.done), labels.done, done);
    let doing = progress.doing.iter().flat_map(|item| {
        let line = format!("- [ ] {}", item.text(labels, Some(labels.started_at)));
        std::iter::once(line).chain(item.below(labels.reason))
    });
    let doing = with_extra(doing.collect(), body(&readme, |labels| labels.doing));
    readme.put(headings(|labels| labels.doing), labels.doing, doing);
    let next = numbered(&progress.next, labels, false);
    let next = with_extra(next, body(&readme, |labels| labels.next));
    readme.put(headings(|labels| labels.next), labels.next, next);
    Files {
        readme: readme.text(),
        completed: list_file(
            &existing.completed,
            labels.completed_title,
            boxed(&progress.done, 'x', labels, labels.done_at),
        ),
        blocked: list_file(
            &existing.blocked,
            labels.blocked_title,
            boxed(&progress.blocked, ' ', labels, labels.blocked_at),
        ),
        next_actions: list_file(
            &existing.next_actions,
            labels.next_title,
            numbered(&progress.next, labels, true),
        ),
    }
}

/// The summary with another time and session in its head, and nothing else changed; `None` where it has no
/// such line.
pub fn signed(readme: &str, stamp: &Stamp) -> Option<String> {
    let mut lines: Vec<String> = readme.split('\n').map(str::to_owned).collect();
    let is_section = |line: &String| line.starts_with("## ");
    let head = lines.iter().position(is_section).unwrap_or(lines.len());
    let spoken = |line: &String| {
        LANGUAGES
            .iter()
            .find(|labels| line.starts_with(labels.updated))
    };
    let (line, labels) = lines[..head]
        .iter_mut()
        .find_map(|line| spoken(line).map(|labels| (line, labels)))?;
    *line = format!(
        "{}{}{}{}",
        labels.updated,
        stamp.when,
        labels.by,
        stamp.label()
    );
    Some(lines.join("\n"))
}

fn head(progress: &Progress, labels: &Labels, old: &[String]) -> Vec<String> {
    let mut lines = vec![format!("{}{}", labels.title, progress.project)];
    let session = progress
        .session
        .as_deref()
        .map(|session| format!("{}{session}", labels.by));
    lines.push(format!(
        "{}{}{}",
        labels.updated,
        progress.updated.as_deref().unwrap_or("-"),
        session.unwrap_or_default()
    ));
    append(lines, &rest(old, parse_head))
}

fn state(progress: &Progress, labels: &Labels, old: &[String]) -> Vec<String> {
    let titles: Vec<&str> = progress
        .blocked
        .iter()
        .map(|item| item.title.as_str())
        .collect();
    let blockers = if titles.is_empty() {
        labels.no_blockers.to_owned()
    } else {
        titles.join(" / ")
    };
    let mut lines = vec![
        format!("{}{}", labels.phase, progress.phase.word(labels)),
        format!("{}{}%", labels.percent, progress.percent),
        format!("{}{blockers}", labels.blockers),
    ];
    lines.extend(
        progress
            .iteration
            .map(|(at, of)| format!("{}{at}/{of}", labels.iteration)),
    );
    lines.extend(
        progress
            .result
            .iter()
            .map(|result| format!("{}{}", labels.result, (labels.said)(result))),
    );
    let needs = progress.needs.iter();
    lines.extend(needs.map(|needs| format!("{}{needs}", labels.needs)));
    append(lines, &rest(old, parse_state))
}

/// The lines that are not ours.
fn rest(old: &[String], ours: impl Fn(&str, &mut Progress) -> bool) -> Vec<String> {
    let mut scratch = Progress::default();
    let foreign = old.iter().filter(|line| !ours(line, &mut scratch));
    foreign.cloned().collect()
}

fn done_shown(progress: &Progress, labels: &Labels, old: &[String]) -> Vec<String> {
    let hidden = progress.done.len().saturating_sub(DONE_SHOWN_MAX);
    let mut lines = Vec::new();
    if hidden > 0 {
        lines.push(format!("{}{hidden}{}", labels.more.0, labels.more.1));
    }
    let shown = progress.done[hidden..].iter();
    lines.extend(shown.map(|item| format!("- [x] {}", item.text(labels, None))));
    with_extra(lines, &uncounted(old))
}

fn boxed(items: &[Item], mark: char, labels: &Labels, at: &str) -> Vec<String> {
    let below = if mark == 'x' {
        labels.summary
    } else {
        labels.reason
    };
    let lines = |item: &Item| {
        let line = format!("- [{mark}] {}", item.text(labels, Some(at)));
        std::iter::once(line)
            .chain(item.below(below))
            .collect::<Vec<_>>()
    };
    items.iter().flat_map(lines).collect()
}

fn numbered(items: &[Item], labels: &Labels, notes: bool) -> Vec<String> {
    let lines = |(index, item): (usize, &Item)| {
        let line = format!("{}. {}", index + 1, item.text(labels, None));
        let below = if notes {
            item.below(labels.reason)
        } else {
            Vec::new()
        };
        std::iter::once(line).chain(below).collect::<Vec<_>>()
    };
    items.iter().enumerate().flat_map(lines).collect()
}

/// Our lines, then what else stood in the section.
fn with_extra(lines: Vec<String>, old: &[String]) -> Vec<String> {
    append(lines, &List::parse(old).extra)
}

fn append(mut lines: Vec<String>, extra: &[String]) -> Vec<String> {
    let extra = trimmed(extra);
    if !extra.is_empty() && !lines.is_empty() {
        lines.push(String::new());
    }
    lines.extend_from_slice(extra);
    lines
}

/// A file that is one list: its title, our lines, then what else stood in it.
fn list_file(existing: &str, title: &str, lines: Vec<String>) -> String {
    let mut document = Document::parse(existing);
    let mut extra = List::parse(&document.preamble).extra;
    let titled = extra.first().is_some_and(|line| line.starts_with("# "));
    let mut whole = vec![if titled {
        extra.remove(0)
    } else {
        title.to_owned()
    }];
    if !lines.is_empty() {
        whole.push(String::new());
        whole.extend(lines);
    }
    document.preamble = append(whole, &extra);
    document.text()
}
