//! Something is missing, broken or pending.

/// Patterns, one a line.
pub(super) const PATTERNS: &str = "
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
