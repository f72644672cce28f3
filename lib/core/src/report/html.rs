//! The report as one HTML file: no script, no network, everything escaped.

mod timeline;

use super::facts::Past;
use super::markdown::{details, verdict};
use super::words::{count, dollars, length};
use super::{Clock, Facts, Report};
use std::fmt::Write;

/// The style; colours have a contrast of at least 4.5:1 on their ground in both schemes.
const STYLE: &str = include_str!("html/style.css");

/// The whole page.
pub fn render(report: &Report, facts: &Facts, clock: &Clock) -> String {
    let mut out = String::with_capacity(16_384 + report.iterations.len() * 256);
    let ending = format!("{:?}", report.ending).to_lowercase();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Overnight: {title}</title>\n<style>\n{STYLE}</style></head>\n<body>\n\
         <header><p>Overnight, run {run}</p><h1>{title}</h1>\n<p class=\"sentence {ending}\">{sentence}</p></header>\n",
        title = escape(&report.goal),
        run = escape(&report.run),
        sentence = escape(&report.sentence),
    );
    contents(&mut out);
    out.push_str("<main>\n");
    needs(&mut out, report);
    acceptance(&mut out, report);
    changes(&mut out, facts);
    section(&mut out, 4);
    timeline::draw(&mut out, report, clock);
    out.push_str("</section>\n");
    wrong(&mut out, report);
    figures(&mut out, report, facts);
    left(&mut out, report, facts);
    iterations(&mut out, report, clock);
    out.push_str("</main>\n</body></html>\n");
    out
}

/// The sections in order: their anchors and headings. The sentence is the first, in the header.
const SECTIONS: [(&str, &str); 9] = [
    ("sentence", "In one sentence"),
    ("needs", "Needs you"),
    ("acceptance", "Acceptance"),
    ("changes", "What changed"),
    ("timeline", "Timeline"),
    ("wrong", "What went wrong"),
    ("figures", "Figures"),
    ("left", "Not done, next actions"),
    ("iterations", "Every iteration"),
];

fn contents(out: &mut String) {
    out.push_str("<nav aria-label=\"Sections\"><ul>");
    for (id, title) in &SECTIONS[1..] {
        let _ = write!(out, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    out.push_str("</ul></nav>\n");
}

fn section(out: &mut String, number: usize) {
    let Some((id, title)) = SECTIONS.get(number) else {
        return;
    };
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

fn needs(out: &mut String, report: &Report) {
    section(out, 1);
    if report.needs.is_empty() {
        out.push_str(if report.left.is_empty() {
            "<p>Nothing.</p>\n"
        } else {
            "<p>Nothing has to be answered; what comes next stands <a href=\"#left\">below</a>.</p>\n"
        });
    } else {
        out.push_str("<ul>");
        for need in &report.needs {
            let _ = write!(out, "<li>{}", escape(&need.what));
            for command in &need.commands {
                let _ = write!(out, "<br><code>{}</code>", escape(command));
            }
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
}

/// Opens a table in a frame that scrolls by itself on a narrow screen, by keyboard too.
fn table(out: &mut String, caption: &str, heads: &[&str]) {
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\"><table><caption>{caption}</caption><thead><tr>"
    );
    for head in heads {
        let _ = write!(out, "<th scope=\"col\">{head}</th>");
    }
    out.push_str("</tr></thead><tbody>\n");
}

const TABLE_END: &str = "</tbody></table></div>\n";

fn acceptance(out: &mut String, report: &Report) {
    section(out, 2);
    let [met, not_met, not_checked] = report.checked();
    let caption = format!("{not_met} not met, {not_checked} not checked, {met} met");
    let heads = ["Task", "Result", "Criterion", "Evidence"];
    table(out, &caption, &heads);
    for row in &report.acceptance {
        let word = row.met.word();
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"{}\">{word}</td><td class=\"text\">{}</td><td class=\"text\">{}</td></tr>",
            escape(&row.task),
            word.replace(' ', "-"),
            escape(&row.text),
            escape(&row.evidence)
        );
    }
    let _ = writeln!(out, "{TABLE_END}</section>");
}

fn changes(out: &mut String, facts: &Facts) {
    section(out, 3);
    let Some(changes) = &facts.changes else {
        out.push_str(
            "<p>Unknown: there is no git repository, or no commit at the start.</p></section>\n",
        );
        return;
    };
    let _ = writeln!(
        out,
        "<p>{} on <code>{}</code>, {} changed (uncommitted work included).</p>",
        count(changes.commits_count, "commit"),
        escape(changes.branch.as_deref().unwrap_or("(no branch)")),
        count(changes.files_count, "file")
    );
    if !changes.commits.is_empty() {
        out.push_str("<ul>");
        for commit in &changes.commits {
            let _ = writeln!(out, "<li>{}</li>", escape(commit));
        }
        out.push_str("</ul>\n");
    }
    if !changes.files.is_empty() {
        table(
            out,
            "Files worth a look",
            &["File", "Why", "Lines added", "Lines removed"],
        );
        for file in &changes.files {
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
                escape(&file.path),
                file.why(),
                file.added,
                file.removed
            );
        }
        out.push_str(TABLE_END);
    }
    out.push_str("</section>\n");
}

fn wrong(out: &mut String, report: &Report) {
    section(out, 5);
    if report.wrong.is_empty() {
        out.push_str("<p>Nothing that was noticed.</p></section>\n");
        return;
    }
    out.push_str("<ul>");
    for (what, times) in report.worst() {
        let _ = writeln!(out, "<li><strong>{times} ×</strong> {}</li>", escape(what));
    }
    out.push_str("</ul></section>\n");
}

fn figures(out: &mut String, report: &Report, facts: &Facts) {
    section(out, 6);
    let totals = &report.totals;
    let _ = writeln!(
        out,
        "<p>Working {}, waiting {}, at the usage limit {}.</p>",
        length(totals.worked_ms),
        length(totals.waited_ms),
        length(totals.limited_ms)
    );
    let own = report.past();
    let runs: Vec<_> = facts.past.iter().chain([&own]).collect();
    if facts.past.is_empty() {
        out.push_str("<p>There is no run before it to compare with.</p>");
    } else {
        plots(out, &runs);
    }
    table(
        out,
        "This run, and those before it",
        &["Run", "Iterations", "Cost", "Time", "All done"],
    );
    for (at, run) in runs.into_iter().rev().enumerate() {
        let own = if at == 0 { " (this one)" } else { "" };
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}{own}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&run.run),
            run.iterations,
            dollars(run.cost_usd),
            length(run.lasted_ms),
            if run.done { "yes" } else { "no" }
        );
    }
    let _ = writeln!(out, "{TABLE_END}</section>");
}

