//! A person is asked.

/// Patterns, one a line.
pub(super) const PATTERNS: &str = "
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
