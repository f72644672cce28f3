//! One draw: from a list and a request to the chosen tests and the plan.

use super::bucket::Turn;
use super::changed::Changed;
use super::choice;
use super::durations::Times;
use super::extras::Extras;
use super::hash::{ALGORITHM, Key};
use super::plan::{Plan, chance};
use super::rate::Rate;
use super::ring::{List, Ring};
use super::unit::Unit;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::fmt::Write as _;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The share.
    pub rate: Rate,
    /// What the ring is ordered by: a seed, or the agent's id.
    pub seed: String,
    /// The agent's id, for the plan.
    pub agent: Option<String>,
    /// Member of a team, iteration of a run.
    pub turn: Turn,
    /// Tests, files or modules.
    pub unit: Unit,
    /// Give each module its share.
    pub stratify: bool,
    /// An empty list is no error.
    pub allow_empty: bool,
}

/// What is known besides the list.
#[derive(Debug, Default)]
pub struct Known {
    /// Durations.
    pub times: Option<Times>,
    /// Nanoseconds that listing takes where it is a run of its own.
    pub listing: u64,
    /// The files that are not drawn are not even collected.
    pub spares_files: bool,
    /// Ids that always run.
    pub always: Vec<String>,
    /// Changed files, when asked for.
    pub changed: Option<Changed>,
}

/// The outcome of a draw.
#[derive(Debug)]
pub struct Draw<'a> {
    ring: Ring<'a>,
    taken: Vec<bool>,
    /// How it came about.
    pub plan: Plan,
}

impl<'a> Draw<'a> {
    /// The tests to run, in the order of the list.
    pub fn chosen(&self) -> Vec<&'a str> {
        self.side(true)
    }

    /// What was left out, in the order of the list.
    pub fn rest(&self) -> Vec<&'a str> {
        self.side(false)
    }

    fn side(&self, wanted: bool) -> Vec<&'a str> {
        let taken = self.taken.iter().enumerate();
        let of = taken.filter(|(_, taken)| **taken == wanted);
        self.ring.in_list_order(of.map(|(position, _)| position))
    }
}

/// Draws. The sample is a function of the set of ids and of the request; extras never change it.
pub fn draw<'a>(list: &List<'a>, request: &Request, known: &Known) -> Result<Draw<'a>, Fault> {
    let key = Key::new(&request.seed);
    let ring = Ring::new(list, &key)?;
    if ring.is_empty() && !request.allow_empty {
        return Err(Fault::new(Code::SampleEmpty, "there is no test id"));
    }
    if request.stratify && request.unit != Unit::Test {
        return Err(Fault::new(
            Code::SampleAlgorithm,
            "--stratify needs --unit test",
        ));
    }
    let bucket = request.turn.bucket(&request.rate)?;
    let choice = choice::choose(&ring, request, bucket, known)?;
    let mut taken = vec![false; ring.len()];
    for position in &choice.positions {
        taken[*position] = true;
    }
    let k = choice.positions.len();
    let mut extras = Extras::new(&ring, &mut taken, k);
    let always = extras.always(&known.always);
    let changed = known
        .changed
        .as_ref()
        .map(|changed| extras.changed(changed))
        .unwrap_or_default();
    let plan = Plan {
        algorithm: ALGORITHM,
        seed: request.seed.clone(),
        agent: request.agent.clone(),
        iteration: request.turn.iteration,
        member: request.turn.member,
        bucket,
        rate: request.rate.text().to_owned(),
        unit: request.unit.name(),
        stratified: request.stratify,
        n: ring.len(),
        k,
        units: choice.units,
        always,
        changed,
        time: choice.time,
        notes: choice.notes,
        sees: [1, 5, 10].map(|broken| chance(ring.len(), k, broken)),
        set: ring.fingerprint(),
        again: again(request),
    };
    Ok(Draw { ring, taken, plan })
}

/// The arguments that draw the same again from the same list (and the same durations).
fn again(request: &Request) -> String {
    let seed = quoted(&request.seed);
    let mut words = match request.rate.text() {
        // An equal part for each member is what a team without a rate gets.
        part if part.contains('/') => format!("--seed {seed}"),
        rate => format!("--rate {rate} --seed {seed}"),
    };
    if let Some((index, of)) = request.turn.member {
        let _ = write!(words, " --index {index} --of {of}");
    }
    if let Some(iteration) = request.turn.iteration {
        let _ = write!(words, " --iteration {iteration}");
    }
    if request.unit != Unit::Test {
        let _ = write!(words, " --unit {}", request.unit.name());
    }
    if request.stratify {
        words.push_str(" --stratify module");
    }
    words
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./@:+=,".contains(c);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
