//! Whether data that a claim changed is the work, or asks for something of it: that is tried.

use super::objects;
use super::prove::Trial;
use overnight_base::fault::Fault;
use overnight_judge::proof::{Edit, demands, protect, scripts};

/// Files of data that are tried at most.
const TRIED_MAX: usize = 4;
/// Files that decide and are read for the names of data at most.
const READ_MAX: usize = 200;

impl Trial<'_> {
    /// The edits without those of data that is the work, and with those of data that asks for something.
    /// The room is left changed.
    pub(super) fn weighed(&self, mut edits: Vec<Edit>) -> Result<Vec<Edit>, Fault> {
        if self.merge {
            return Ok(edits);
        }
        let work = self.work(&edits)?;
        edits.retain(|edit| !work.iter().any(|path| path == edit.path()) && !self.is_tool(edit));
        let more = self.demanding(&edits)?;
        edits.extend(more.into_iter().map(Edit::Restore));
        Ok(edits)
    }

    /// Data that gate scripts name and that is the work: the person's words name it, and it was the sources' own when
    /// the run began, or the gates need nothing else that an agent may change.
    fn work(&self, edits: &[Edit]) -> Result<Vec<String>, Fault> {
        let own = |path: &str| {
            scripts::is_data(path)
                && protect::kind(path).is_none()
                && !self.prover.protect.is_match(path)
                && demands::is_asked_for(path, self.claim.words)
        };
        let asked = edits.iter().filter_map(|edit| match edit {
            Edit::Restore(path) if own(path) => Some(path.clone()),
            _ => None,
        });
        let (mut work, asked): (Vec<String>, Vec<String>) =
            asked.partition(|path| self.is_read_by_sources(path));
        if !asked.is_empty() && self.alone(&asked)? {
            work.extend(asked);
        }
        Ok(work)
    }

    /// Is it a program that gate scripts run and that is the work: the person's words name it, and by its own name it
    /// checks nothing? No gate starts it by itself.
    fn is_tool(&self, edit: &Edit) -> bool {
        let (Edit::Restore(path) | Edit::Remove(path)) = edit else {
            return false;
        };
        let gates = &self.claim.gates;
        !scripts::is_data(path)
            && protect::kind(path).is_none()
            && !self.prover.protect.is_match(path)
            && !self.rules.links.contains(path)
            && !demands::checks_by_name(path)
            && demands::is_asked_for(path, self.claim.words)
            && !gates.iter().any(|gate| demands::is_asked_for(path, gate))
    }

    /// Did a source that decides nothing name this file when the run began?
    fn is_read_by_sources(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let naming = objects::naming(&self.prover.place.top, &self.prover.dusk.commit, name);
        naming
            .iter()
            .any(|source| demands::is_source(source) && !self.decides(source))
    }

    /// Data without which less is asked for: gates fail with dusk's, and pass with nothing in it or
    /// without it.
    fn demanding(&self, edits: &[Edit]) -> Result<Vec<String>, Fault> {
        let granted = self.prover.granted(self.claim)?;
        let changed = self.differences.iter().filter(|file| file.before);
        let mut paths: Vec<String> = changed.map(|file| file.path.clone()).collect();
        paths.retain(|path| {
            (demands::may_demand(path) || self.holds_cases(path))
                && !self.decides(path)
                && !granted.contains(path)
                && !demands::is_asked_for(path, self.claim.words)
        });
        if paths.is_empty() {
            return Ok(paths);
        }
        self.stand()?;
        self.overlay(edits)?;
        self.only_read(&mut paths)?;
        paths.truncate(TRIED_MAX);
        if paths.is_empty() {
            return Ok(paths);
        }
        let dusks: Vec<Edit> = paths.iter().cloned().map(Edit::Restore).collect();
        self.overlay(&dusks)?;
        if self.all_green() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for path in paths {
            if self.is_lenient(&path, edits)? && !self.alone(std::slice::from_ref(&path))? {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// Was it a module of nothing but data when the run began?
    fn holds_cases(&self, path: &str) -> bool {
        let (top, commit) = (&self.prover.place.top, &self.prover.dusk.commit);
        demands::is_module(path)
            && objects::file(top, commit, path).is_some_and(|text| demands::is_of_data(path, &text))
    }

    /// Those that something names that decides: the room holds dusk's version of it.
    fn only_read(&self, paths: &mut Vec<String>) -> Result<(), Fault> {
        let (top, commit) = (&self.prover.place.top, &self.prover.dusk.commit);
        let mut deciding = objects::files(top, commit)?.into_keys().collect::<Vec<_>>();
        deciding.retain(|path| self.decides(path) && !scripts::is_data(path));
        let texts = deciding.iter().take(READ_MAX);
        let texts: Vec<String> = texts
            .filter_map(|path| self.bench.text(path))
            .chain(self.claim.gates.iter().cloned())
            .collect();
        paths.retain(|path| texts.iter().any(|text| demands::is_read_by(text, path)));
        Ok(())
    }

    /// Are the gates green with nothing in this file, or without it?
    fn is_lenient(&self, path: &str, edits: &[Edit]) -> Result<bool, Fault> {
        self.stand()?;
        self.overlay(edits)?;
        if let Some(text) = self.bench.text(path) {
            self.bench
                .room
                .write(path, &demands::emptied(path, &text))?;
            if self.all_green() {
                return Ok(true);
            }
        }
        self.bench.room.remove(path)?;
        Ok(self.all_green())
    }

    /// Do the gates pass with these files, what decides, and nothing else?
    fn alone(&self, paths: &[String]) -> Result<bool, Fault> {
        self.stand()?;
        self.altered.set(true);
        let listed = objects::files(&self.prover.place.top, self.claim.commit)?;
        let kept = |path: &str| self.decides(path) || paths.iter().any(|own| own == path);
        self.bench.blank(listed.keys(), &kept, true)?;
        Ok(self.all_green())
    }
}
