//! Assertions with wrong expectations: at least one gate must notice each that it runs.

mod settled;

use super::notes::Note;
use super::objects;
use super::trial::{Bench, counts};
use overnight_base::fault::Fault;
use overnight_judge::proof::canary::Plant;
use overnight_judge::proof::expect::{self, SITES_MAX, Site};
use overnight_judge::proof::{Dusk, inline, protect};
use overnight_judge::{GateOutcome, TestCounts};
use settled::Settled;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The least time that is given to it; else as long as twice the gates took.
pub(super) const BUDGET: Duration = Duration::from_secs(4);
/// Assertions tried one by one where no output tells which of all failed.
pub(super) const ALONE_MAX: usize = 6;

/// The test files of a commit that stands in the room, and their assertions.
pub(super) struct Expectations {
    texts: BTreeMap<String, String>,
    sites: Vec<Site>,
    settled: Settled,
    /// How many there are in all.
    all: usize,
    /// Do the gates tell how many tests they ran?
    counted: bool,
    /// Were all of them tried at once?
    at_once: bool,
}

impl Expectations {
    /// Reads those of the files that hold tests.
    pub(super) fn read(bench: &Bench<'_>, commit: &str, dusk: &Dusk) -> Result<Self, Fault> {
        let named: BTreeSet<&String> = dusk.named.iter().collect();
        let mut found = Self {
            texts: BTreeMap::new(),
            sites: Vec::new(),
            settled: Settled::default(),
            all: 0,
            counted: false,
            at_once: false,
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
        found.all = found.sites.len();
        Ok(found)
    }

    /// With what an earlier proof with the same gates found out.
    pub(super) fn remembering(mut self, note: Note, gates: &[String]) -> Self {
        self.settled = Settled::open(note, gates, &self.texts);
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
        self.settled.only(paths);
        self.all = self.sites.len();
        self
    }

    /// The files with every expectation wrong. Assertions of which nothing was heard in an earlier proof
    /// fail outright: they are heard if they are reached now.
    pub(super) fn texts(&self) -> BTreeMap<String, String> {
        let silent = |site: &Site| self.settled.is_silent(site);
        expect::applied(&self.texts, &self.sites, silent)
    }

    /// Leaves out what gates told of, now that all of it was tried, and what is known; of files with canaries
    /// in them only what stands before those.
    pub(super) fn settle(&mut self, output: &str, plants: &[Plant]) -> Result<(), Fault> {
        self.at_once = true;
        let texts = self.texts();
        let moved = |site: &Site| {
            let mut of = plants.iter().filter(|plant| plant.path == site.path);
            of.any(|plant| site.lines.1 > plant.unmoved(&texts[&site.path]))
        };
        let told = |site: &&Site| site.is_told(output) && !moved(site);
        let (reached, told): (Vec<&Site>, Vec<&Site>) = self
            .sites
            .iter()
            .filter(told)
            .partition(|site| self.settled.is_silent(site));
        for site in &told {
            self.settled.told(site, true);
        }
        let reached: BTreeSet<&str> = reached.iter().map(|site| site.path.as_str()).collect();
        let closed = |site: &Site| match () {
            () if told.contains(&site) => true,
            // What never tells is tried each time.
            () if !self.settled.tells() => false,
            () if self.settled.is_silent(site) => !reached.contains(site.path.as_str()),
            () => self.settled.is_known_alone(site),
        };
        let left: Vec<Site> = self
            .sites
            .iter()
            .filter(|site| !closed(site))
            .cloned()
            .collect();
        self.sites = left;
        if self.sites.is_empty() {
            self.settled.save()?;
        }
        Ok(())
    }

    /// Leaves out what commands tell of that run these files alone.
    pub(super) fn try_alone(
        &mut self,
        bench: &Bench<'_>,
        commands: &[String],
    ) -> Result<(), Fault> {
        if self.sites.is_empty() || commands.is_empty() {
            return Ok(());
        }
        let (_, output) = run(bench, &self.texts(), commands)?;
        self.settle(&output, &[])
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
        let ran = |gate: &GateOutcome| gate.tests.and_then(TestCounts::ran);
        self.counted = outcomes.iter().any(|gate| ran(gate) > Some(0));
        let took: u64 = outcomes.iter().map(|gate| gate.ms).sum();
        let until = Instant::now() + BUDGET.max(Duration::from_millis(2 * took));
        if !self.at_once {
            let (green, output) = run(bench, &self.texts(), gates)?;
            if green {
                return self.held(bench, (&self.sites, dusk), gates);
            }
            self.settle(&output, &[])?;
        }
        let sites = std::mem::take(&mut self.sites);
        let found = self.look(bench, (sites, dusk), (gates, until))?;
        // What was found is looked for again.
        if found.is_empty() {
            self.settled.save()?;
        }
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
            let (told, silent): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|site| site.is_told(&output));
            left = silent;
            if told.is_empty() {
                break;
            }
            for site in &told {
                self.settled.told(site, false);
            }
        }
        self.one_by_one(bench, (left, dusk), (gates, until))
    }

    /// Nothing tells which of them failed: one at a time, those first that are heard when they fail outright.
    fn one_by_one(
        &mut self,
        bench: &Bench<'_>,
        (left, dusk): (Vec<Site>, &Dusk),
        (gates, until): (&[String], Instant),
    ) -> Result<Vec<String>, Fault> {
        if left.is_empty() || Instant::now() >= until {
            return Ok(Vec::new());
        }
        let (green, output) = self.run(bench, (&left, true), gates)?;
        if green {
            return Ok(gone(&left, dusk, gates));
        }
        let (heard, silent): (Vec<Site>, Vec<Site>) =
            left.into_iter().partition(|site| site.is_told(&output));
        for site in heard.iter().chain(silent.iter().rev()).take(ALONE_MAX) {
            if Instant::now() >= until {
                break;
            }
            let alone = std::slice::from_ref(site);
            if self.run(bench, (alone, false), gates)?.0 {
                let held = self.held(bench, (alone, dusk), gates)?;
                if !held.is_empty() {
                    return Ok(held);
                }
            } else {
                self.settled.told(site, false);
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
        let places = || left.iter().map(Site::place).collect();
        Ok(match green {
            true if self.are_mute(left) => places(),
            true => gone(left, dusk, gates),
            false => places(),
        })
    }

    /// Is each that there is one of a program which checks itself, of which the gates' runner says that it passed?
    /// Then nothing that fails in it is heard: `NDEBUG`, or an end before its `main`.
    fn are_mute(&self, left: &[Site]) -> bool {
        let program = |site: &Site| {
            let text = self.texts.get(&site.path);
            text.is_some_and(|text| expect::is_program(&site.path, text))
        };
        self.counted && left.len() == self.all && left.iter().all(program)
    }

    fn run(
        &self,
        bench: &Bench<'_>,
        (sites, forced): (&[Site], bool),
        gates: &[String],
    ) -> Result<(bool, String), Fault> {
        let texts = expect::applied(&self.texts, sites, |_| forced);
        run(bench, &texts, gates)
    }
}

/// What one of these gates failed at before the work and cannot fail at now: it is not reached any more.
fn gone(left: &[Site], dusk: &Dusk, gates: &[String]) -> Vec<String> {
    let of = dusk
        .gates
        .iter()
        .filter(|gate| gates.contains(&gate.command));
    let failed: BTreeSet<&String> = of.flat_map(|gate| &gate.failed_at).collect();
    let places = left.iter().map(Site::place);
    places.filter(|place| failed.contains(place)).collect()
}

/// Are all gates green with these texts, and what did they print?
fn run(
    bench: &Bench<'_>,
    texts: &BTreeMap<String, String>,
    gates: &[String],
) -> Result<(bool, String), Fault> {
    for (path, text) in texts {
        bench.room.write(path, text)?;
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
