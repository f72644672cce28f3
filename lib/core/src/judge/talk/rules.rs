//! What prose says that is not done: patterns by kind (see [`super::pattern`] for their language).

/// What a pattern speaks of; [`super::open`] knows what excuses each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something was not done.
    Undone,
    /// Something is missing, broken or pending.
    State,
    /// Something fails.
    Fails,
    /// A thing that only stands for the real one.
    Stand,
    /// Only a part is done.
    Partly,
    /// Nobody knows.
    Hedge,
    /// It will be done.
    Plan,
    /// A person is asked.
    Ask,
}

impl Kind {
    /// Can a later sentence settle it (`all tests pass now`)? Not what only stands for the real
    /// thing, what nobody knows and what is yet to be done.
    pub(super) fn can_be_settled(self) -> bool {
        matches!(self, Self::Undone | Self::State | Self::Fails)
    }
}

/// Patterns by kind, one a line.
pub(super) const RULES: &[(Kind, &str)] = &[
    (Kind::Undone, UNDONE),
    (Kind::State, STATE),
    (Kind::Fails, FAILS),
    (Kind::Stand, STAND),
    (Kind::Partly, PARTLY),
    (Kind::Hedge, HEDGE),
    (Kind::Plan, PLAN),
    (Kind::Ask, ASK),
];

const UNDONE: &str = "
not|never|hardly|barely ~fill @done
none|neither|nothing|nobody ~4 pass|passes|works|compiles|builds|implemented|written|started|verified|succeed|succeeds|tested
no test|tests|checks|build|part|progress|work ~2 run|ran|written|added|pass|passes|made|executed|exist|implemented|done
unable|failed|impossible|forgot|yet to ~1 @done|make|reach|connect|access|complete|be|do|get|debug|come
^ unable|failed|impossible|forgot to
i|we ~1 unable|failed|forgot to
i|we ~1 can|could|did|do|have|am|would not ~2 get|know|understand|see|access|reach|tell|say|guarantee|promise|manage|able|sure|certain|go|make|do|had|got|take|complete|explain|claim|call|consider|sure|confident|happy|satisfied
^ could|can|did not ~2 get|access|reach|tell|make|see|do
could|can not be ~1 @done|reached|accessed|opened|found|downloaded|shown|used
yet to be|do|see|get|have|come
far from|short of ~1 @done|it|that|the|over
nowhere near
not in place|sync|shape
not yet|everything|all|fully|quite|entirely|completely|100%
yet to
unfortunately|regrettably|sadly|alas|sorry
not going|planning|able to
changed|edited|adjusted ~1 expected|assertion|assertions
is|are|does|do|did|was|were|has|have|can|could not $
not ~1 happy|satisfied|pleased|convinced
this|it|code|implementation|module|version|fix|patch does|do not ~1 have|support|include|cover|handle|do|provide|implement|offer|address|contain
without running|testing|verifying|checking|compiling|building|trying|executing
untested|unverified|unchecked|unfinished|unimplemented|uncompiled|unproven|unreviewed|undone|incomplete $
unfinished|untested|unverified|incomplete work|business|part|parts|piece|pieces|code|paths
looser|weaker|laxer";

