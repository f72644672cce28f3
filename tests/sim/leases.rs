//! Leases at scale: agents in clones on many machines, tasks, and one remote, all in one event
//! queue. Who may take a lease and who still holds one is decided by `lease` itself; the
//! remote only compares and swaps. Messages take time, get lost on either way, and are cut off
//! for minutes; clocks are wrong by ten minutes and run unevenly; agents die and come back, pause
//! for longer than their lease, and machines start anew.

mod agent;
mod work;
mod world;

use crate::random::Random;
use overnight_lease::{Me, Record, Standing, State, Why};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

const T0: u64 = 1_795_186_800_000;
const MINUTE: u64 = 60_000;
/// Time to live of the leases, in seconds.
const TTL_S: u64 = 600;
/// An answer that has not come by then never comes (`host::leases`: 20 s).
const TIMEOUT: u64 = 20_000;
/// Whatever is not over by then is stuck: two days.
const HORIZON: u64 = 48 * 60 * MINUTE;

/// How large the world is, and how bad.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) agents: usize,
    pub(crate) tasks: usize,
    pub(crate) per_machine: usize,
}

/// A rule that is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    /// A lease that was seen is taken at once.
    Impatient,
    /// A lease that somebody holds is never taken.
    Timid,
    /// Work is published without comparing the lease.
    Unfenced,
    /// A new holder gets the old token.
    OldToken,
}

/// What a world came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) minutes: u64,
    pub(crate) pushes: u64,
    pub(crate) reads: u64,
    /// Most requests that reached the remote within one second.
    pub(crate) busiest: u64,
    pub(crate) lost: u64,
    pub(crate) deaths: u64,
    pub(crate) pauses: u64,
    /// Leases that were taken from somebody, by reason.
    pub(crate) taken: BTreeMap<String, u64>,
    /// Longest time from a holder's end to the next grant of its task, in seconds.
    pub(crate) longest_orphaned_s: u64,
    pub(crate) stale_refused: u64,
}

type Oid = u64;

#[derive(Debug, Clone)]
enum Request {
    /// Compare and swap; with `done`, the work goes along.
    Push {
        task: usize,
        expected: Option<Oid>,
        oid: Oid,
        record: Box<Record>,
        done: bool,
    },
    /// What stands on the task's ref.
    Read { task: usize, known: Option<Oid> },
    /// What is done.
    Line,
}

#[derive(Debug, Clone)]
enum Answer {
    Moved,
    Stale,
    Standing(Standing),
    /// The ref carries what the claimant knows.
    Unmoved,
    Line,
    /// Nothing came back.
    Silence,
}

#[derive(Debug)]
enum Event {
    /// An agent goes on by itself.
    Act,
    Arrive(Request),
    /// What came back.
    Reply(Answer),
    Die,
    Rise,
}

/// An event of one agent's life and its time; of two at the same time the one put in first is first.
#[derive(Debug)]
struct Due {
    at: u64,
    sequence: u64,
    agent: usize,
    life: u32,
    event: Event,
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Due {}

/// What a push is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    Acquire,
    Renew,
    Publish,
    Release,
}

/// What an agent waits for.
#[derive(Debug, Clone)]
enum Doing {
    Idle,
    /// The line, before it chooses.
    Looking,
    /// The line, with a lease in hand.
    Confirming,
    /// A ref, while it asks for a task.
    Reading,
    /// A push, sent so often.
    Pushing(For, Box<Record>, Option<Oid>, Oid, u32),
    /// A look at the ref after a push without an answer.
    ReadingBack(For, Box<Record>, Option<Oid>, Oid, u32),
    /// A look at the ref after a push of its own lease that came too late.
    ReadingOwn(For),
    Working,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Agent {
    me: Rc<Me>,
    machine: usize,
    /// Grows with each death: events for an earlier life are dropped.
    life: u32,
    alive: bool,
    phase: Doing,
    states: BTreeMap<usize, State>,
    /// What it knows to be done, a bit a task.
    done: Vec<u64>,
    looked: Option<u64>,
    /// Tasks asked for in vain: how often, and when to ask again.
    asked: BTreeMap<usize, (u32, u64)>,
    /// The word of bits at which it looks on.
    cursor: Option<usize>,
    task: usize,
    rounds: u32,
    fresh: bool,
    why: Option<Why>,
    /// What it believes to hold.
    holds: Option<Box<Record>>,
    oid: Oid,
    until: u64,
    next_renewal: u64,
    /// The work is done and was not published yet, as far as it knows.
    finished: bool,
    /// Woke from a pause and does not look at its clock.
    reckless: bool,
}

#[derive(Debug)]
struct Machine {
    boot: u32,
    /// What its wall clock is ahead by.
    offset: i64,
    /// True time at which its boot clock was zero.
    booted: i64,
    /// Parts per million by which its boot clock is too fast.
    drift: i64,
    cut_until: u64,
}

/// The world.
pub(crate) struct World {
    size: Size,
    mutant: Mutant,
    random: Random,
    now: u64,
    queue: BinaryHeap<Reverse<Due>>,
    sequence: u64,
    agents: Vec<Agent>,
    machines: Vec<Machine>,
    /// The refs of the remote.
    refs: BTreeMap<usize, (Oid, Box<Record>)>,
    done: Vec<u64>,
    left: usize,
    /// When a task's holder ended without a word.
    orphaned: BTreeMap<usize, u64>,
    second: (u64, u64),
    figures: Figures,
}

impl Agent {
    fn new(at: usize, size: Size) -> Self {
        Self {
            me: Rc::new(Me {
                agent: String::new(),
                instance: String::new(),
                host: String::new(),
                boot: String::new(),
                owner: None,
            }),
            machine: at / size.per_machine,
            life: 1,
            alive: true,
            phase: Doing::Idle,
            states: BTreeMap::new(),
            done: bits(size.tasks),
            looked: None,
            asked: BTreeMap::new(),
            cursor: None,
            task: 0,
            rounds: 0,
            fresh: false,
            why: None,
            holds: None,
            oid: 0,
            until: 0,
            next_renewal: 0,
            finished: false,
            reckless: false,
        }
    }
}

fn oid_of(standing: &Standing) -> Option<Oid> {
    standing.oid().and_then(|oid| oid.parse().ok())
}

/// A bit a task; those behind the last one are set.
fn bits(tasks: usize) -> Vec<u64> {
    let mut bits = vec![0; tasks.div_ceil(64)];
    for task in tasks..bits.len() * 64 {
        set(&mut bits, task);
    }
    bits
}

fn set(bits: &mut [u64], task: usize) {
    bits[task / 64] |= 1 << (task % 64);
}

fn is_set(bits: &[u64], task: usize) -> bool {
    bits[task / 64] & 1 << (task % 64) != 0
}
