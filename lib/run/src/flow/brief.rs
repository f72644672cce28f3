//! What Claude is told when `/flow` begins.

use super::{Request, kind};

/// The kind that a single pass was taken for, in one line for the person.
pub fn taken_as(request: &Request) -> Option<String> {
    let (kind, because) = detected(request);
    (!request.autonomous).then(|| format!(
        "overnight: taken as a task of the kind {} ({because}); if it is another one, say so, or type /flow KIND: …",
        kind.name()
    ))
}

fn detected(request: &Request) -> (kind::Kind, String) {
    let (kind, keyword) = kind::detect(&request.what);
    let because = keyword.map_or_else(
        || "no keyword of another kind".to_owned(),
        |keyword| format!("because of {keyword:?}"),
    );
    (kind, because)
}

/// One pass of the workflow, for the detected kind of task.
pub fn one_pass(request: &Request) -> String {
    let (kind, because) = detected(request);
    let mut brief = format!(
        "Overnight: one pass of the workflow for a task of the kind **{}** ({because}).\n\
         Tell the person the kind in one line first; when they correct it, work by their kind instead.\n\n\
         Task: {}\n\nSteps:\n{}",
        kind.name(),
        request.what,
        kind.steps(request),
    );
    if request.interactive {
        brief.push_str("\nAsk the person before each step, and wait for the answer.\n");
    }
    if request.fast() {
        brief.push_str(&fast(None));
    }
    brief.push_str("\nWhere you have Serena's tools (mcp__serena__…), find symbols and who uses them with those.\n");
    brief.push_str("\nEnd with what you did, what a command proved, and what stays open.\n");
    brief
}

/// How `--fast` is meant, in an iteration of a run or in a single pass.
pub fn fast(iteration: Option<u32>) -> String {
    let turn = iteration.map_or_else(String::new, |number| format!(" --iteration {number}"));
    format!(
        "\nTest with a sample, not with everything: `sample-tests run{turn}` runs a share of the tests, \
         another one in each iteration. Where it knows no runner, `LIST_TESTS | sample-tests{turn}` prints \
         the tests to run.\n"
    )
}

/// An iteration that a session's main conversation hands to a worker.
#[derive(Debug)]
pub struct Handout<'a> {
    /// The run's id.
    pub run: &'a str,
    /// Number of this iteration and how many there may be.
    pub iteration: (u32, u32),
    /// The task's id.
    pub task: &'a str,
    /// The model that the worker is to have; none: the client's own choice.
    pub model: Option<&'a str>,
    /// The file with the worker's prompt.
    pub prompt: &'a str,
    /// What is said of specialist agents; empty: nothing.
    pub specialists: &'a str,
}

/// What the main conversation is told: delegate, so that its context grows by a summary an
/// iteration, and begin with a tool call, because the client ends a turn after eight stops without
/// one (measured; `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`).
pub fn iteration(handout: &Handout) -> String {
    let (number, most) = handout.iteration;
    format!(
        "Overnight: iteration {number} of at most {most} (run {run}, task {task}).\n\
         Before you write anything, call the Agent tool with subagent_type \"overnight:flow-worker\", \
         run_in_background false, description \"iteration {number}\"{model} and this prompt:\n\n\
         Read {prompt} and do the iteration that it describes.\n\n\
         {specialists}When it has reported, say in at most three sentences what came of it, and stop. Do not do the task yourself, do \
         not declare anything for the worker, and begin no further iteration: whether there is one is decided when you stop.",
        run = handout.run,
        task = handout.task,
        model = handout
            .model
            .map_or_else(String::new, |model| format!(", model \"{model}\"")),
        prompt = handout.prompt,
        specialists = match handout.specialists {
            "" => String::new(),
            said => format!("{said}\n\n"),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_names_its_kind_its_steps_and_its_checks() {
        let request = crate::flow::request::parse("look into the slow start --fast --interactive");
        let request = request.unwrap();
        insta::assert_snapshot!(one_pass(&request), @r#"
        Overnight: one pass of the workflow for a task of the kind **investigation** (because of "look into").
        Tell the person the kind in one line first; when they correct it, work by their kind instead.

        Task: look into the slow start

        Steps:
        1. Collect facts: code, history, logs, an experiment. Change no file of the project.
        2. Separate what you saw from what you conclude. Check: each fact has a file and line, or a command and its output.
        3. Answer the question in the first sentence, then the evidence, then what stays open.

        Ask the person before each step, and wait for the answer.

        Test with a sample, not with everything: `sample-tests run` runs a share of the tests, another one in each iteration. Where it knows no runner, `LIST_TESTS | sample-tests` prints the tests to run.

        Where you have Serena's tools (mcp__serena__…), find symbols and who uses them with those.

        End with what you did, what a command proved, and what stays open.
        "#);
    }
}
