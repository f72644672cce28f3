//! Every rule on one page, made from the tables that decide.

use overnight_run::rule::Rule;
use std::fmt::Write;

const HEAD: &str = r#"# How it decides

Made by `cargo xtask docs` from the tables in the code. Everything here is a function of what stands in the
run's journal, so it can be asked again: `overnight why RUN` names the rule behind each step with the values
it saw, `overnight replay RUN` decides every step anew and compares.

<!-- given
echo '# Port the parser' > AGENT_PROMPT.md
overnight run --agent "command:echo '<DONE>ported</DONE>'" --gate 'test -s other' --max-iterations 1 --no-pr
-->
```console
$ overnight why $(ls .git/overnight/runs) 1
…
…iteration 1 (main): run 1 gates
  rule      proof: A claim to be done is believed only after its gates: they are run.
…
  evidence  reason: gate "test -s other" failed with exit 1
…
```

## What happens next in a run

After an attempt of an agent, and before a new one, the first of these that fits is the step.

| rule | what it says |
|---|---|
"#;
const MIDDLE: &str = "
Whether a claim to be done is believed is told in [judge](judge.md), what went wrong with an agent in
[limits](limits.md), when a task's circuit breaker opens in [breaker](breaker.md).

## What the guard answers

`forbidden`: denied in every mode. `boundary`: a question in every mode. `discards`: a question, but allowed in
fast mode after everything was kept, and in a member's own work tree. `unproven`: a question in strict mode
only. Of several effects the worst counts; what has none of them is allowed. See [guard](guard.md).

| rule | answer | a command is stopped because | instead |
|---|---|---|---|
";

/// The page, as Markdown.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for rule in Rule::ALL {
        let _ = writeln!(page, "| `{}` | {} |", rule.name(), rule.sentence());
    }
    page.push_str(MIDDLE);
    for [rule, answer, what, instead] in overnight_shell::rules() {
        let _ = writeln!(page, "| `{rule}` | {answer} | {what} | {instead} |");
    }
    page
}
