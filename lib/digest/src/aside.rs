//! What stands outside the sections of the runs that were recognised: another command printed it, and an
//! error among it is never hidden behind their result.

mod grade;

use super::clean::{clean, cut_end};
use super::line::Line;
use super::outline::template;
use grade::is_an_end;
pub(super) use grade::{Grade, grade};
use std::collections::{BTreeMap, VecDeque};

/// Kept of each kind of place: the first ones and the last ones that differ in more than digits.
const FIRST: usize = 8;
const LAST: usize = 12;
/// Runs kept apart; of more, neighbours become one.
const RUNS_MAX: usize = 512;
/// A result that is stated so many lines below another one, no test between them, belongs to the same run.
const RESULT_LINES: u64 = 4;
/// Lines whose taking is remembered: the last lines of an output are asked for.
const TAKEN: usize = 8;
const LINE_MAX: usize = 400;

/// A line of nobody's that looks like an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Aside {
    pub(super) line: u64,
    pub(super) text: String,
    /// Of a process that ended, the line above: what it said last.
    pub(super) above: Option<String>,
    pub(super) grade: Grade,
    /// Lines that differ from it in digits only, itself among them.
    pub(super) count: u64,
    /// It is surely not of a run, whose beginning may not be known.
    pub(super) apart: bool,
}

/// One run of a tool, as far as its lines were recognised.
#[derive(Debug, Clone, Copy)]
struct Run {
    tool: &'static str,
    lane: usize,
    /// Where it began; unknown when its result was the first that was seen of it.
    begin: Option<u64>,
    end: u64,
    /// Its result was stated.
    over: bool,
}

/// Runs, and the lines that look like errors, by whether a run went on when they came.
#[derive(Debug, Clone, Default)]
pub(super) struct Asides {
    runs: Vec<Run>,
    between: Few,
    within: Few,
    /// The last lines that some grammar took.
    taken: VecDeque<u64>,
    /// The first line that some grammar took since the last result.
    begin: Option<u64>,
    /// The output has ended: what grammars say now stands nowhere.
    ended: bool,
    /// The last one ends in a colon, or the next line may stand deeper: what it says, or why, is there.
    open: Option<Open>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    line: u64,
    /// A run went on when it came.
    within: bool,
    colon: bool,
    indent: usize,
}

#[derive(Debug, Clone, Default)]
struct Few {
    first: Vec<Aside>,
    last: VecDeque<Aside>,
    kinds: BTreeMap<String, usize>,
}

impl Asides {
    /// A line of a run that goes on, or of its header.
    pub(super) fn saw(&mut self, tool: &'static str, lane: usize, no: u64) {
        let ended = self.ended;
        match self.latest(tool, lane) {
            _ if ended => {}
            Some(run) if !run.over => {
                run.begin.get_or_insert(no);
                run.end = no;
            }
            _ => {
                let begin = Some(self.begin.take().unwrap_or(no));
                self.open_run(Run {
                    tool,
                    lane,
                    begin,
                    end: no,
                    over: false,
                });
            }
        }
    }

    /// The line of a result.
    pub(super) fn stated(&mut self, tool: &'static str, lane: usize, no: u64) {
        let ended = self.ended;
        match self.latest(tool, lane) {
            _ if ended => {}
            Some(run) if !run.over || no <= run.end + RESULT_LINES => {
                (run.end, run.over) = (no, true);
            }
            _ => {
                let begin = self.begin.take();
                self.open_run(Run {
                    tool,
                    lane,
                    begin,
                    end: no,
                    over: true,
                });
            }
        }
    }

