//! What is noted before the work begins: the commit that everything is compared with, what gates show
//! on it, whether they can fail, which programs they start, and the ignored files that they need.

use super::expectations::Expectations;
use super::ignored::Store;
use super::own::{self, Own};
use super::programs::{self, Programs};
use super::prove::stand;
use super::room::Room;
use super::setup::SetUp;
use super::trial::Bench;
use super::{begun, folder, objects};
use crate::cell::Cells;
use crate::state::Place;
use crate::{files, gates, git};
use globset::GlobSet;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session::hex;
use overnight_judge::GateOutcome;
use overnight_judge::proof::scripts::{self, Tree};
use overnight_judge::proof::weigh::{DuskGate, Sighting};
use overnight_judge::proof::{Dusk, canary, manifest, named, protect};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the heavy parts of dusk are kept beside the journal.
pub(super) const FOLDER: &str = "dusk";
/// How the copies of ignored files are called.
const STORE: &str = "dusk-";

/// A run's beginning.
#[derive(Debug, Clone, Copy)]
pub struct Evening<'a> {
    /// The project.
    pub place: &'a Place,
    /// The commit that it begins at, where that is not what the work tree holds.
    pub begun_at: Option<&'a str>,
    /// The tree whose ignored files gates need: the person's.
    pub home: &'a Path,
    /// The folder of the run's journal.
    pub run: &'a Path,
    /// Longest time of one gate.
    pub limit: Duration,
    /// The cells that gates run in.
    pub cells: Option<&'a Cells>,
    /// Globs of files that decide beside the conventions.
    pub protect: &'a GlobSet,
    /// What makes ignored files that gates need.
    pub setup: SetUp<'a>,
}

/// The store of a run's ignored files.
pub fn store(place: &Place, run: &Path) -> PathBuf {
    // Members have those of their run.
    let run = begun::run_of(run).unwrap_or_else(|| run.to_owned());
    let name = run
        .components()
        .filter_map(|part| part.as_os_str().to_str())
        .collect::<Vec<_>>()
        .join("/");
    let key = hex(&Sha256::digest(name.as_bytes())[..8]);
    folder(place).join(format!("{STORE}{key}"))
}

/// The copies of ignored files of all runs.
pub(crate) fn stores(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(place)).into_iter().flatten();
    let paths = entries.flatten().map(|entry| entry.path());
    let is_store = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(STORE)
    };
    paths.filter(is_store).collect()
}

/// Deletes one of them.
pub(crate) fn forget(store: &Path) -> Result<(), Fault> {
    super::room::remove(store)
}

/// Notes dusk for these gates; `known` is what was noted before. Gives what each gate said.
pub fn note(
    evening: Evening<'_>,
    known: Option<&Dusk>,
    commands: &[String],
) -> Result<(Dusk, Vec<GateOutcome>), Fault> {
    let Evening { place, run, .. } = evening;
    let scratch = run.join(FOLDER);
    files::create_private_folder(&scratch)?;
    let commit = match known {
        Some(dusk) => dusk.commit.clone(),
        None => begin(evening, &scratch)?,
    };
    let store = Store::open(&store(place, run));
    let listed = objects::files(&place.top, &commit)?;
    let there = begun::seen((place, run), &commit, commands);
    // Where nothing is to be run no room is needed, whose files would all have to be written.
    let run_there = !begun::is_enough(commands, &there);
    let room = run_there.then(|| Room::enter(place, &commit)).transpose()?;
    let bench = room
        .as_ref()
        .map(|room| bench(evening, (room, &scratch), &commit));
    let mut bench = bench.transpose()?;
    let unprepared = match &mut bench {
        Some(bench) => prepare(bench, &store, &commit)?,
        None => None,
    };
    let texts = objects::Texts::of(&place.top, &commit);
    let read = |path: &str| match &bench {
        Some(bench) => bench.text(path),
        None => texts.text(path),
    };
    let paths: BTreeSet<String> = listed.keys().cloned().collect();
    let tree = Tree {
        files: &paths,
        read: &read,
    };
    let mut named = scripts::named(commands, &tree);
    note_programs(&scratch, commands, &named, (&read, evening.home))?;
    named.extend(named::by_tests(&tree));
    let unseen = begun::unseen(commands, &there);
    let ran = bench.as_ref().map(|bench| look(bench, &listed, &unseen));
    let (ran, rewritten) = ran.transpose()?.unwrap_or_default();
    let (outcomes, tried) = begun::together(commands, &there, ran);
    let decides = |path: &str| {
        protect::kind(path).is_some() || named.contains(path) || evening.protect.is_match(path)
    };
    let protected: Vec<_> = listed.iter().filter(|(path, _)| decides(path)).collect();
    let mut dusk = Dusk {
        named: named.iter().cloned().collect(),
        rewritten,
        gates: outcomes.iter().map(seen).collect(),
        protected: protected.len() as u64,
        hash: hash(&protected),
        notes: known.map_or_else(|| store.left_out.clone(), |_| Vec::new()),
        commit: commit.clone(),
    };
    dusk.notes.extend(unprepared);
    dusk.notes.extend(cannot_start(&outcomes));
    let open = take_over(&mut dusk, &tried, &outcomes);
    if let Some(bench) = &bench {
        let keep = (&store, &listed);
        see(evening, (bench, &mut dusk), &open, &decides, keep)?;
    }
    // What gates put there for the first time is theirs.
    own::note(&scratch)?;
    Ok((dusk, outcomes))
}

