//! A Markdown file as a preamble and its sections of the second level.

/// A section: `## heading` and the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) body: Vec<String>,
}

/// A file. Every line of the text stands in exactly one place of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) preamble: Vec<String>,
    pub(super) sections: Vec<Section>,
}

impl Document {
    pub(super) fn parse(text: &str) -> Self {
        let mut document = Self::default();
        let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
        for (line, inside) in lines.iter().zip(fenced(&lines)) {
            match line.strip_prefix("## ") {
                Some(heading) if !inside => document.sections.push(Section {
                    heading: heading.trim().to_owned(),
                    body: Vec::new(),
                }),
                _ => document
                    .sections
                    .last_mut()
                    .map_or(&mut document.preamble, |section| &mut section.body)
                    .push((*line).to_owned()),
            }
        }
        document
    }

    /// The first section with one of these headings.
    pub(super) fn section(&self, headings: [&str; 2]) -> Option<&Section> {
        let ours = |section: &&Section| headings.contains(&section.heading.as_str());
        self.sections.iter().find(ours)
    }

    /// Replaces the body of the first section with one of these headings, or adds it at the end.
    pub(super) fn put(&mut self, headings: [&str; 2], heading: &str, body: Vec<String>) {
        let ours = |section: &&mut Section| headings.contains(&section.heading.as_str());
        match self.sections.iter_mut().find(ours) {
            Some(section) => section.body = body,
            None => self.sections.push(Section {
                heading: heading.to_owned(),
                body,
            }),
        }
    }

    /// The text: blocks apart by one blank line, a newline at the end.
    pub(super) fn text(&self) -> String {
        let mut text = block(&self.preamble);
        for section in &self.sections {
            if !text.is_empty() {
                text.push('\n');
            }
            for part in ["## ", &section.heading, "\n", &block(&section.body)] {
                text.push_str(part);
            }
        }
        text
    }
}

fn block(lines: &[String]) -> String {
    let lines = trimmed(lines).iter();
    lines.flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// The lines without blank ones at both ends.
pub(super) fn trimmed(lines: &[String]) -> &[String] {
    let full = |line: &String| !line.trim().is_empty();
    match (lines.iter().position(full), lines.iter().rposition(full)) {
        (Some(first), Some(last)) => &lines[first..=last],
        _ => &[],
    }
}

/// For each line, whether it belongs to a fenced code block. A fence that nothing closes is none:
/// it must not swallow the rest of the file.
pub(super) fn fenced(lines: &[&str]) -> Vec<bool> {
    let mut inside = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let closing = opening(lines[at]).and_then(|open| {
            let rest = lines[at + 1..].iter();
            rest.copied().position(|line| closes(line, open))
        });
        match closing {
            Some(length) => {
                inside[at..=at + 1 + length].fill(true);
                at += length + 2;
            }
            None if opening(lines[at]).is_some() => break,
            None => at += 1,
        }
    }
    inside
}

/// The fence that a line opens: its character and length.
fn opening(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

fn closes(line: &str, (mark, least): (char, usize)) -> bool {
    let line = line.trim();
    line.len() >= least && line.chars().all(|c| c == mark)
}
