//! What a line did, and what is done with others like it.

use super::super::count::Category;
use super::super::problem::Severity;
use super::super::set::Set;

/// What is done with each line that is not shown again.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Again {
    /// Where the outline counts lines of this shape.
    pub(in super::super) spot: Option<usize>,
    pub(in super::super) effect: Effect,
    /// The tool that says of a test that it failed.
    pub(in super::super) failing: Option<&'static str>,
    /// The grammars that count them without taking them, and their lane.
    pub(in super::super) counted: Set,
    pub(in super::super) lane: usize,
    pub(in super::super) steps: Steps,
}

/// What a line did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Effect {
    /// Nobody took it, or whoever took it only came from one state to another.
    #[default]
    None,
    /// It is the line of so many tests of this tool.
    Saw(&'static str, Category, u64),
    /// It names a failing test too many to be kept.
    LeftOut,
    /// Both.
    SawLeftOut(&'static str, Category, u64),
    /// It is one more problem that this tool told of: of those that are listed, its number.
    Problem(&'static str, Severity, Option<usize>),
    /// What it did depends on more of its text than its shape: lines with the same text say this of runs
    /// ([`Noise::told`](super::Noise::told)).
    Told(u16),
    /// Anything else.
    More,
}

/// A grammar that came from one state to another (`Grammar::mark`).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Step {
    pub(in super::super) grammar: u8,
    pub(in super::super) before: u16,
    pub(in super::super) after: u16,
}

/// What a line did to the grammars of its lane.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Steps {
    each: [Step; Steps::MAX],
    count: u8,
    /// The one that took it.
    pub(in super::super) taker: Option<u8>,
    /// One took it or told something of it, is not open, and does not tell its state.
    quiet: bool,
    /// A grammar opened, closed or came to something that its state does not tell.
    lost: bool,
}

/// What a grammar did with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Did {
    Nothing,
    /// It told something of it, and left it to the others.
    Told,
    Took,
}

impl Steps {
    const MAX: usize = 2;

    /// A grammar was shown the line: its marks before and after, whether it was open, is open.
    pub(in super::super) fn note(
        &mut self,
        grammar: usize,
        marks: (Option<u16>, Option<u16>),
        opens: (bool, bool),
        did: Did,
    ) {
        let grammar = u8::try_from(grammar).unwrap_or(u8::MAX);
        match did {
            Did::Took => self.taker = Some(grammar),
            Did::Nothing if marks.0 == marks.1 && opens.0 == opens.1 => return,
            Did::Nothing | Did::Told => {}
        }
        match marks {
            (Some(before), Some(after)) => {
                let step = Step {
                    grammar,
                    before,
                    after,
                };
                match self.each.get_mut(usize::from(self.count)) {
                    Some(free) => {
                        *free = step;
                        self.count += 1;
                    }
                    None => self.lost = true,
                }
            }
            (None, None) if opens == (false, false) => self.quiet = true,
            _ => self.lost = true,
        }
    }

    pub(in super::super) fn all(&self) -> &[Step] {
        &self.each[..usize::from(self.count)]
    }

    /// Whether both begin in the same states.
    pub(in super::super) fn begin_like(&self, other: &Self) -> bool {
        let begin = |steps: &Self| steps.each.map(|step| (step.grammar, step.before));
        self.count == other.count && begin(self) == begin(other)
    }

    /// What the line did, if it did this to the facts.
    pub(in super::super) fn with(&self, effect: Effect) -> Effect {
        match effect {
            _ if self.lost => Effect::More,
            // Whoever takes a line that counts nothing may remember it, and what it says may depend on more
            // than the line.
            Effect::None | Effect::Told(_) if self.quiet => Effect::More,
            effect => effect,
        }
    }
}
