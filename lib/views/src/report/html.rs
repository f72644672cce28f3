//! The report as one HTML file: no network, everything escaped, worst first. Its only script copies
//! a command when its button is pressed; the policy names it by its hash.

mod copy;
mod more;
mod tasks;
mod timeline;

use super::words::count;
use super::{Clock, Facts, Report};
use crate::summary::{ChangedTest, Need, NeedKind, screen};
use std::fmt::Write;

/// The style; colours have a contrast of at least 4.5:1 on their ground in both schemes.
const STYLE: &str = include_str!("html/style.css");
/// Needs that are told in full: with them and what is not done, three screens of a phone are full.
const NEEDS_MAX: usize = 8;

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
        sentence = escape(&report.sentence),
        sum = escape(&screen::sum(night)),
    );
    pull_request(&mut out, report);
    out.push_str("</header>\n");
    contents(&mut out);
    out.push_str("<main>\n");
    needs(&mut out, report);
    tasks::left(&mut out, report, facts);
    tasks::done(&mut out, report);
    more::changes(&mut out, report, facts);
    section(&mut out, "timeline");
    timeline::draw(&mut out, report, clock);
    out.push_str("</section>\n");
    more::acceptance(&mut out, report);
    more::wrong(&mut out, report);
    more::figures(&mut out, report, facts);
    more::iterations(&mut out, report, clock);
    out.push_str("</main>\n");
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

/// Text that cannot become markup, in content and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
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
    let alive = screen::alive(&report.night);
    if report.needs.is_empty() && alive.is_empty() {
        out.push_str(if report.left.is_empty() {
            "<p>Nothing.</p>\n"
        } else {
            "<p>Nothing has to be answered; what comes next stands <a href=\"#left\">below</a>.</p>\n"
        });
    } else {
        out.push_str("<ul class=\"cards\">");
        for line in &alive {
            let _ = writeln!(out, "<li class=\"need\">{}</li>", escape(line));
        }
        // Questions and what agents ask for come first in the list; blocked tasks may be many.
        let asked = report
            .needs
            .iter()
            .filter(|need| need.kind != NeedKind::Blocked)
            .count();
        let told = report.needs.len().min(NEEDS_MAX.max(asked));
        for need in &report.needs[..told] {
            one_need(out, need);
        }
        out.push_str("</ul>\n");
        further(out, &report.needs[told..]);
    }
    out.push_str("</section>\n");
}

fn one_need(out: &mut String, need: &Need) {
    let _ = write!(out, "<li class=\"need\">{}", escape(&need.what));
    let sides = need.changed_tests.iter().flat_map(ChangedTest::lines);
    let sides: Vec<String> = sides.map(|line| escape(&line)).collect();
    if !sides.is_empty() {
        let _ = write!(out, "<pre>{}</pre>", sides.join("\n"));
    }
    for command in &need.commands {
        out.push_str("<br>");
        copy::command(out, command);
    }
    out.push_str("</li>\n");
}

/// What is blocked besides, by name: each stands below with its message.
fn further(out: &mut String, needs: &[Need]) {
    if needs.is_empty() {
        return;
    }
    let names: Vec<String> = needs
        .iter()
        .filter_map(|need| need.task.as_deref())
        .map(escape)
        .collect();
    let _ = writeln!(
        out,
        "<details class=\"more\"><summary>{} blocked too; each stands below</summary><p>{}</p></details>",
        count(needs.len(), "task"),
        names.join(", ")
    );
}