const STATE: &str = "
off by a|an|one|two|three|about|roughly|several|@number
left|remain|remains to ~1 @done|make|reach|connect|be|do|get|debug|come|see
is|are|remain|remains|stay|stays|seem|seems|still|currently|now|left|be ~state missing|broken|red|failing|flaky|unstable|pending|outstanding|unresolved|stuck|blocked|blocking|wip|todo|stubbed|absent|lacking|unclear|unknown|undecided|unhandled|deferred|postponed|hardcoded|hard-coded|open-ended|wrong|buggy|uncommitted|problematic|overdue|useless|speculative|tentative|experimental|simulated|drafted|sketched|outlined|faked|incorrect|inaccurate|unusable|unreliable|inconsistent|premature|shaky|fragile|brittle|rough
but|yet disabled|commented|inactive|unused|skipped|ignored|mocked|stubbed|empty|untested
goal|target|threshold|requirement|minimum is|was|of ~1 @percent
differ|differs|deviate|deviates|diverge|diverges|differed from ~2 expected|spec|specification|reference|baseline|requirement|requirements|design|golden|plan
had to ~1 relaxed|relax|skip|skipped|disable|disabled|weaken|weakened|loosen|loosened|leave|stop|revert|reverted|mock|mocked|stub|stubbed|guess|assume|hard-code|hardcode|ignore
without bound|bounds|limit|end $
was|were|been|got|being ~state skipped|deferred|postponed|stubbed|abandoned|cut|commented|hardcoded|hard-coded|dropped|parked|interrupted|aborted|killed|truncated|blocked|omitted|faked
test|tests|suite|check|checks|lint|rule|assertion|assertions|spec|specs|case|cases|validation|step|steps|gate|gates ~3 disabled|skipped|ignored|mocked|muted|excluded|commented|xfail|xfailed|deselected|quarantined|relaxed|weakened|loosened|suppressed|silenced
i|we ~1 skipped|disabled|deferred|postponed|stubbed|omitted|commented|faked|hardcoded|hard-coded|punted|parked|abandoned|stopped|paused|ignored|excluded|muted|relaxed|weakened|loosened|mocked|left
test|tests|lint*|check|checks|rule|rules|ci|warning|warnings|type|validation ~4 turned|switched off
the|all|few|some|two|three|several|any|@number remaining
below ~1 threshold|minimum|target|baseline
above|over|beyond|exceeds|exceed|missed|misses ~1 threshold|limit|budget|target|maximum|baseline|deadline
slower|worse|larger|bigger|higher|lower|less|more than ~2 target|required|allowed|threshold|baseline|before|specified|spec|goal|expected
no|without fix|solution|explanation|answer|clue
i|we ~1 reverted|undid
reverted|undid my|it|everything|all|that
^ skipped|disabled|deferred|postponed|stubbed|omitted|commented|punted|parked|abandoned|faked|leaving|left|skipping|deferring|postponing|stubbing|disabling the|out|this|that|it|a|one|two|three|some|all|those|these|for|several|e2e|integration|unit|flaky|slow|failing|most|four|five|docs|tests
still ~1 missing|broken|red|failing|fails|fail|pending|outstanding|open|unresolved|todo|blocked|stuck|wrong|need|needs|has|have|to|lack|lacks|no|not|some|a|one|two|three|several|many|few|work|working|running|waiting|incomplete|unfinished|in|the|an|crash*|hang*|error*|return*|throw*|show*|flak*|leak*|refus*|investigat*|debug*|figur*|being|lots|plenty|half|ahead|@number
open|outstanding|unresolved|remaining question|questions|issue|issues|point|points|item|items|problem|problems|bug|bugs|work|task|tasks|todo|todos|failure|failures|error|errors|part|parts|piece|pieces|failing|test|tests|step|steps
known issue|issues|bug|bugs|problem|problems|gap|gaps|limitation|failure|failures|breakage|defect|defects|regression
there is|are ~1 some|one|two|three|four|five|several|few|many|more|still|lot|@number ~2 left|failing|open|issue|issues|problem|problems|bug|bugs|error|errors|failure|failures|gap|gaps|todo|todos|to|warning|warnings|things|cases|pieces|parts|tests|remaining|regression|conflict|conflicts
what|which|that is left|missing|open|remaining|outstanding|broken
is|are|being|has|have ~2 left for|to|as|out|over|open|undone|unimplemented|until
left|leaves|leave ~3 for|to the|a|another|next|later|you|someone|somebody|follow*|do|be|future|review*|reader
in progress
under way|construction|investigation
underway|ongoing|wip|tbd|tba
work in progress
halfway|half-way|midway
is|am|are|was|were|got|remain|remains blocked|stuck on|by|at|until|because
blocks|blocking me|us|this|the
blocker|blockers
permission|permissions|access ~1 denied|refused|missing|required|needed
permission|access was|is|were not ~1 granted|available
no|lack|lacks|lacking|missing network|internet|credentials|permission|permissions|access|docker|database|token|api
not permitted|allowed|available|accessible|reachable|installed|authorized|authorised|found|present|applicable
gave|giving|give up
ran|run|running|am|out of|out time|turns|budget|context|tokens|ideas|space|memory|iterations|quota|steps
out of time|turns|budget|context|tokens|ideas|iterations|quota
time|session|budget|context|turns|iterations ~1 ran|is|are out|up|over|exhausted|spent
time budget|limit is|was ~1 up|exhausted|spent|reached|exceeded|hit
got|am|is|was|were cut|interrupted|stuck|killed|distracted|short
timed out
regression|regressions|conflict|conflicts in|with|remain|remains|is|are|was|were|appeared
lack|lacks|lacking ~2 test|tests|coverage|docs|documentation|support|handling|validation|the|a
no|missing test|tests|coverage|documentation|docs|implementation yet|so|for|exists|exist|at
yet $";

