//! The line that a marker stands on.

use crate::marker::Marker;
use crate::scan::MARKER_MAX;
use memchr::{memchr, memmem};

/// How a line begins, up to the marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    /// Where the line begins in the buffer.
    pub(super) at: usize,
    /// Blanks before the marker.
    pub(super) indent: usize,
    /// Is a tab among them?
    pub(super) tab: bool,
    /// The emphasis right before the marker: `**`, `_`, or nothing.
    pub(super) bold: usize,
}

/// What stands at the marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// Closed at the end of a line; `length` up to and with the closing tag.
    Closed { summary: String, length: usize },
    /// Other text follows on the line.
    Inline,
    /// A second opening tag before the end, or a second closing one.
    Nested { length: usize },
    /// No closing tag within reach.
    Unclosed,
}

/// The line's beginning, if only blanks and emphasis stand between it and `hit`.
pub(super) fn start(buffer: &[u8], hit: usize) -> Option<Start> {
    const PREFIX_MAX: usize = 64;
    let mut at = hit;
    let mut bold = 0;
    while at > 0 && matches!(buffer[at - 1], b'*' | b'_') && bold < 3 {
        at -= 1;
        bold += 1;
    }
    let mut tab = false;
    let mut indent = 0;
    while at > 0 && matches!(buffer[at - 1], b' ' | b'\t') && indent < PREFIX_MAX {
        at -= 1;
        indent += 1;
        tab |= buffer[at] == b'\t';
    }
    let begins = at == 0 || buffer[at - 1] == b'\n';
    begins.then_some(Start {
        at,
        indent,
        tab,
        bold,
    })
}

/// Reads the marker at the start of `text`.
pub(super) fn read(text: &[u8], marker: &Marker, bold: usize) -> Found {
    let (open, close) = (marker.open.as_bytes(), marker.close.as_bytes());
    let inner = &text[open.len()..];
    let line_end = memchr(b'\n', inner).unwrap_or(inner.len());
    let reach = if memmem::find(&inner[..line_end], close).is_some() {
        line_end
    } else {
        inner.len().min(MARKER_MAX)
    };
    let Some(end) = memmem::find(&inner[..reach], close) else {
        return Found::Unclosed;
    };
    let after = end + close.len();
    let rest_end = memchr(b'\n', &inner[after..]).map_or(inner.len(), |newline| after + newline);
    let rest = inner[after..rest_end].trim_ascii();
    let length = open.len() + after;
    let (summary, several_lines) = (&inner[..end], end > line_end);
    let repeated = memmem::find(rest, open).is_some() || memmem::find(rest, close).is_some();
    if memmem::find(summary, open).is_some() || repeated {
        return Found::Nested {
            length: open.len() + rest_end,
        };
    }
    let emphasis = rest.len() == bold && rest.iter().all(|byte| matches!(byte, b'*' | b'_'));
    if !emphasis {
        return Found::Inline;
    }
    let fenced = several_lines
        && (memmem::find(summary, b"\n```").is_some() || memmem::find(summary, b"\n~~~").is_some());
    if fenced {
        return Found::Unclosed;
    }
    let summary = String::from_utf8_lossy(summary).into_owned();
    Found::Closed { summary, length }
}

/// The last lines of `text` within `bytes_max`: at most twelve that are not blank.
pub(super) fn last_lines(text: &str, bytes_max: usize) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut bytes = 0;
    for line in text.lines().rev().filter(|line| !line.trim().is_empty()) {
        bytes += line.len();
        if kept.len() == 12 || (bytes > bytes_max && !kept.is_empty()) {
            break;
        }
        kept.push(line);
    }
    kept.reverse();
    kept.join("\n")
}
