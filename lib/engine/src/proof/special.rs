//! What of a claim looks special-cased: its sources beside dusk's tests.

use super::objects;
use super::prove::{Claim, Trial};
use super::trial::Bench;
use overnight_base::fault::Fault;
use overnight_judge::proof::overlay::{Difference, Rules};
use overnight_judge::proof::special::{self, Source};
use overnight_judge::proof::{Dusk, inline, manifest, protect, silenced};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Sources of one claim that are looked at.
const SOURCES_MAX: usize = 100;
/// Bytes of tests that are looked at.
const TESTS_BYTES_MAX: usize = 16 << 20;

/// Places that look so; the claim stands in the room.
pub(super) fn look(
    bench: &Bench<'_>,
    dusk: &Dusk,
    claim: Claim<'_>,
    (differences, rules): (&[Difference], &Rules),
) -> Result<Vec<String>, Fault> {
    let top = &bench.room.top;
    let works = |difference: &&Difference| {
        let path = &difference.path;
        let decides = rules.decides(path, !difference.before) && !rules.mixed.contains(path);
        difference.after && !manifest::is(path) && !decides && protect::kind(path).is_none()
    };
    let mut sources = Vec::new();
    for difference in differences.iter().filter(works).take(SOURCES_MAX) {
        let path = &difference.path;
        let before = difference
            .before
            .then(|| objects::file(top, &dusk.commit, path));
        sources.extend(bench.text(path).map(|after| Source {
            path: path.clone(),
            before: before.flatten().unwrap_or_default(),
            after,
        }));
    }
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let mut tests: BTreeMap<String, String> = claim
        .gates
        .iter()
        .map(|gate| (format!("{}{gate:?}", special::GATE), gate.clone()))
        .collect();
    for source in &sources {
        let own = inline::part(&source.path, &source.before, true);
        if !own.trim().is_empty() {
            tests.insert(source.path.clone(), own);
        }
    }
    let mut left = TESTS_BYTES_MAX;
    for path in objects::files(top, &dusk.commit)?.into_keys() {
        let decides =
            protect::kind(&path) == Some(protect::Kind::Test) || dusk.named.contains(&path);
        if !decides || tests.contains_key(&path) {
            continue;
        }
        let same = differences.iter().all(|difference| difference.path != path);
        let text = if same {
            bench.text(&path)
        } else {
            objects::file(top, &dusk.commit, &path)
        };
        let Some(text) = text.filter(|text| text.len() <= left) else {
            continue;
        };
        left -= text.len();
        tests.insert(path, text);
    }
    Ok(special::look(
        &sources,
        &tests,
        (claim.words, &names(top, claim)?),
    ))
}

impl Trial<'_> {
    /// Sources without which a checker would not look away, where the gates need that. The room is left changed.
    pub(super) fn silenced(&self) -> Result<Vec<String>, Fault> {
        let (top, dusk) = (&self.bench.room.top, &self.prover.dusk.commit);
        let mut found = Vec::new();
        for file in self
            .differences
            .iter()
            .filter(|file| file.after)
            .take(SOURCES_MAX)
        {
            let path = &file.path;
            let before = file
                .before
                .then(|| objects::file(top, dusk, path))
                .flatten();
            let text = self.bench.text(path).filter(|_| !self.decides(path));
            let silenced =
                text.and_then(|text| silenced::without(path, &before.unwrap_or_default(), &text));
            if let Some(silenced) =
                silenced.filter(|it| !silenced::is_asked_for(&it.said, self.claim.words))
            {
                self.altered.set(true);
                self.bench.room.write(path, &silenced.text)?;
                found.push(format!(
                    "{path}:{} makes a checker look away, and a gate fails without it: {}",
                    silenced.line, silenced.said
                ));
            }
        }
        Ok(if found.is_empty() || self.all_green() {
            Vec::new()
        } else {
            found
        })
    }
}

/// The names of the project's files and folders, without their endings.
fn names(top: &Path, claim: Claim<'_>) -> Result<BTreeSet<String>, Fault> {
    let listed = objects::files(top, claim.commit)?;
    let parts = listed.keys().flat_map(|path| path.split('/'));
    let stem = |part: &str| part.split('.').next().unwrap_or(part).to_owned();
    Ok(parts.map(stem).collect())
}
