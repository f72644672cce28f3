//! Does a part of a sentence say that something is not done, and does another settle it?

use super::clause::Part;
use super::lexicon::{
    CONDITIONS, CURED, LASTING, LEADS, NONE, NOW, PAST, RELATIVES, REPAIRS, TESTISH, WORKS, any,
    listed,
};
use super::pattern::{Pattern, matches, pattern};
use super::rules::{Kind, RULES};
use std::sync::LazyLock;

static PATTERNS: LazyLock<Vec<(Kind, Pattern)>> = LazyLock::new(|| {
    let of_kind = |(kind, text): &(Kind, &'static str)| {
        let kind = *kind;
        let lines = text.lines().filter(|line| !line.is_empty());
        lines
            .map(move |line| (kind, pattern(line)))
            .collect::<Vec<_>>()
    };
    RULES.iter().flat_map(of_kind).collect()
});
static SETTLING: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| SETTLES.iter().map(|text| pattern(text)).collect());

/// Headings under which open work is listed.
const LABELS: &str = "
todo, to do, to-do, todos, remaining, remaining work, remaining tasks, remains, left, what is
left, what remains, still open, open, open points, open questions, open issues, open items, open
tasks, missing, still missing, pending, not done, not done yet, not yet done, not yet, not
implemented, not finished, not covered, unfinished, outstanding, known issues, known issue,
known problems, known bugs, known failures, known gaps, blocked, blocked by, blocked on,
blocker, blockers, failing, failed, failures, failing tests, failed tests, next, next up, to be
done, wip, work in progress, in progress, skipped, deferred, postponed, incomplete, caveats,
caveat, still to do, still left, follow-ups, follow-up, followups, left to do, remaining issues,
remaining failures, remaining steps, remaining items, unresolved, untested, not tested, errors,
broken, still failing, left out, gaps, doing";

/// Turns of phrase after which what was open before is settled.
const SETTLES: &[&str] = &[
    "all|every|everything|both ~4 pass|passes|passed|passing|green|done|complete|completed|fixed|resolved|works|work|working|clean|well",
    "none|no|nothing|zero|0 ~3 fail|fails|failing|failures|failed|remain|remains|left|open|outstanding",
    "it|this|that|they|these|those|which|them ~2 fixed|resolved|repaired|pass|passes|passed|work|works|done|green|gone|corrected|addressed",
    "fixed|resolved|repaired|corrected|solved|addressed|cured it|that|this|them|both|by|with|all|now|those|these|as|in|too",
    "^ fixed|resolved|repaired|corrected $",
    "^ fixed|resolved|repaired|corrected the|a|an|this|those|these|both",
    "now ~2 pass|passes|passed|passing|works|work|green|fixed|succeeds|clean|compiles|builds|gone|resolved",
    "pass|passes|passed|works|fixed|green|compiles|builds|succeeds now|again",
    "tests|suite|build|test|ci|run|gate|gates ~3 pass|passes|passed|green|succeeds|succeeded",
    "no longer",
    "any more|longer",
    "anymore",
    "is|are|was|were|been ~1 fixed|resolved|repaired|solved",
    "i|we ~1 fixed|resolved|repaired|corrected|solved",
];

/// Does the part say that something is open? `next` is the word that follows it.
pub(super) fn open(part: &Part<'_>, next: Option<&str>) -> Option<Kind> {
    let words = &part.words;
    let joined = words.join(" ");
    if part.label && LABELS.split(',').any(|label| label.trim() == joined) {
        return next
            .is_some_and(|next| !is_none(next))
            .then_some(Kind::Plan);
    }
    let found = |kind: Kind, pattern: &Pattern| {
        (0..words.len()).any(|at| {
            matches(words, at, pattern).is_some_and(|taken| !excused(part, kind, (at, at + taken)))
        })
    };
    // The kinds that nothing settles come last in the table and first here.
    let mut rules = PATTERNS.iter().rev();
    rules.find_map(|(kind, pattern)| found(*kind, pattern).then_some(*kind))
}

/// Is this the word of a list that has no entry?
pub(super) fn is_none(word: &str) -> bool {
    listed(NONE, word)
}

/// Does the part say that what was open is settled?
pub(super) fn settles(part: &Part<'_>) -> bool {
    let words = &part.words;
    let denied = has(
        words,
        &["not", "never", "except", "hardly", "should", "will"],
    );
    !denied
        && SETTLING
            .iter()
            .any(|pattern| (0..words.len()).any(|at| matches(words, at, pattern).is_some()))
}