    /// The output has ended.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    fn latest(&mut self, tool: &str, lane: usize) -> Option<&mut Run> {
        let mut runs = self.runs.iter_mut().rev();
        runs.find(|run| run.lane == lane && super::names::same(run.tool, tool))
    }

    fn open_run(&mut self, run: Run) {
        if self.runs.len() >= RUNS_MAX {
            let mut kept: Vec<Run> = Vec::with_capacity(RUNS_MAX);
            for (at, run) in self.runs.drain(..).enumerate() {
                match kept.last_mut() {
                    Some(last) if at % 2 == 1 && last.tool == run.tool => {
                        (last.end, last.over) = (run.end, run.over);
                    }
                    _ => kept.push(run),
                }
            }
            // Where tools take turns, those in the middle are forgotten.
            let over = kept.len().saturating_sub(RUNS_MAX / 2);
            kept.drain(RUNS_MAX / 4..RUNS_MAX / 4 + over);
            self.runs = kept;
        }
        self.runs.push(run);
    }

    /// A grammar took this line.
    pub(super) fn take(&mut self, no: u64) {
        if self.taken.len() >= TAKEN {
            self.taken.pop_front();
        }
        self.taken.push_back(no);
        self.open = None;
        // What a runner says below its result does not begin the next run.
        let last = self.runs.last().map_or(0, |run| run.end + 2 * RESULT_LINES);
        if self.begin.is_none() && (self.runs.is_empty() || no > last) {
            self.begin = Some(no);
        }
    }

    pub(super) fn is_taken(&self, no: u64) -> bool {
        self.taken.contains(&no)
    }

    /// Whether the next line must be looked at.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A line that nobody took; whether it holds a word of errors, and one that denies them.
    pub(super) fn look(&mut self, line: &Line<'_>, word: bool, denied: bool) {
        let (text, no) = (line.text, line.no);
        let indent = text.len() - text.trim_start().len();
        if let Some(open) = self.open.take()
            && no == open.line + 1
            && (open.colon || indent > open.indent)
            && !text.trim().is_empty()
            && let Some(aside) = self.few(open.within).at(open.line)
        {
            let whole = format!("{} {}", aside.text, text.trim());
            aside.text = cut_end(&whole, LINE_MAX).into_owned();
            aside.grade = aside.grade.max(grade(&aside.text, denied));
            return;
        }
        let grade = match grade(text, denied) {
            Grade::Plain => return,
            Grade::Weak if !word => return,
            grade => grade,
        };
        let goes_on = self.runs.last().is_some_and(|run| !run.over);
        let is_new = self.few(goes_on).put(Aside {
            line: no,
            text: cut_end(text.trim(), LINE_MAX).into_owned(),
            above: above(line),
            grade,
            count: 1,
            apart: true,
        });
        if is_new {
            self.open = Some(Open {
                line: no,
                within: goes_on,
                colon: text.ends_with(':'),
                indent,
            });
        }
    }

    fn few(&mut self, within: bool) -> &mut Few {
        if within {
            &mut self.within
        } else {
            &mut self.between
        }
    }

    /// From where to where the recognised runs of this tool go, as far as that is known.
    pub(super) fn runs(&self, tools: &[&str]) -> Vec<(u64, u64)> {
        let runs = self.runs.iter().filter(|run| tools.contains(&run.tool));
        runs.map(|run| (run.begin.unwrap_or(run.end), run.end))
            .collect()
    }

    /// The lines outside the runs of these tools, in their order. Where a run began is not always known: of
    /// what stands above it only what is built like an error is given.
    pub(super) fn outside(&self, tools: &[&'static str]) -> Vec<Aside> {
        let runs = || self.runs.iter().filter(|run| tools.contains(&run.tool));
        let known: Vec<(u64, u64)> = runs()
            .filter_map(|run| Some((run.begin?, run.end)))
            .collect();
        // Before the first run that is known, and only there: below a result another command is at work.
        let first = runs().map(|run| (run.end, run.begin)).min();
        let vague = first
            .filter(|(_, begin)| begin.is_none())
            .map_or(0, |(end, _)| end);
        let mut all: Vec<Aside> = Vec::new();
        for aside in [&self.between, &self.within].into_iter().flat_map(Few::all) {
            let no = aside.line;
            let inside = known
                .iter()
                .any(|(begin, end)| (*begin..=*end).contains(&no));
            let apart = no > vague;
            if !inside && (apart || aside.grade == Grade::Strong) {
                all.push(Aside {
                    apart,
                    ..aside.clone()
                });
            }
        }
        all.sort_by_key(|aside| aside.line);
        all
    }
}

impl Few {
    /// Whether it is of a new kind.
    fn put(&mut self, aside: Aside) -> bool {
        let kind = template(&aside.text);
        if let Some(known) = self.kinds.get(&kind).and_then(|at| self.first.get_mut(*at)) {
            known.count += 1;
            return false;
        }
        if self.first.len() < FIRST {
            self.kinds.insert(kind, self.first.len());
            self.first.push(aside);
            return true;
        }
        if let Some(known) = self
            .last
            .iter_mut()
            .find(|known| template(&known.text) == kind)
        {
            known.count += 1;
            return false;
        }
        if self.last.len() >= LAST {
            // A word alone makes room first.
            let weak = self
                .last
                .iter()
                .position(|known| known.grade == Grade::Weak);
            if weak.is_none() && aside.grade == Grade::Weak {
                return false;
            }
            self.last.remove(weak.unwrap_or(0));
        }
        self.last.push_back(aside);
        true
    }

    fn all(&self) -> impl Iterator<Item = &Aside> {
        self.first.iter().chain(&self.last)
    }

    fn at(&mut self, line: u64) -> Option<&mut Aside> {
        let mut all = self.first.iter_mut().chain(&mut self.last);
        all.find(|aside| aside.line == line)
    }
}

/// What stands above a line that only says that a process ended.
fn above(line: &Line<'_>) -> Option<String> {
    let ends = is_an_end(line.text);
    let above = clean(line.previous());
    let says = above.contains(char::is_alphanumeric);
    (ends && says).then(|| cut_end(above.trim(), LINE_MAX).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_bounded_also_where_tools_take_turns() {
        let mut asides = Asides::default();
        for no in 1..=20 * RUNS_MAX as u64 {
            let tool = if no % 2 == 0 { "even" } else { "odd" };
            asides.stated(tool, 0, 10 * no);
            assert!(asides.runs.len() <= RUNS_MAX);
        }
        assert_eq!((asides.runs[0].end, asides.runs[1].end), (10, 20));
    }
}
