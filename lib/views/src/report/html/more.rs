//! The sections that few read on a phone: what changed, acceptance, faults, figures, iterations.

use super::super::facts::Past;
use super::super::markdown::{details, verdict};
use super::super::words::{self, count, dollars, length};
use super::super::{Clock, Facts, Report};
use super::{escape, link, section, timeline};
use crate::summary::screen;
use std::fmt::Write;

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

pub(super) fn acceptance(out: &mut String, report: &Report) {
    section(out, "acceptance");
    let [met, not_met, not_checked] = report.checked();
    let caption = format!("{not_met} not met, {not_checked} not checked, {met} met");
    let heads = ["Task", "Result", "Criterion", "Evidence"];
    let _ = write!(out, "<details><summary>{caption}</summary>");
    table(out, "Every condition", &heads);
    for row in &report.acceptance {
        let word = row.met.word();
        let _ = writeln!(
            out,
            "<tr><th scope=row>{}<td class={}>{word}<td class=text data-label=Criterion>{}<td class=text data-label=Evidence>{}",
            escape(&row.task),
            word.replace(' ', "-"),
            escape(&row.text),
            escape(&row.evidence)
        );
    }
    let _ = writeln!(out, "{TABLE_END}</details></section>");
}

pub(super) fn changes(out: &mut String, report: &Report, facts: &Facts) {
    section(out, "changes");
    let Some(changes) = &facts.changes else {
        out.push_str(
            "<p>Unknown: there is no git repository, or no commit at the start.</p></section>\n",
        );
        return;
    };
    let _ = writeln!(
        out,
        "<p>{} on <code>{}</code>, {} changed (uncommitted work included).</p>",
        changes.commits_words(report.night.ending),
        escape(changes.branch.as_deref().unwrap_or("(no branch)")),
        count(changes.files_count, "file")
    );
    for line in screen::work(&report.night).iter().skip(1) {
        let _ = writeln!(out, "<p class=\"open\">{}</p>", escape(line));
    }
    if !changes.commits.is_empty() {
        out.push_str("<ul>");
        let address = commits_address(report);
        for commit in &changes.commits {
            let told = address.as_ref().zip(commit.split_once(' '));
            let _ = match told {
                Some((address, (name, subject))) => writeln!(
                    out,
                    "<li><a href=\"{address}{name}\">{name}</a> {}</li>",
                    escape(subject),
                    name = escape(name)
                ),
                None => writeln!(out, "<li>{}</li>", escape(commit)),
            };
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
            let [added, removed] = file.counts();
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td data-label=\"Why\">{}</td><td data-label=\"Added\">{added}</td><td data-label=\"Removed\">{removed}</td></tr>",
                escape(&file.path),
                file.why(),
            );
        }
        out.push_str(TABLE_END);
    }
    out.push_str("</section>\n");
}

/// Where the forge shows commits, by the address of the pull request.
fn commits_address(report: &Report) -> Option<String> {
    let request = report.night.pull_request.as_ref()?;
    let url = request.url.as_deref()?;
    let url = Some(url).filter(|url| url.starts_with("https://"))?;
    let ways = [("/-/merge_requests/", "/-/commit/"), ("/pull/", "/commit/")];
    ways.iter().find_map(|(of_request, of_commit)| {
        let (project, _) = url.split_once(of_request)?;
        Some(escape(&format!("{project}{of_commit}")))
    })
}

pub(super) fn wrong(out: &mut String, report: &Report) {
    section(out, "wrong");
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

pub(super) fn figures(out: &mut String, report: &Report, facts: &Facts) {
    section(out, "figures");
    let totals = &report.totals;
    let _ = writeln!(
        out,
        "<p>Working {}, waiting {}, at the usage limit {}{}.</p>",
        length(totals.worked_ms),
        length(totals.waited_ms),
        length(totals.limited_ms),
        words::per_proved(report.night.cost)
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
            "<tr><th scope=\"row\">{}{own}</th><td data-label=\"Iterations\">{}</td><td data-label=\"Cost\">{}</td><td data-label=\"Time\">{}</td><td data-label=\"All done\">{}</td></tr>",
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

/// More iterations than this are folded into one line.
const ITERATIONS_OPEN: usize = 40;

pub(super) fn iterations(out: &mut String, (report, facts): (&Report, &Facts), clock: &Clock) {
    section(out, "iterations");
    let all = report.iterations.len();
    if all > ITERATIONS_OPEN {
        let all = count(all, "iteration");
        let _ = writeln!(out, "<details><summary>{all}</summary>");
    }
    // In a list that is folded as a whole, one more click for each would show less.
    let (before, between, after) = if all > ITERATIONS_OPEN {
        ("<p><b>", "</b><br>", "<br>")
    } else {
        ("<details><summary>", "</summary><p>", "<p>")
    };
    let end = if all > ITERATIONS_OPEN {
        ""
    } else {
        "</details>"
    };
    for line in &report.iterations {
        let log = link::log(line, facts).map_or(String::new(), |link| format!("; {link}"));
        let _ = writeln!(
            out,
            "{before}{}{} {}: {}{between}{}{after}{}; {}{log}{end}",
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
    if all > ITERATIONS_OPEN {
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}
