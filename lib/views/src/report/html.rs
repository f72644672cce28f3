//! The report as one HTML file: no network, everything escaped, worst first. Its only script copies
//! a command when its button is pressed; the policy names it by its hash.

mod copy;
mod link;
mod more;
mod tasks;
mod timeline;

use super::words::{self, count};
use super::{Clock, Facts, Report};
use crate::summary::{ChangedTest, Need, NeedKind, Summary, screen};
use overnight_base::text::one_line;
use std::fmt::Write;

pub use link::relinked;

/// The style; colours have a contrast of at least 4.5:1 on their ground in both schemes.
const STYLE: &str = include_str!("html/style.css");
/// Needs that are told in full where there are no more; of more the first ones, the next ones in a line
/// that opens: all of them stand within three screens of a phone.
const NEEDS_MAX: usize = 8;
const NEEDS_FIRST: usize = 4;
const NEEDS_SHORT: usize = 18;
/// Characters of a need in a line.
const NEED_CHARS: usize = 100;

/// The whole page.
pub fn render(report: &Report, facts: &Facts, clock: &Clock) -> String {
    let night = &report.night;
    let mut out = String::with_capacity(16_384 + report.iterations.len() * 256);
    let ending = format!("{:?}", report.ending).to_lowercase();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src {policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{word}, {done} of {total} done: {goal}</title>\n<style>\n{STYLE}</style></head>\n<body>\n\
         <header><p>Overnight, run {run}</p><h1>{goal}</h1>\n<p class=\"sentence {ending}\">{sentence}</p>\n<p class=\"sum\">{sum}</p>\n",
        policy = copy::policy(),
        word = report.ending.word(),
        done = night.done.all(),
        total = night.total,
        goal = escape(&report.goal),
        run = escape(&report.run),
        sentence = escape(&words::sentence(night, clock)),
        sum = escape(&screen::sum(night)),
    );
    pull_request(&mut out, report);
    out.push_str("</header>\n");
    contents(&mut out);
    out.push_str("<main>\n");
    needs(&mut out, report);
    tasks::left(&mut out, report, facts);
    tasks::done(&mut out, report);
    tasks::machines(&mut out, report);
    more::changes(&mut out, report, facts);
    section(&mut out, "timeline");
    timeline::draw(&mut out, report, clock);
    out.push_str("</section>\n");
    more::acceptance(&mut out, report);
    more::wrong(&mut out, report);
    more::figures(&mut out, report, facts);
    more::iterations(&mut out, (report, facts), clock);
    out.push_str("</main>\n");
    out.push_str(&data(night));
    out.push_str(&copy::script());
    out.push_str("</body></html>\n");
    out
}

/// The sections in order: their anchors and headings. The sentence is the first, in the header.
const SECTIONS: [(&str, &str); 9] = [
    ("needs", "Needs you"),
    ("left", "Not done"),
    ("done", "Done"),
    ("changes", "What changed"),
    ("timeline", "Timeline"),
    ("acceptance", "Acceptance"),
    ("wrong", "What went wrong"),
    ("figures", "Figures"),
    ("iterations", "Every iteration"),
];