/// One small plot a figure, oldest run first.
fn plots(out: &mut String, runs: &[&Past]) {
    let mut plot = |what: &str, value: &dyn Fn(&Past) -> f64, show: &dyn Fn(f64) -> String| {
        let values: Vec<f64> = runs.iter().map(|run| value(run)).collect();
        timeline::bars(out, what, &values, show);
    };
    let whole = |value: f64| format!("{value:.0}");
    plot("Iterations", &|run| f64::from(run.iterations), &whole);
    plot("Cost", &|run| run.cost_usd, &dollars);
    // A plot needs no exact number: whole minutes fit.
    let minutes = |run: &Past| u32::try_from(run.lasted_ms / 60_000).unwrap_or(u32::MAX);
    plot("Minutes", &|run| f64::from(minutes(run)), &whole);
}

fn left(out: &mut String, report: &Report, facts: &Facts) {
    section(out, 7);
    if report.left.is_empty() {
        out.push_str("<p>Nothing is left.</p>");
        if let Some(command) = facts.review() {
            let command = escape(&command);
            let _ = write!(
                out,
                "<p>Next: read what changed: <code>{command}</code></p>"
            );
        }
        out.push_str("</section>\n");
        return;
    }
    out.push_str("<ul>");
    for left in &report.left {
        let _ = writeln!(
            out,
            "<li><strong>{}</strong> {}. Next: {}: <code>{}</code></li>",
            escape(&left.task),
            escape(&left.why),
            escape(&left.next),
            escape(&left.command)
        );
    }
    out.push_str("</ul></section>\n");
}

fn iterations(out: &mut String, report: &Report, clock: &Clock) {
    section(out, 8);
    for line in &report.iterations {
        let _ = writeln!(
            out,
            "<details><summary>{}{} {}: {}</summary><p>{}</p><p>{}; {}</p></details>",
            line.member
                .map_or(String::new(), |member| format!("member {member}, ")),
            line.number,
            escape(&line.task),
            verdict(line),
            escape(&line.reason),
            clock.moment(line.started),
            details(line)
        );
    }
    out.push_str("</section>\n");
}
