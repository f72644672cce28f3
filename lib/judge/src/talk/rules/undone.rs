//! Something was not done.

/// Patterns, one a line.
pub(super) const PATTERNS: &str = "
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
