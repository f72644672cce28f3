//! What of a claim looks special-cased: its sources beside dusk's tests.

use super::objects;
use super::prove::Claim;
use super::trial::Bench;
use overnight_base::fault::Fault;
use overnight_judge::proof::overlay::{Difference, Rules};
use overnight_judge::proof::special::{self, Source};
use overnight_judge::proof::{Dusk, inline, manifest, protect};
use std::collections::BTreeMap;

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
    Ok(special::look(&sources, &tests, claim.words))
}
