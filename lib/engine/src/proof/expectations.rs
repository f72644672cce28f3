//! Assertions with wrong expectations: at least one gate must notice each that it runs.

mod settled;

use super::objects;
use super::trial::{Bench, counts};
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::proof::canary::Plant;
use overnight_judge::proof::expect::{self, SITES_MAX, Site};
use overnight_judge::proof::{Dusk, inline, protect};
use settled::Settled;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

/// The least time that is given to it; else as long as twice the gates took.
const BUDGET: Duration = Duration::from_secs(4);
/// Assertions tried one by one where no output tells which of all failed.
const ALONE_MAX: usize = 6;

/// The test files of a commit that stands in the room, and their assertions.
pub(super) struct Expectations {
    texts: BTreeMap<String, String>,
    sites: Vec<Site>,
    settled: Settled,
}

impl Expectations {
    /// Reads those of the files that hold tests.
    pub(super) fn read(bench: &Bench<'_>, commit: &str, dusk: &Dusk) -> Result<Self, Fault> {
        let named: BTreeSet<&String> = dusk.named.iter().collect();
        let mut found = Self {
            texts: BTreeMap::new(),
            sites: Vec::new(),
            settled: Settled::default(),
        };
        for path in objects::files(&bench.room.top, commit)?.into_keys() {
            let decides =
                protect::kind(&path) == Some(protect::Kind::Test) || named.contains(&path);
            if found.sites.len() > SITES_MAX || !(decides || protect::ending(&path) == "rs") {
                continue;
            }
            let Some(text) = bench.text(&path) else {
                continue;
            };
            if !decides && !inline::has_tests(&text) {
                continue;
            }
            let sites = expect::sites(&path, &text);
            if !sites.is_empty() {
                found.texts.insert(path, text);
                found.sites.extend(sites);
            }
        }
        Ok(found)
    }

    /// Those that gates told of in an earlier proof, as noted in the run's folder for dusk, need not be alone.
    pub(super) fn remembering(mut self, dusk: &Path) -> Self {
        self.settled = Settled::open(dusk, &self.texts);
        self
    }

    /// The places that an output tells of.
    pub(super) fn told(&self, output: &str) -> Vec<String> {
        let told = self.sites.iter().filter(|site| site.is_told(output));
        told.map(Site::place).collect()
    }

    /// Those of these files alone.
    pub(super) fn only(mut self, paths: &[&str]) -> Self {
        self.sites
            .retain(|site| paths.contains(&site.path.as_str()));
        self
    }

    /// The files with every expectation wrong.
    pub(super) fn texts(&self) -> BTreeMap<String, String> {
        expect::applied(&self.texts, &self.sites, false)
    }

    /// Leaves out what gates told of, now that all of it was tried; of files with canaries in them only what
    /// stands before those.
    pub(super) fn settle(&mut self, output: &str, plants: &[Plant]) -> Result<(), Fault> {
        let texts = self.texts();
        let moved = |site: &Site| {
            let mut of = plants.iter().filter(|plant| plant.path == site.path);
            of.any(|plant| site.lines.1 > plant.unmoved(&texts[&site.path]))
        };
        let told = |site: &Site| site.is_told(output) && !moved(site);
        self.sites
            .retain(|site| self.settled.is_open(site, told(site)));
        self.settled.save()
    }

    /// Is there none left?
    pub(super) fn is_settled(&self) -> bool {
        self.sites.is_empty()
    }

    /// The places of assertions that run and hold whatever they expect. The room is left changed.
    pub(super) fn unfailing(
        mut self,
        bench: &Bench<'_>,
        dusk: &Dusk,
        (gates, outcomes): (&[String], &[GateOutcome]),
    ) -> Result<Vec<String>, Fault> {
        if self.sites.is_empty() {
            return Ok(Vec::new());
        }
        let took: u64 = outcomes.iter().map(|gate| gate.ms).sum();
        let until = Instant::now() + BUDGET.max(Duration::from_millis(2 * took));
        let sites = std::mem::take(&mut self.sites);
        let found = self.look(bench, (sites, dusk), (gates, until))?;
        self.settled.save()?;
        Ok(found)
    }

    fn look(
        &mut self,
        bench: &Bench<'_>,
        (mut left, dusk): (Vec<Site>, &Dusk),
        (gates, until): (&[String], Instant),
    ) -> Result<Vec<String>, Fault> {
        while !left.is_empty() && Instant::now() < until {
            let (green, output) = self.run(bench, (&left, false), gates)?;
            if green {
                return self.held(bench, (&left, dusk), gates);
            }
            let before = left.len();
            left.retain(|site| self.settled.is_open(site, site.is_told(&output)));
            if left.len() == before {
                break;
            }
        }
        // Nothing tells which of them failed: one at a time.
        for site in left.iter().rev().take(ALONE_MAX) {
            if Instant::now() >= until {
                break;
            }
            let alone = std::slice::from_ref(site);
            if self.run(bench, (alone, false), gates)?.0 {
                let held = self.held(bench, (alone, dusk), gates)?;
                if !held.is_empty() {
                    return Ok(held);
                }
            }
        }
        Ok(Vec::new())
    }

    /// Those that no wrong expectation fails: are they run at all?
    fn held(
        &self,
        bench: &Bench<'_>,
        (left, dusk): (&[Site], &Dusk),
        gates: &[String],
    ) -> Result<Vec<String>, Fault> {
        let (green, _) = self.run(bench, (left, true), gates)?;
        let failed: BTreeSet<&String> =
            dusk.gates.iter().flat_map(|gate| &gate.failed_at).collect();
        let places = left.iter().map(Site::place);
        Ok(if green {
            // What failed before the work and cannot fail now is not reached any more.
            places.filter(|place| failed.contains(place)).collect()
        } else {
            places.collect()
        })
    }

    fn run(
        &self,
        bench: &Bench<'_>,
        (sites, forced): (&[Site], bool),
        gates: &[String],
    ) -> Result<(bool, String), Fault> {
        for (path, text) in expect::applied(&self.texts, sites, forced) {
            bench.room.write(&path, &text)?;
        }
        let mut green = true;
        let mut output = String::new();
        for gate in gates {
            let (outcome, printed) = bench.run_with_output(gate);
            green = green && counts(&outcome);
            output.push_str(&printed);
        }
        Ok((green, output))
    }
}
