//! What a run says about its tasks, brought into the model.

use super::{Item, Phase, Progress, REASON_CHARS_MAX, Spoken, Stamp, TITLE_CHARS_MAX};
use overnight_base::text::one_line;

/// Characters of everything that waits for a person.
const NEEDS_CHARS_MAX: usize = 2_000;

/// Where a task stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Not begun.
    Next,
    /// Under way.
    Doing,
    /// Proved done.
    Done,
    /// Given up until a person helps.
    Blocked,
}

/// One task of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLine {
    /// Its objective's text.
    pub title: String,
    /// Where it stands.
    pub standing: Standing,
    /// Why it is not done, as far as it was worked on; of a done one what was done, as its agent says it.
    pub why: Option<String>,
}

/// A run's view of its progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// What kind of work is under way.
    pub phase: Phase,
    /// The iteration under way and the limit.
    pub iteration: (u32, u32),
    /// How the run ended, in one line.
    pub result: Option<Spoken>,
    /// What waits for a person, a line each.
    pub needs: Vec<String>,
    /// Its tasks, in order.
    pub tasks: Vec<TaskLine>,
}

impl Progress {
    /// Brings a run's tasks into the lists. Items that are not the run's stay; an item that
    /// stands where it stood keeps its session and time.
    pub fn apply(&mut self, snapshot: &Snapshot, stamp: &Stamp) {
        for task in &snapshot.tasks {
            self.place(task, stamp);
        }
        let done = snapshot
            .tasks
            .iter()
            .filter(|task| task.standing == Standing::Done)
            .count();
        let percent = (done * 100).checked_div(snapshot.tasks.len()).unwrap_or(0);
        self.percent = u8::try_from(percent).unwrap_or(100);
        self.phase = snapshot.phase;
        self.iteration = Some(snapshot.iteration);
        self.result = snapshot.result.as_ref().map(|result| Spoken {
            english: one_line(&result.english, REASON_CHARS_MAX),
            japanese: one_line(&result.japanese, REASON_CHARS_MAX),
        });
        let needs = snapshot.needs.join(" / ");
        self.needs = (!needs.is_empty()).then(|| one_line(&needs, NEEDS_CHARS_MAX));
        self.signed(stamp);
    }

    fn place(&mut self, task: &TaskLine, stamp: &Stamp) {
        let title = one_line(&task.title, TITLE_CHARS_MAX);
        let reason = task.why.as_ref();
        let reason = reason.map(|reason| one_line(reason, REASON_CHARS_MAX));
        let keeps = matches!(task.standing, Standing::Blocked | Standing::Done);
        let list = self.list(&task.standing);
        if let Some(item) = list.iter_mut().find(|item| item.title == title) {
            item.reason = reason.or(item.reason.take().filter(|_| keeps));
            return;
        }
        let notes = self.take(&title);
        let planned = task.standing == Standing::Next;
        let item = Item {
            title,
            session: (!planned).then(|| stamp.label()),
            when: (!planned).then(|| stamp.minute()),
            reason,
            notes,
        };
        self.list(&task.standing).push(item);
    }

    fn list(&mut self, standing: &Standing) -> &mut Vec<Item> {
        match standing {
            Standing::Next => &mut self.next,
            Standing::Doing => &mut self.doing,
            Standing::Done => &mut self.done,
            Standing::Blocked => &mut self.blocked,
        }
    }
}
