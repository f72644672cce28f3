//! Something fails.

/// Patterns, one a line.
pub(super) const PATTERNS: &str = "
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