fn contents(out: &mut String) {
    out.push_str("<nav aria-label=\"Sections\"><ul>");
    for (id, title) in SECTIONS {
        let _ = write!(out, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    out.push_str("</ul></nav>\n");
}

fn section(out: &mut String, id: &str) {
    let title = SECTIONS.iter().find(|(known, _)| *known == id);
    let title = title.map_or("", |(_, title)| title);
    let _ = writeln!(
        out,
        "<section id=\"{id}\" aria-labelledby=\"{id}-h\"><h2 id=\"{id}-h\">{title}</h2>"
    );
}

/// The summary for programs, as `lib-docs/summary.schema.json` has it: no script, and nothing in it can
/// end the element.
fn data(night: &Summary) -> String {
    let json = serde_json::to_string(night).unwrap_or_default();
    let json = json.replace('<', "\\u003c");
    format!("<SCRIPT type=\"application/json\" id=\"night\">{json}</SCRIPT>\n")
}

/// Text that cannot become markup, in content and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let markup = |byte: u8| matches!(byte, b'<' | b'>' | b'&' | b'"' | b'\'');
    while let Some(at) = rest.bytes().position(markup) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'&' => "&amp;",
            b'"' => "&quot;",
            _ => "&#39;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out
}

/// The pull request: a link where it has an address that a browser opens, else its command.
fn pull_request(out: &mut String, report: &Report) {
    let Some(pull_request) = &report.night.pull_request else {
        return;
    };
    match (&pull_request.url, &pull_request.command) {
        (Some(url), _) if url.starts_with("https://") => {
            let url = escape(url);
            let _ = writeln!(out, "<p>Pull request: <a href=\"{url}\">{url}</a></p>");
        }
        (_, Some(command)) => {
            out.push_str("<p>Pull request: not opened; it opens with ");
            copy::command(out, command);
            out.push_str("</p>\n");
        }
        _ => {}
    }
}

fn needs(out: &mut String, report: &Report) {
    section(out, "needs");
    let alive: Vec<_> = screen::left_alive(&report.night).collect();
    if report.needs.is_empty() && alive.is_empty() {
        out.push_str(if report.left.is_empty() {
            "<p>Nothing.</p>\n"
        } else {
            "<p>Nothing has to be answered; what comes next stands <a href=\"#left\">below</a>.</p>\n"
        });
    } else {
        out.push_str("<ul class=\"cards\">");
        for (words, ends) in &alive {
            let _ = write!(out, "<li class=\"need\">{}<br>", escape(words));
            copy::command(out, ends);
            out.push_str("</li>\n");
        }
        let all = &report.needs;
        let first = if all.len() > NEEDS_MAX {
            NEEDS_FIRST
        } else {
            all.len()
        };
        let (first, more) = all.split_at(first);
        // Questions and what agents ask for come first in the list; blocked tasks stand below, too.
        let asked = more.iter().filter(|need| need.kind != NeedKind::Blocked);
        let (short, rest) = more.split_at(asked.count().min(NEEDS_SHORT));
        for need in first {
            one_need(out, &report.night, need);
        }
        for need in short {
            short_need(out, &report.night, need);
        }
        out.push_str("</ul>\n");
        further(out, &report.run, rest);
        if let Some(command) = report.night.goes_on() {
            out.push_str("<p>Then: ");
            copy::command(out, command);
            out.push_str("</p>\n");
        }
    }
    out.push_str("</section>\n");
}

fn one_need(out: &mut String, night: &Summary, need: &Need) {
    let what = need.beside(night.about(need));
    let _ = write!(out, "<li class=\"need\">{}", escape(what));
    let sides = need.changed_tests.iter().flat_map(ChangedTest::lines);
    let sides: Vec<String> = sides.map(|line| escape(&line)).collect();
    if !sides.is_empty() {
        let _ = write!(out, "<pre>{}</pre>", sides.join("\n"));
    }
    for command in night.answers(need) {
        out.push_str("<br>");
        copy::command(out, command);
    }
    out.push_str("</li>\n");
}

/// In a line that opens to the commands.
fn short_need(out: &mut String, night: &Summary, need: &Need) {
    let what = escape(&one_line(&need.what, NEED_CHARS));
    let _ = write!(
        out,
        "<li class=\"need short\"><details><summary>{what}</summary>"
    );
    if what.ends_with('…') {
        let _ = write!(out, "<p>{}</p>", escape(&need.what));
    }
    for command in night.answers(need) {
        copy::command(out, command);
        out.push_str("<br>");
    }
    out.push_str("</details></li>\n");
}

/// What is not told above, by name.
fn further(out: &mut String, run: &str, needs: &[Need]) {
    if needs.is_empty() {
        return;
    }
    let blocked = needs.iter().all(|need| need.kind == NeedKind::Blocked);
    let words = if blocked {
        format!(
            "{} blocked too; each stands below",
            count(needs.len(), "task")
        )
    } else {
        format!("and {} more: overnight status {}", needs.len(), escape(run))
    };
    let names: Vec<String> = needs
        .iter()
        .filter_map(|need| need.task.as_deref())
        .map(escape)
        .collect();
    let _ = writeln!(
        out,
        "<details class=\"more\"><summary>{words}</summary><p>{}</p></details>",
        names.join(", ")
    );
}
