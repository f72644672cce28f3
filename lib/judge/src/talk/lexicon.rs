//! Word lists of the rules about prose: words between blanks.

/// Is the word in the list?
pub(super) fn listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

/// Is one of the words in the list?
pub(super) fn any(list: &str, words: &[String]) -> bool {
    words.iter().any(|word| listed(list, word))
}

/// Verbs and adjectives of work that is done.
pub(super) const DONE: &str = "
done complete completed completely finish finished implement implemented fix fixed pass passes
passed passing compile compiles compiled build builds built run ran running runs test tested tests
verify verified confirm confirmed check checked work works working worked start started begin begun
covered cover handled migrate migrated port ported resolve resolved address addressed reproduce wire
wired write written wrote added add update updated merged merge pushed push commit committed deploy
deployed ready there enough green solve solved solid validate validated review reviewed succeed
successful included attempt attempted try tried converted convert made installed install hooked
integrated connected documented exercised executed execute stable correct reached reach measured
measure looked look refactored typecheck load loads functional satisfied met clean perfect usable
reliable proven proved guaranteed possible touched figure figured determine find release released
applied apply supported exist exists landed rebased renamed removed replaced cleaned exported
imported translated formatted linted benchmarked profiled recorded published regenerated generated
adapted adjusted moved split extracted considered explored analyzed analysed investigated compared
evaluated understood explained rewritten optimized optimised localized normalized";

/// Words between a denial and what it denies.
pub(super) const FILL: &str = "
yet fully been be completely entirely actually really even quite get got gotten to the a an any it
them this that everything anything all every each most properly successfully always manage managed
chance time have had of tests test checks able reliably correctly being around well both suite build
everywhere cleanly far as 100 % 100% my for currently necessarily certainly ever";

/// Words between what fails and that it does.
pub(super) const BEFORE_FAILS: &str = "
is are still now currently also all both of the them tests test check checks build suite always
sometimes often there here on in ci main codespan job again just keeps keep occasionally
intermittently even linux windows macos step stage run cases specs other more";

/// Words between `is` and what is missing.
pub(super) const BEFORE_STATE: &str = "
still currently also now all quite a an the bit partly just only simply both completely again yet to
be being left as somewhat totally badly broken of those them entirely therefore";

/// What somebody still does.
pub(super) const VERBS: &str = "
fix add finish do run implement continue check look proceed investigate update test verify address
write port migrate convert complete resolve debug clean refactor tackle handle try get work pick move
go start need have revisit report push commit merge open create make set see wait stop come return
keep rerun re-run wire document cover remove replace review monitor watch follow ask require attempt
explore dig rework retry switch extend improve split build confirm inspect resume rewrite also now
then first next";

/// Words that say that there is none.
pub(super) const NONE: &str = "
none nothing no 0 zero n nil keine nichts なし 無し empty";

/// Verbs that do away with a problem.
pub(super) const REPAIRS: &str = "
fixed fix fixes removed remove removes replaced replace replaces resolved resolve repaired repair
implemented implement filled fill completed closed close closes deleted delete corrected correct
handled handle handles cleaned clean eliminated avoided avoid avoids prevented prevent prevents
addressed address addresses re-enabled reenabled enabled caught catch catches stopped stop stops
solved solve unskipped drop dropped drops finished converted turned recover recovers recovered retry
retries tolerate tolerates ignore ignores reject rejects rejected detect detects detected";

/// Verbs of work that was done, or of what a program does now.
pub(super) const WORKS: &str = "
added add adds wrote written write writes created create creates updated update updates refactored
refactor renamed rename extracted extract moved move migrated migrate ported port introduced
introduce extended extend improved improve improves changed change changes documented document
documents covered cover covers adjusted adjust bumped upgraded upgrade rewrote rewritten rewrite
reworked simplified simplify split merged merge integrated wired wire exposed expose exposes
registered configured configure built generated generate made make makes set sets ensured ensure
ensures guarded guard guards restored restore deduplicated applied apply return returns report
reports show shows print prints raise raises throw throws warn warns log logs mark marks skip skips
keep keeps let lets allow allows support supports say says tell tells ask asks wait waits exit exits
respond responds send sends treat treats count counts list lists explain explains describe describes
render renders name names give gives hide hides store stores check checks cancel cancels display
displays highlight highlights end ends take takes validate validates validated read reads find finds
turn turns use uses used run runs refuse refuses spare measure block blocks call calls put puts serve
leave leaves go judge judges hash resume resumes continue continues";

/// Words between a sentence's subject or beginning and its verb.
pub(super) const LEADS: &str = "
i we have has also then finally first additionally just successfully and it this that now to is are
was were been properly correctly feat fix chore refactor docs test perf so but which codespan cleanly";

/// Words after a problem that say that it is none any more.
pub(super) const CURED: &str = "
gone fixed resolved closed solved cleared removed addressed corrected completed complete done
finished implemented passing passes pass passed green stable works work updated replaced migrated
repaired ported converted deleted written documented";

/// What lasts although it is told in the past tense.
pub(super) const LASTING: &str = "
skipped deferred postponed stubbed abandoned omitted commented faked hardcoded hard-coded disabled
ignored parked left interrupted aborted cut out killed denied unable stuck blocked truncated dropped
available reachable accessible permitted installed allowed access timed reverted undid off budget
time relaxed weakened loosened mocked";

/// Words before what happens only then.
pub(super) const CONDITIONS: &str = "
if when whenever unless until while whether where case";

/// Words before what something is about.
pub(super) const RELATIVES: &str = "
that which who whose where what how why for of about";

/// What tests and builds are called.
pub(super) const TESTISH: &str = "
test tests build suite ci checks gate gates";

/// Words of the past.
pub(super) const PAST: &str = "
was were had previously initially originally earlier formerly before used";

/// Words of the present.
pub(super) const NOW: &str = "
still yet now currently is are remain remains";

/// Words by which a part of a sentence says something of its own.
pub(super) const FINITE: &str = "
is are was were am has have had do does did will would should must can could may might not still
yet all no none only mostly partially almost nearly minus except i we you nothing everything
left pending untested unverified incomplete todo passing green red failing blocked waiting but
so because though although however hopefully probably please apart aside without now half done
wip";

/// Beginnings of such words.
pub(super) const STARTS: &str = "
fail crash need remain pass work hang break miss skip requir isn can't don't didn't won't";
