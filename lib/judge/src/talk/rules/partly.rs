//! Only a part is done.

/// Patterns, one a line.
pub(super) const PATTERNS: &str = "
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
