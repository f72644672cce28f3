//! Nobody knows.

/// Patterns, one a line.
pub(super) const PATTERNS: &str = "
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