/// What is known of whether gates can fail counts; gives what the others said.
fn take_over(
    dusk: &mut Dusk,
    tried: &BTreeMap<String, DuskGate>,
    outcomes: &[GateOutcome],
) -> Vec<GateOutcome> {
    for gate in &mut dusk.gates {
        if let Some(known) = tried.get(&gate.command) {
            gate.clone_from(known);
        }
    }
    let open = outcomes.iter();
    let open = open.filter(|gate| !tried.contains_key(&gate.command));
    open.cloned().collect()
}

/// Runs these gates; gives also the files that they changed.
fn look(
    bench: &Bench<'_>,
    listed: &BTreeMap<String, String>,
    commands: &[String],
) -> Result<(Vec<GateOutcome>, Vec<String>), Fault> {
    let since = bench.room.moment()?;
    let outcomes = bench.run(commands, &BTreeMap::new());
    bench.bound(&outcomes);
    let written = bench.room.written(listed.keys().cloned(), since);
    Ok((outcomes, written))
}

/// What these outcomes mean, and whether their gates can fail.
fn see(
    evening: Evening<'_>,
    (bench, dusk): (&Bench<'_>, &mut Dusk),
    outcomes: &[GateOutcome],
    decides: &dyn Fn(&str) -> bool,
    keep: Keep<'_>,
) -> Result<(), Fault> {
    if outcomes.is_empty() {
        return Ok(());
    }
    dusk.notes.extend(lacking(evening, keep.0, outcomes));
    let told = Expectations::read(bench, &dusk.commit, dusk)?;
    for gate in &mut dusk.gates {
        let mut said = outcomes.iter().filter(|said| said.command == gate.command);
        if let Some(red) = said.find(|said| !said.passed()) {
            gate.failed_at = told.told(&red.tail);
        }
    }
    let commands: Vec<String> = outcomes.iter().map(|gate| gate.command.clone()).collect();
    let plants = canary::choose(
        keep.1
            .keys()
            .filter(|path| decides(path) || protect::ending(path) == "rs"),
    );
    see_canaries(bench, (dusk, outcomes), &plants, keep)?;
    see_blanks(bench, (dusk, &commands), decides, keep)
}

fn bench<'a>(
    evening: Evening<'a>,
    (room, scratch): (&'a Room, &Path),
    begun: &'a str,
) -> Result<Bench<'a>, Fault> {
    Ok(Bench {
        room,
        from: evening.home,
        limit: evening.limit,
        fault_limit: Cell::new(evening.limit),
        cells: evening.cells,
        own: Own::make(room, Some(scratch), evening.cells)?,
        setup: SetUp {
            persons: evening.setup.persons.or(Some(begun)),
            ..evening.setup
        },
    })
}

/// Stands the room at dusk's commit; gives why the set-up failed, if it did. Then dusk is seen without.
fn prepare(bench: &mut Bench<'_>, store: &Store, commit: &str) -> Result<Option<String>, Fault> {
    match stand(bench, store, commit) {
        Err(fault) if fault.code == Code::SetUpFailed => {
            bench.setup = SetUp::default();
            stand(bench, store, commit).map(|()| Some(fault.reason))
        }
        stood => stood.map(|()| None),
    }
}

