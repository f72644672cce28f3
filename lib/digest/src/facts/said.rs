//! What a line says of a run: done to the facts, and done again when the line comes again.

use super::super::count::Category;
use super::super::noise::Effect;
use super::super::statement::{Statement, Worth};
use super::Facts;

/// A line says hardly ever more; what says more is always shown.
const SAID_MAX: usize = 6;

impl Facts {
    pub(super) fn worth(&self) -> Worth {
        Worth {
            weak: self.now.weak,
            sums: self.now.sums,
        }
    }

    /// The current line says this.
    pub(super) fn say(&mut self, said: Statement) {
        self.perform(&said);
        self.depend_on_text();
        if self.now.names.is_none() {
            return;
        }
        if self.now.said.len() < SAID_MAX {
            self.now.said.push(said);
        } else {
            self.now.effect = Effect::More;
        }
    }

    /// What the current line does depends on more of its text than its shape.
    pub(super) fn depend_on_text(&mut self) {
        self.now.effect = match self.now.effect {
            Effect::None | Effect::Told(_) => Effect::Told(0),
            _ => Effect::More,
        };
    }

    /// A line comes again that said all this.
    pub(super) fn repeat(&mut self, all: &[Statement]) {
        for said in all {
            self.perform(said);
        }
    }

    fn perform(&mut self, said: &Statement) {
        match said {
            Statement::Start(tool) => self.begin(tool),
            Statement::Afresh(tool) => self.begin_afresh(tool),
            Statement::Result(tool, counts, duration_ms, worth) => {
                let session = self.stated(tool, None, *worth);
                session.stated = Some(counts.clone());
                session.duration_ms = duration_ms.or(session.duration_ms);
            }
            Statement::Part(tool, category, number, worth) => {
                let session = self.stated(tool, Some(*category), *worth);
                let stated = session.stated.get_or_insert_default();
                stated.set(*category, *number);
            }
            Statement::Duration(tool, duration_ms) => {
                if duration_ms.is_some() {
                    self.session(tool).duration_ms = *duration_ms;
                }
            }
            Statement::Close(tool) => self.end_session(tool),
            Statement::FailedOfClass(tool, number) => {
                self.count(tool, Category::Failed, *number);
            }
        }
    }
}