const FAILS: &str = "
test|tests|suite|build|ci|lint|linter|clippy|tsc|compiler|compilation|typecheck|type-check|types|gate|gates|check|checks|job|jobs|pipeline|spec|specs|e2e|integration|deployment|deploy|migration|migrations|workflow|assertion|assertions|codespan|step|stage|server|it|they|one|two|three|four|five|some|several|both|most|which|that|case|cases|@number|app|page|binary|program|module|script|eslint|mypy|pytest|everything ~fails fail|fails|failing|failed|broken|broke|red|crash|crashes|crashed|hang|hangs|hung|panic|panics|panicked|flaky|breaks|break|errors|errored|complains|stalls|segfaults|regressed|regresses|deadlocks|chokes
still|now|currently|again|sometimes|occasionally|intermittently|always|consistently ~1 fail|fails|failing|red|broken|crash|crashes|hang|hangs|panic|panics|flaky|errors|breaks|timing|times|segfault*
fail|fails|failing|refuse|refuses to ~1 compile|build|start|run|pass|link|load|connect|resolve|install|boot|render|parse|deploy|apply|converge|complete
is|are|was|were|keep|keeps|left|remain|remains|seem|seems ~2 failing|broken|red|flaky|crashing|hanging|erroring|panicking|regressing
codespan|tests|build|suite|ci|command|pytest|cargo ~2 exit|exits|exited|exiting|returns|returned with|status|code|non-zero|nonzero ~2 @number|non-zero|nonzero|error|errors|an
exit|exits|exited ~1 status|code|with ~1 @number|non-zero|nonzero
times|timing|time out
chokes|segfaults|crashes|hangs|deadlocks|panics|misbehaves|stalls|explodes|leaks
linter|lint|eslint|clippy|ci|checker|compiler|suite|it|mypy|tsc|review|audit|scanner|pytest|codespan ~1 reports|report|shows|finds|found|lists|complains|flags ~2 @number|two|three|four|five|several|some|many|one|a|an|about
compile|compiler|type|lint|build|linker|compilation error|errors|failure|failures|problem|problems
failing|failed|broken|flaky|red test|tests|build|check|checks|job|ci|spec|specs|assertion|suite|case|cases|pipeline
does|do|did|is|are not ~1 hold|behave|match|agree|render|respond|fit|scale|converge|terminate|line|add|exist|appear|show|load|start|link|open|close|save|refresh|submit|trigger|fire|happen|arrive|display|recognize|recognise|parse|persist|stop";

const STAND: &str = "
at the moment|present
right now $
a stack|full trace
traceback|backtrace
todo|todos|to-do|to-dos|fixme|fixmes|stub|stubs|skeleton|scaffold|scaffolding|dummy|hack|kludge|band-aid|bandaid|mock-up|prototype|boilerplate
placeholder|placeholders implementation|value|values|data|code|for|in|logic|function|functions|so|until|that|only
a|as|with|only|just|still|are|is placeholder|placeholders $
hardcoded|hard-coded ~2 value|values|for|result|results|response|data|answer|until|url|list|output
unimplemented|not-implemented|notimplementederror
raises|throws|returns notimplementederror|unimplemented|501|dummy|fake|mock|hardcoded|hard-coded|placeholder
for now
for the|in the time|mean being|time|meantime
temporarily|temporary|stopgap|provisional|provisionally|interim|makeshift
best effort|guess";