fn has(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// Is what the pattern found at `from..to` no open work, but denied, past, a condition, or what the
/// work was about?
fn excused(part: &Part<'_>, kind: Kind, (from, to): (usize, usize)) -> bool {
    const ON_PURPOSE: &[&str] = &[
        "early",
        "fast",
        "loudly",
        "cleanly",
        "gracefully",
        "immediately",
    ];
    let words = &part.words;
    let (before, found) = (&words[..from], &words[from..to]);
    let on_purpose = |word: &String| ON_PURPOSE.contains(&word.as_str());
    if words.get(to).is_some_and(on_purpose) || attributive(words, (from, to)) {
        return true;
    }
    if part.before || (part.optional && kind != Kind::Fails) {
        return true;
    }
    let after = &words[to..];
    let inner = found.split_first().map_or(found, |(_, inner)| inner);
    if has(inner, &["no", "none", "nothing", "zero", "0"]) && kind != Kind::Undone {
        return true;
    }
    let cured = cured(&words[to - 1..]);
    if cured && !any(LASTING, found) && matches!(kind, Kind::State | Kind::Fails | Kind::Stand) {
        return true;
    }
    if matches!(kind, Kind::Partly | Kind::Ask) {
        return denied(before)
            || (about(words, from).is_some() && !has(words, &["i", "we", "you"]));
    }
    let still = has(words, &["still", "yet"]);
    let first_person = has(words, &["i", "we"]);
    let about = about(words, from);
    match kind {
        Kind::Plan | Kind::Hedge => {
            denied(before) || (about.is_some() && any(RELATIVES, before) && !first_person)
        }
        Kind::Undone => {
            let conditional = any(CONDITIONS, before) && (!first_person || about.is_some());
            let told = about.is_some() && any(RELATIVES, before);
            has(words, &["anymore", "longer"]) || ((conditional || told) && !still) || past(words)
        }
        _ => {
            let conditional = any(CONDITIONS, before) && (!first_person || about.is_some())
                || (about.is_some() && has(after, &["without", "unless", "if", "when", "before"]));
            let produced = kind == Kind::Fails
                && about == Some(false)
                && any(TESTISH, before)
                && has(words, &["that", "which"]);
            let stands = about == Some(false) && kind == Kind::Stand;
            denied(before)
                || (conditional && !still)
                || (about.is_some() && !produced && !stands && !still)
                || (kind != Kind::Stand && bygone(words, found))
        }
    }
}

/// `… is fixed`, `… now pass`: what was a problem is none.
fn cured(after: &[String]) -> bool {
    const LINKS: &[&str] = &[
        "is", "are", "was", "were", "been", "now", "all", "also", "both", "have", "has", "as",
        "and",
    ];
    const VERBS: &[&str] = &["passes", "pass", "passed", "works", "work", "gone"];
    let taken_back = has(
        after,
        &[
            "not", "still", "yet", "except", "will", "should", "can", "could", "to", "until",
        ],
    );
    !taken_back
        && after.windows(2).any(|pair| {
            let word = pair[1].as_str();
            VERBS.contains(&word) || (listed(CURED, word) && LINKS.contains(&pair[0].as_str()))
        })
}

/// `Work that was interrupted is resumed`: the program's matter, not the state of the work.
fn attributive(words: &[String], (from, to): (usize, usize)) -> bool {
    let is = |at: usize| matches!(words[at].as_str(), "is" | "are" | "was" | "were");
    let from = from.checked_sub(1).filter(|at| is(*at)).unwrap_or(from);
    let relative = from
        .checked_sub(1)
        .is_some_and(|at| matches!(words[at].as_str(), "that" | "which" | "who" | "whose"));
    let noun = from.checked_sub(2).map(|at| words[at].as_str());
    relative
        && noun.is_some_and(|noun| !listed(TESTISH, noun))
        && has(&words[to..], &["is", "are", "get", "gets", "can", "must"])
}

/// `no test fails`, `nothing is missing`: nothing of the kind is there.
fn denied(before: &[String]) -> bool {
    const DENIALS: &[&str] = &[
        "no", "none", "nothing", "zero", "0", "without", "never", "nor", "neither", "not", "any",
    ];
    let near = &before[before.len().saturating_sub(4)..];
    has(near, DENIALS)
}

/// What was so and is no more: `was failing`, `failed before`.
fn bygone(words: &[String], found: &[String]) -> bool {
    let is_past = any(PAST, words);
    is_past && !any(NOW, words) && !any(LASTING, found)
}

/// `the tests did not pass before`.
fn past(words: &[String]) -> bool {
    const LONG_AGO: &[&str] = &[
        "previously",
        "initially",
        "originally",
        "earlier",
        "formerly",
        "before",
    ];
    has(words, LONG_AGO) && !has(words, &["still", "yet", "now"])
}

/// Is the part about work that was done, with its verb before `at`? `Some(true)` if that verb does
/// away with problems.
fn about(words: &[String], at: usize) -> Option<bool> {
    let head = words
        .iter()
        .take(at)
        .take_while(|word| listed(LEADS, word) || word.parse::<u64>().is_ok())
        .count();
    let verb = words.get(head).filter(|_| head < at);
    let verb = verb.map(String::as_str);
    let passive = words[..at]
        .windows(2)
        .find(|pair| {
            matches!(
                pair[0].as_str(),
                "is" | "are" | "was" | "were" | "been" | "now" | "be"
            )
        })
        .map(|pair| pair[1].as_str());
    let third = words
        .get(..at.min(6))
        .unwrap_or(&words[..at])
        .iter()
        .skip(1);
    let third = third
        .map(String::as_str)
        .find(|word| word.ends_with('s') && (listed(WORKS, word) || listed(REPAIRS, word)));
    for verb in [verb, passive, third].into_iter().flatten() {
        if listed(REPAIRS, verb) {
            return Some(true);
        }
        if listed(WORKS, verb) {
            return Some(false);
        }
    }
    None
}
