//! The four files understood.

use super::document::Document;
use super::item::{Item, List};
use super::labels::{ENGLISH, JAPANESE, LANGUAGES, Labels, Phase, Spoken, after};
use super::{Files, Progress};

/// The headings of one of our sections, one a language.
pub(super) fn headings(of: impl Fn(&Labels) -> &'static str) -> [&'static str; 2] {
    [of(&JAPANESE), of(&ENGLISH)]
}

/// Understands the files; whatever is missing or foreign leaves the default. Never fails: a
/// person may have written anything.
pub fn parse(files: &Files) -> Progress {
    let readme = Document::parse(&files.readme);
    let mut progress = Progress::default();
    for line in &readme.preamble {
        parse_head(line, &mut progress);
    }
    for line in body(&readme, |labels| labels.state) {
        parse_state(line, &mut progress);
    }
    for (text, list) in [
        (&files.completed, &mut progress.done),
        (&files.blocked, &mut progress.blocked),
        (&files.next_actions, &mut progress.next),
    ] {
        let parsed = List::parse(&Document::parse(text).preamble);
        add(list, parsed.items.into_iter().map(|(_, item)| item));
    }
    let shown = List::parse(&uncounted(body(&readme, |labels| labels.done)));
    add(
        &mut progress.done,
        shown.items.into_iter().map(|(_, item)| item),
    );
    let next = List::parse(body(&readme, |labels| labels.next));
    add(
        &mut progress.next,
        next.items.into_iter().map(|(_, item)| item),
    );
    for (ticked, item) in List::parse(body(&readme, |labels| labels.doing)).items {
        // A person ticks what is done where it stands.
        let list = if ticked {
            &mut progress.done
        } else {
            &mut progress.doing
        };
        add(list, [item]);
    }
    progress
}

/// Adds items; of two with one title the first stays, with the notes of both.
fn add(list: &mut Vec<Item>, items: impl IntoIterator<Item = Item>) {
    for item in items {
        match list.iter_mut().find(|known| known.title == item.title) {
            None => list.push(item),
            Some(known) => {
                for note in item.notes {
                    if !known.notes.contains(&note) {
                        known.notes.push(note);
                    }
                }
            }
        }
    }
}

/// The body of one of our sections.
pub(super) fn body(document: &Document, of: impl Fn(&Labels) -> &'static str) -> &[String] {
    document
        .section(headings(of))
        .map_or(&[], |section| &section.body)
}

/// The lines without ours that says how many items are not shown: what stands below it belongs to
/// the item above it.
pub(super) fn uncounted(lines: &[String]) -> Vec<String> {
    let is_count = |line: &String| {
        LANGUAGES.iter().any(|labels| {
            let inner = line
                .strip_prefix(labels.more.0)
                .and_then(|text| text.strip_suffix(labels.more.1));
            inner.is_some_and(|count| count.parse::<usize>().is_ok())
        })
    };
    let kept = lines.iter().filter(|line| !is_count(line));
    kept.cloned().collect()
}

/// Takes a line of the summary's head; false when it is not ours.
pub(super) fn parse_head(line: &str, progress: &mut Progress) -> bool {
    if let Some(project) = after(line, |labels| labels.title) {
        project.clone_into(&mut progress.project);
        return true;
    }
    let Some(rest) = after(line, |labels| labels.updated) else {
        return false;
    };
    let split = |labels: &&Labels| rest.split_once(labels.by);
    let (updated, session) = LANGUAGES.iter().find_map(split).unwrap_or((rest, ""));
    progress.updated = full(updated);
    progress.session = full(session);
    true
}

/// Takes a line of the state section; false when it is not ours.
pub(super) fn parse_state(line: &str, progress: &mut Progress) -> bool {
    if let Some(word) = after(line, |labels| labels.phase) {
        progress.phase = Phase::parse(word).unwrap_or_default();
    } else if let Some(text) = after(line, |labels| labels.percent) {
        let percent = text.trim_end_matches('%').parse().unwrap_or(0);
        progress.percent = u8::min(percent, 100);
    } else if let Some(text) = after(line, |labels| labels.iteration) {
        let number = |text: &str| text.trim().parse().ok();
        progress.iteration = text
            .split_once('/')
            .and_then(|(at, of)| Some((number(at)?, number(of)?)));
    } else if let Some(text) = after(line, |labels| labels.result) {
        progress.result = full(text).map(Spoken::read);
    } else if let Some(text) = after(line, |labels| labels.needs) {
        progress.needs = full(text);
    } else {
        return after(line, |labels| labels.blockers).is_some();
    }
    true
}

fn full(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