const PARTLY: &str = "
half|halves done|finished|of|way|the|implemented|complete|working|ported|migrated|there|written
partially|partly|halfway|half-done|half-finished
partial|incomplete implementation|support|fix|solution|migration|port|success|progress|result|results|coverage|version|rewrite|completion|work
most|majority|bulk|rest|remainder of|is|are the|it|them|that|this|my|tests|what|done|working|left|to|missing|follow*|will|needs|comes
mostly|largely|nearly|almost|basically|essentially|practically|virtually|roughly|approximately|pretty ~2 @done|all|everything|every|in|there|over|home|much|finished|functional|correct
for the most part
all but
so far
up to now|here|this
first|initial|rough|early|preliminary pass|cut|half|part|draft|stab|version|attempt|step|steps|slice|sketch|round|approximation|milestone|piece
proof of concept
happy path only|is|works|so|but|and
only|just ~1 the|a|one|two|three|some|part|half|@number ~4 @done
only cover*|work|works|test|tested|tests|implemented|support|supports|handle|handles|checked|ran|run|got|did|managed|part|partly|half|a|some|the|started|wrote|looked|happy|parts|scaffold*|skeleton ~9 $
some|few|several|many|part|parts|one|two|three|pieces|half|@number of ~1 the|it|them|these|those
first|second|third of ~1 two|three|four|five|six|seven|eight|@number
another|different story|matter|thing|question
^ except|barring
as far|much|good|close|best|well as ~1 i|we|possible|could|it|can
to|in some|a|large|great extent|degree|part|parts
more or less
good enough
good|some|great|significant|steady|slow|decent|solid|more|little progress
what|everything|all|that|which i|we ~1 could|can|looked|tried|managed
i looked|checked|tried|tested at $
^ only|just the|a|part|half|some|one|two|three ~3 $
close|closer|near|nearer|getting|approaching to|there|closer|completion|done|finished
@less ~2 done|complete|completed|finished|there|of|implemented|migrated|ported|converted|pass|passing|through|ready|working
apart|aside|save|barring|minus|modulo|excluding|besides|except|excepting from|for|the|one|a|docs|that|two|some|edge|error|codespan|tests
other than the|that|one|a|two|those
with the exception
with|has|have ~2 caveats|exceptions|reservations|gaps
loose|rough ends|edges
caveat|caveats
@number|one|two|three|four|five|several|some|few|couple ~1 more|left|remaining|outstanding|unfinished|pending|unresolved|to|todo ~1 $|to|test|tests|task|tasks|file|files|step|steps|item|items|go|do|fix|endpoint*|module*|case*|bug*|issue*|error*|problem*|thing*|piece*|part*
more work|iterations|iteration|passes|time|testing|tests|steps|sessions|effort|debugging|cleanup|polish|digging|to ~2 $|to|is|are|needed|required|on|for|do|come|before|than
another|one more|additional|further iteration|pass|round|session|attempt|look|try|step|work|run";

