//! A thing only stands for the real one.

/// Patterns, one a line.
pub(super) const PATTERNS: &str = "
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
