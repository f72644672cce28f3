//! What the members of a document tell: whose it is, its totals, more about the object above.

use super::record::Record;
use super::shapes::SHAPES;
use super::slot::Slot;
use super::tree::Tree;

impl Tree {
    /// A member, and its text: is it known now whose document this is?
    pub(super) fn sign(&mut self, key: &str, text: &str) {
        if self.shape.is_some() || key.is_empty() {
            return;
        }
        self.seen.resize(SHAPES.len(), 0);
        for (shape, seen) in SHAPES.iter().zip(&mut self.seen) {
            for (at, (name, value)) in shape.signs.iter().enumerate() {
                if *name == key && (value.is_empty() || *value == text) {
                    *seen |= 1 << at;
                }
            }
            if seen.count_ones() as usize == shape.signs.len() {
                self.shape = Some(shape);
                return;
            }
        }
    }

    /// A number: is it one of the result?
    pub(super) fn count(&mut self, owner: usize, key: &str, number: u64) {
        let below = &self.frames[owner].key;
        let shapes = match self.shape {
            Some(shape) => std::slice::from_ref(shape),
            None => SHAPES,
        };
        let mut last = None;
        for (place, name, _) in shapes.iter().flat_map(|shape| shape.totals) {
            let fits = *name == key && (place.is_empty() || place == below);
            // Several reporters have this member.
            if !fits || last.replace((*place, *name)) == Some((*place, *name)) {
                continue;
            }
            let mut known = self.totals.iter_mut();
            match known.find(|total| (total.0, total.1) == (*place, *name)) {
                Some((.., sum)) => *sum = sum.saturating_add(number),
                None => self.totals.push((place, name, number)),
            }
        }
    }

    /// What a part says, its object says too, unless it says it itself.
    pub(super) fn merge(&mut self, part: &Record) {
        let Some(owner) = self.frames.iter_mut().rev().find(|frame| !frame.array) else {
            return;
        };
        owner.merged = true;
        let failed = part.list == "steps" && part.get(Slot::Status) == Some("failed");
        for (at, text) in part.slots.iter().enumerate() {
            let own = owner.record.slots[at].is_some();
            let status = at == Slot::Status as usize;
            let named = at == Slot::Name as usize || at == Slot::Full as usize;
            let heard = match (status, part.list.as_str()) {
                (true, "result" | "steps") => !own || failed,
                (true, _) => false,
                (false, _) => !named && !own || failed && at == Slot::Message as usize,
            };
            if heard && text.is_some() {
                owner.record.slots[at].clone_from(text);
            }
        }
    }
}
