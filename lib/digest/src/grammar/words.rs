//! The anchors of all grammars: the prefilter looks for these, all at once.

/// What the lines that matter hold: a line with none of these is only looked at inside a section.
/// A word that holds another one is left out, and so are the first letters of some: how it begins decides
/// how often it is looked for in vain.
pub(in super::super) fn anchors() -> impl Iterator<Item = &'static str> {
    PHRASES.iter().chain(BARS).chain(WORDS).copied()
}

/// Those without a blank.
const WORDS: &[&str] = overnight_base::words!(
    "rror 1.. OOPS karma-server ABORTED (err) SIG Scenario .feature: TIMEOUT TIMEDOUT [Panic!] :F: :E: :P: \
     ods/funs newman Pass: Issue: Location: %] ERR FAIL ail panic PANIC xception nhandled ncaught FATAL \
     level=crit lvl= deselected uninitialised Mismatched onflict CONFLICT OOM UNREACHABLE atal arning WARN \
     warn Traceback PASS pass ✗ ✕ ✘ ✖ × ✓ ✔ ❌ ⨯ annot denied refused meout bort CRITICAL SEVERE Killed \
     nterpreter ─[ -[ ==== test Test TEST Summary Finished OK skip Skip SKIP defined expected suite spec \
     example scenario ____ Results Duration Total mplete wrong Executed BUILD [E] ━━━━━━━━ reformat ecap RECAP \
     PLAY unreachable nding ERESOLVE rejected issing nvalid Invalid dumped offense oblem DONE assert cases \
     success unable Unable .py: yi: .go: .js: .ts: .mjs: .cjs: sx: jsx: .rb: .sh: .bash: .c: .h: .cpp: .cc: \
     .hpp: .cxx: .rs: .java: .kt: .kts: .php: .yml: .yaml: .md: .swift: ex: exs: .zig: Dockerfile .css: .scss: \
     .less: .vue: .svelte: .tf: .lua: .hs: .ml: .mli: .scala: .dart: json: .toml: .html: .proto: .sql: .cs( \
     ts( sx( .py( .vb( .fs( .cpp( .m: .erl: .jl: .R: .nix: .txt: .cmake: akefile: .f90: .F90: .cr: .nim( ^-- \
     ::e ::w ::n BackOff ulnerab issues Suite .elm (.ex) PHPUnit .bats"
);

/// Those with blanks, colours and quotes; among them levels in colours, JSON on many lines and on one, and mocha's
/// `json-stream`.
const PHRASES: &[&str] = overnight_base::texts!(
    "an't |didn't exit|tsuite: |mC\u{1b}[0m: |mW\u{1b}[0m: |mR\u{1b}[0m: |mE\u{1b}[0m: |mF\u{1b}[0m: |\t[\
     |(Severity: | diagnostic|== [|TRY |mized with seed|JUnit |broken: |Spec Files|SUMMARY: |Plan: |add, \
     |** (|egmentation fault|hook id|lost in loss record|DATA RACE|\"level\":50|\"level\": 50|\"level\":60\
     |\"level\": 60|exited with code|Passed: |m:\u{1b}[|timed out|No such|no such |a directory\
     |onnection reset|ot permitted|space left|only file system|nrecognized |ouldn't |an\u{2019}t \
     |llegal instruction|xit status |: Assertion `|ot found|could not|Could not|--> |=== |running |Running \
     |ok |-- |● | RUN|# |TAP |Time: |newly installed|No changes.|Ran |Ok: |│ |TASK [|There w|ℹ |── |══ |ran \
     |** |.pl |^-- SC|FILE: |  Line   |[-] |[+] |In |File \"|host application|└─ |┃ |[!] |at module|Diff in\
     | => | • |n public |n private |FO    -|.t line|{\n|[\n|{\r|[\r|[{\"|[\"start\",|[\"pass\",|[\"fail\",\
     |[\"end\","
);

/// Those with bars.
const BARS: &[&str] = &["| P:"];