fn seen(gate: &GateOutcome) -> DuskGate {
    DuskGate {
        command: gate.command.clone(),
        passed: gate.passed(),
        ..DuskGate::default()
    }
}

/// The commit of everything that the work tree holds, and the store of what git does not hold.
fn begin(evening: Evening<'_>, scratch: &Path) -> Result<String, Fault> {
    let Evening {
        place, run, home, ..
    } = evening;
    let top = &place.top;
    if let Some(commit) = evening.begun_at {
        Store::noted(home, &store(place, run))?;
        return Ok(commit.to_owned());
    }
    let tree = objects::tree(
        place,
        &scratch.join("dusk.index"),
        &git::without_filters(top),
    )?;
    let head = objects::head(top)?;
    let commit = match &head {
        Some((commit, own)) if *own == tree => commit.clone(),
        _ => {
            let parent = head.as_ref().map(|(commit, _)| commit.as_str());
            let made = objects::commit(
                top,
                &tree,
                parent.as_slice(),
                "The work tree as a run found it",
            )?;
            // Kept from git's collection of what nothing names.
            let name = run.file_name().unwrap_or_default().to_string_lossy();
            objects::read_at(
                top,
                &["update-ref", &format!("refs/overnight/dusk/{name}"), &made],
            )?;
            made
        }
    };
    Store::noted(home, &store(place, run))?;
    Ok(commit)
}

/// The text of a file.
type Texts<'t> = &'t dyn Fn(&str) -> Option<String>;

