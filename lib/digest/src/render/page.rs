//! A page with room for so many lines and bytes.

use super::super::clean::cut_end;

/// The most bytes of one line.
const LINE_MAX: usize = 900;
/// The same of a line that lists places.
const WIDE_MAX: usize = 2_600;

/// Lines that fit.
#[derive(Debug, Clone)]
pub(super) struct Page {
    text: Vec<String>,
    lines: usize,
    bytes: usize,
    /// Lines and bytes kept for the end.
    kept: (usize, usize),
    /// Where the rows of a failing test end, and its number.
    sections: Vec<(usize, usize)>,
}

impl Page {
    pub(super) fn new(lines: usize, bytes: usize) -> Self {
        Self {
            text: Vec::new(),
            lines,
            bytes,
            kept: (0, 0),
            sections: Vec::new(),
        }
    }

    /// Keeps room for these lines.
    pub(super) fn reserve(&mut self, footer: &[String]) {
        self.kept = (footer.len(), footer.iter().map(|line| line.len() + 1).sum());
    }

    /// Lines that still fit.
    pub(super) fn lines(&self) -> usize {
        self.lines.saturating_sub(self.kept.0)
    }

    /// Bytes that still fit.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.saturating_sub(self.kept.1)
    }

    /// Bytes of the rows so far and of the end.
    pub(super) fn used(&self) -> usize {
        self.rows().map(|row| row.len() + 1).sum::<usize>() + self.kept.1
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &str> {
        self.text.iter().map(String::as_str)
    }

    /// The rows of this failing test end here.
    pub(super) fn end_section(&mut self, failure: usize) {
        self.sections.push((self.text.len(), failure));
    }

    pub(super) fn sections(&self) -> Vec<(usize, usize)> {
        self.sections.clone()
    }

    /// Puts lines that fit above this row; on rows of so many bytes, if they are to share some.
    pub(super) fn put(&mut self, row: usize, lines: &[String], shared: Option<(usize, &str)>) {
        let below = self.text.split_off(row);
        for line in lines {
            if let (Some((most, apart)), Some(last)) = (shared, self.text.last_mut())
                && last.len() + apart.len() + line.len() <= most
            {
                let more = one_line(&format!("{apart}{line}"));
                if more.len() < self.bytes.saturating_sub(self.kept.1) {
                    self.bytes -= more.len();
                    last.push_str(&more);
                }
            } else {
                self.push(&format!("    {line}"));
            }
        }
        self.text.extend(below);
    }

    /// Adds the first line, without its end if it does not fit: it says whether the run failed.
    pub(super) fn title(&mut self, line: &str) {
        self.push(&cut_end(line, self.bytes().saturating_sub(1)));
    }

    /// Adds a line if it fits.
    pub(super) fn push(&mut self, line: &str) -> bool {
        self.push_cut(line, LINE_MAX)
    }

    /// The same for a line that lists places.
    pub(super) fn push_wide(&mut self, line: &str) -> bool {
        self.push_cut(line, WIDE_MAX)
    }

    fn push_cut(&mut self, line: &str, max: usize) -> bool {
        let line = one_line(&cut_end(line, max));
        let fits = self.lines() > 0 && line.len() < self.bytes();
        if fits {
            self.lines -= 1;
            self.bytes -= line.len() + 1;
            self.text.push(line);
        }
        fits
    }

    /// The page with its last lines. When even these do not fit, the first of them go first.
    pub(super) fn finish(mut self, footer: &[String]) -> String {
        self.kept = (0, 0);
        let first = self.text.is_empty();
        for (at, line) in footer.iter().enumerate() {
            let whole = one_line(line);
            if self.lines > 0 && whole.len() < self.bytes {
                self.lines -= 1;
                self.bytes -= whole.len() + 1;
                self.text.push(whole);
            } else if first && at == 0 && self.bytes > 8 {
                self.text.push(cut_end(&whole, self.bytes - 1).into_owned());
                break;
            }
        }
        let mut text = self.text.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }
}

/// The text without anything that moves the cursor.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|found| {
            if found.is_control() && found != '\t' {
                ' '
            } else {
                found
            }
        })
        .collect()
}