const HEDGE: &str = "
for|in|on|with most|some|many inputs|cases|files|browsers|platforms|users|modules|situations|pages|tests|of
looser|weaker|laxer
should ~1 pass|work|compile|build|suffice|succeed|fix|resolve|hold|go|do|run|now|behave
should ~2 be|now be|now ~1 fine|ok|okay|good|done|enough|complete|correct|working|fixed|green|ready|all|passing|finished|resolved|safe|it|sufficient|solved|there|stable|gone
hopefully|presumably|supposedly|theoretically|arguably|conceivably
in theory|principle
good|promising|encouraging sign
i|we ~1 think|believe|guess|suppose|assume|assumed|expect|suspect|hope|reckon|imagine|figure|feel|gather|presume|guessed|speculate|doubt|worry|fear|wonder|trust
not|never ~1 sure|certain|confident|convinced|clear|positive|guaranteed|100%
unsure|uncertain|doubtful|questionable|dubious|unconfirmed
no idea|guarantee|guarantees|proof|evidence|confirmation|way|clue ~1 to|that|whether|why|if|how|it|of|yet|what|know|$
probably|likely|perhaps|maybe|possibly|potentially ~3 @done|fine|ok|okay|good|enough|all|need*|miss*|break*|fail*|still|not|more|correct|a|the|be|flak*|wrong|incomplete|affect*|because|related
may|might|could ~1 still|not|need|have|fail|break|be|require|miss|also ~2 fail*|break*|need*|missing|wrong|incomplete|flaky|more|some|a|edge|issue*|bug*|problem*|incorrect|broken|necessary|affect*|left|be|pass|work|other|done|regress*|work|change*|not
seem|seems|seemed|appear|appears|appeared to ~2 @done|be|fix|have|do|solve|behave|help|hold
seems|seem|looks|look|appears|feels|sounds ~1 fine|ok|okay|right|good|done|plausible|correct|complete|like|reasonable|close|promising|stable|better
as far as|i i|we|can
assuming|provided|supposing|presuming ~1 that|the|this|no|it|nothing|everything|all|my|ci|you
by inspection|eye|reading|analogy|guesswork
to be ~1 confirmed|verified|tested|done|fixed|added|decided|implemented|written|continued|determined|completed|checked|finished|migrated|ported|resolved|clarified|discussed|reviewed|addressed|investigated|updated|converted|seen|wired
remains to be|see
whether ~4 works|work|passes|pass|correct|enough|holds|helps|compiles|is|it|this|that $
in doubt|limbo|question
fingers|touch crossed|wood
more ~1 confident|likely|certain|sure than|that|of|now
reasonably|fairly|pretty|quite|somewhat|moderately|cautiously sure|confident|certain|optimistic|stable|close|complete";