fn note_programs(
    scratch: &Path,
    commands: &[String],
    named: &BTreeSet<String>,
    (read, from): (Texts<'_>, &Path),
) -> Result<(), Fault> {
    let texts: Vec<String> = named.iter().filter_map(|path| read(path)).collect();
    let all: Vec<&str> = commands.iter().chain(&texts).map(String::as_str).collect();
    let path = scratch.join("programs.json");
    if path.exists() {
        return Ok(());
    }
    let kept = Kept {
        programs: programs::note(all.iter().copied(), from),
        texts: all.iter().map(|text| (*text).to_owned()).collect(),
    };
    let json =
        serde_json::to_vec(&kept).map_err(|error| Fault::new(Code::Defect, error.to_string()))?;
    files::replace(&path, &json, files::PRIVATE)
}

#[derive(serde::Serialize, serde::Deserialize, Default)]
struct Kept {
    programs: Programs,
    texts: Vec<String>,
}

/// The programs that are not what they were at dusk, as sentences.
pub(super) fn changed_programs(run: &Path, top: &Path) -> Vec<String> {
    let bytes = std::fs::read(run.join(FOLDER).join("programs.json")).unwrap_or_default();
    let Ok(kept) = serde_json::from_slice::<Kept>(&bytes) else {
        return vec!["what gates start was not noted".to_owned()];
    };
    kept.programs
        .changed(&programs::note(kept.texts.iter().map(String::as_str), top))
}

/// The files of dusk's commit that decide.
pub fn protected(place: &Place, dusk: &Dusk, protect: &GlobSet) -> Result<Vec<String>, Fault> {
    let decides = |path: &String| {
        protect::kind(path).is_some() || dusk.named.contains(path) || protect.is_match(path)
    };
    let listed = objects::files(&place.top, &dusk.commit)?;
    Ok(listed.into_keys().filter(decides).collect())
}

/// What gates start, as noted at dusk: each program's path and what identifies its content.
pub fn programs(run: &Path) -> BTreeMap<String, String> {
    let bytes = std::fs::read(run.join(FOLDER).join("programs.json")).unwrap_or_default();
    let kept: Kept = serde_json::from_slice(&bytes).unwrap_or_default();
    let told = kept.programs.all().values();
    told.map(|(path, identity)| (path.clone(), identity.clone()))
        .collect()
}

fn hash(files: &[(&String, &String)]) -> String {
    let mut hash = Sha256::new();
    for (path, about) in files {
        hash.update(path.as_bytes());
        hash.update([0]);
        hash.update(about.as_bytes());
        hash.update([0]);
    }
    hex(&hash.finalize()[..16])
}

/// Gates whose program is not there, or is none, and those that do not come to an end.
pub fn cannot_start(outcomes: &[GateOutcome]) -> Vec<String> {
    let told = |gate: &GateOutcome| {
        let (last, command) = (gate.tail.lines().last().unwrap_or_default(), &gate.command);
        match gate.exit {
            _ if gate.timed_out => Some(format!("gate {command:?} does not end in time")),
            Some(126 | 127) => Some(format!("gate {command:?} cannot start ({last})")),
            _ => None,
        }
    };
    outcomes.iter().filter_map(told).collect()
}

/// Gates that fail in the room and pass in the person's tree: something is lacking here.
fn lacking(evening: Evening<'_>, store: &Store, outcomes: &[GateOutcome]) -> Vec<String> {
    if store.roots.is_empty() && store.left_out.is_empty() {
        return Vec::new();
    }
    let red: Vec<String> = outcomes
        .iter()
        .filter(|gate| !gate.passed())
        .map(|gate| gate.command.clone())
        .collect();
    let theirs = gates::Room::place(evening.home).within(evening.cells);
    let there = gates::run_all(theirs, &red, evening.limit);
    let told = |gate: &GateOutcome| {
        let said = outcomes
            .iter()
            .find(|outcome| outcome.command == gate.command);
        let last = said
            .and_then(|outcome| outcome.tail.lines().last())
            .unwrap_or_default();
        format!(
            "gate {:?} passes in your tree and fails in a clean one ({last}): name what it needs in .worktreeinclude, or let run.setup make it; --proof in-place is the weaker way",
            gate.command
        )
    };
    there
        .iter()
        .filter(|gate| gate.passed())
        .map(told)
        .collect()
}

type Keep<'a> = (&'a Store, &'a BTreeMap<String, String>);

fn see_canaries(
    bench: &Bench<'_>,
    (dusk, outcomes): (&mut Dusk, &[GateOutcome]),
    plants: &[String],
    keep: Keep<'_>,
) -> Result<(), Fault> {
    let mut left: Vec<&GateOutcome> = outcomes.iter().collect();
    // What is noted here is what every claim is compared with: where one look is not enough, two.
    for _ in 0..2 {
        let commands: Vec<String> = left.iter().map(|gate| gate.command.clone()).collect();
        let planted = bench.plants(plants, &BTreeMap::new())?;
        if planted.is_empty() {
            break;
        }
        let (seen, _) = bench.sight(&commands, &planted)?;
        stand(bench, keep.0, &dusk.commit)?;
        left.clear();
        for (command, sighting) in seen {
            let without = outcomes.iter().find(|gate| gate.command == command);
            left.extend(without.filter(|gate| sighting.is_doubtful(gate)));
            if let Some(gate) = dusk.gates.iter_mut().find(|gate| gate.command == command) {
                gate.canary = Some(sighting);
            }
        }
    }
    Ok(())
}

/// A gate that is green and that no canary turns red: does it look at the tree at all?
fn see_blanks(
    bench: &Bench<'_>,
    (dusk, commands): (&mut Dusk, &[String]),
    decides: &dyn Fn(&str) -> bool,
    keep: Keep<'_>,
) -> Result<(), Fault> {
    let open = |dusk: &Dusk| -> Vec<String> {
        let unseen = |gate: &&DuskGate| {
            gate.passed
                && !gate
                    .canary
                    .as_ref()
                    .is_some_and(|canary: &Sighting| canary.red)
                && gate.blank_red != Some(true)
        };
        dusk.gates
            .iter()
            .filter(unseen)
            .map(|gate| gate.command.clone())
            .filter(|command| commands.contains(command))
            .collect()
    };
    for gone in [false, true] {
        let left = open(dusk);
        if left.is_empty() {
            return Ok(());
        }
        bench.blank(keep.1.keys(), decides, gone)?;
        for (command, red) in bench.red(&left) {
            if let Some(gate) = dusk.gates.iter_mut().find(|gate| gate.command == command) {
                gate.blank_red = Some(red);
            }
        }
        stand(bench, keep.0, &dusk.commit)?;
    }
    for command in open(dusk) {
        dusk.notes.push(proves_nothing(&command));
    }
    Ok(())
}

/// What is noted of a gate that is green whatever the tree holds.
pub fn proves_nothing(command: &str) -> String {
    format!("gate {command:?} stays green without any source: it proves nothing")
}

/// Is this path one that [`canary::choose`] may take?
pub(super) fn is_planted(path: &str) -> bool {
    protect::kind(path).is_some() || protect::ending(path) == "rs" || manifest::is(path)
}
