//! It will be done.

/// Patterns, one a line.
pub(super) const PATTERNS: &str = "
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