const PLAN: &str = "
i|we ~1 will|shall ~2 @verb
i|we ~1 going|about|planning|intending|trying|hoping|looking to
i|we ~2 plan|intend|need|have|want|aim|hope|propose|expect|ought|still|meant|wanted|must to|now|continue|fix|finish|do|check|look|proceed|go|try|run|add|implement|still|need|like|have|be|address|next|then|start|complete|verify|update|investigate|test ~9 $
we|i|one should ~1 @verb
i|we would|should ~1 like|need|have|prefer|continue|want|still
^ will ~1 @verb
going to|forward ~1 @verb
will|shall ~1 be ~1 done|added|fixed|finished|implemented|written|completed|ported|migrated|resolved|addressed|tested|verified|updated|covered|handled|tackled|converted|reviewed|needed|required|continued|picked|removed|cleaned|merged|deployed|replaced|next|in|part|left|the
will|to|shall|can follow|come|continue|resume|land|arrive|happen|suffice|remain|wait ~9 $
let me now|also|just|quickly|check|fix|run|verify|look|try|continue|finish|see|add|update|first|start|do|re-run|rerun|make|investigate|debug|proceed|write|double-check|test|think|address|work|correct|clean|take
^ next|then|now|afterwards|after ~1 i|we|comes|come|is|up|on|will|are|that|come
^ next $
come|comes|is|are|follows next
^ let's|lets @verb
before ~1 calling|declaring|considering|saying|claiming|merging|shipping|closing|marking
^ now|next fixing|running|working|checking|adding|implementing|updating|testing|moving|continuing|investigating|debugging|looking|starting|verifying|to|on|for|writing|porting|migrating
next iteration|session|run|turn|loop|time|round|pass|attempt|sprint|cycle|agent|up|milestone
need|needs|needed|require|requires|required|wants|deserves to ~1 be|do|finish|fix|run|add|check|see|update|investigate|test|verify|continue|implement|look|work|complete|come|get|go|have|wait|write|address|debug|figure|handle|wire|decide|know|port|migrate|rework|revisit|re-run|rerun|resolve|rebase|merge|install|set
need|needs|requires|require|wants|deserves ~2 work|more|further|another|additional|your|fixing|testing|attention|investigation|manual|debugging|updating|polish|polishing|rework|cleanup|review|decision|follow-up|followup|human|doing|finishing|tests|validation|verification|adjusting|adjustment|tweaking|changes|refactoring|approval|credentials|permission|access|time|love|docs|documentation|implementing|writing|care|discussion|confirmation
has|have|had to ~1 be|wait ~1 done|fixed|finished|implemented|completed|updated|added|written|migrated|ported|resolved|addressed|tested|verified|reviewed|wired|run|rerun|re-run|checked|decided|converted|until|for|handled|merged|deployed|reworked|revisited
must|should|ought|could ~1 be|to ~2 done|fixed|finished|implemented|completed|updated|added|written|migrated|ported|resolved|addressed|tested|verified|reviewed|wired|rerun|re-run|investigated|revisited|reworked|improved|cleaned|refactored|looked|merged|deployed|double-checked|rechecked|considered ~9 $
later|tomorrow|afterwards|soon|eventually|shortly $
later|future|separate|subsequent|another|next|different iteration|session|pr|task|change|commit|release|run|pull|ticket|issue|iterations|day|time|step|work|stage|phase|pass|point|date|follow-up
follow|following up
follow-up|followup|follow-ups|followups ~2 needed|required|work|pr|task|for|will|to|is|iteration|ticket|issue|change|change|commit|$
future|remaining work
down the|when|once time|road|i|line|ci|we ~1 permits|get|$|have|finishes|is|am
coming|up next|soon|up|weeks|days|iteration
continuing|proceeding|resuming ~1 with|on|to|from|here|the|tomorrow|in|until
^ continue|proceed ~1 with|on|to|from|here|tomorrow|in|next
keep|keeping going|working|debugging|investigating|digging|trying|looking
^ continuing|proceeding|resuming|working|investigating|debugging|starting|moving|looking|checking|fixing|implementing|porting|migrating|waiting ~1 on|with|to|the|now|into|for|at|from|next|it|this|that|why
i am|was ~2 continuing|working|investigating|debugging|starting|moving|looking|checking|fixing|implementing|porting|migrating|waiting|running|writing|adding|stopping|at|in|on|half|stuck|trying|missing|still|leaving|pausing|blocked
pick|picking|picked ~2 up ~4 later|next|tomorrow|from
come|coming|get|getting|circle|go back to|and
return|revisit|revisiting ~1 to|it|this|that|the|later|in
started|began|begun|beginning ~1 on|to|with|working|implementing|porting|migrating|writing|the|work|a|my|refactoring|converting
on the|my way|todo|list|to-do|agenda|roadmap
remember|forget to
before ~3 can|i|we ~2 done|call|complete|finish|claim|ship|merge|declare|say|consider
until ~3 is|are|ci|you|i|we|someone|then|the ~3 done|green|fixed|finished|resolved|available|complete|back|decide|confirm|approve|reply|answer|merged|can|have|passes|pass|ready|answered|approved|$";

const ASK: &str = "
please confirm|advise|provide|decide|clarify|approve|grant|install|tell|choose|specify|answer|help|run|verify|supply|send|share|give|set|fix|rerun|re-run|log|let|check|finish|complete|test|add|restart|try|make|enable|configure|do|point
^ can|could|would|will you
^ should|shall|may|can i|we
^ which one|option|approach|of|variant|version|do|way
do you want|prefer
waiting|awaiting|pending for|on|your|approval|review|confirmation|ci|feedback|input|a|the|an|until|merge|results|further|instructions
awaiting
your|human|user|maintainer|manual|owner|their|team's approval|input|decision|confirmation|help|permission|answer|go-ahead|guidance|intervention|instructions|instruction|clarification|call|action|verification|steps|sign-off|signoff|testing ~3 $|is|are|needed|required|on|to|before|first|and|about|for|in
a|the|some|any person|human|someone|somebody|maintainer|developer|reviewer|admin|operator|colleague|team|owner|vendor|ops|dba ~1 must|should
person|human|someone|somebody|maintainer|developer|reviewer|admin|operator|colleague|team|owner|vendor|ops|dba|anyone|you ~2 needs|need|has|have|ought to
someone|somebody|you|anyone ~2 must|should|will look|check|verify|fix|finish|decide|run|review|complete|confirm|do|still|set|add|implement|provide|install|now|first|manually
up to you
question|questions ~1 for|remain|remains you|open|unanswered|$";
