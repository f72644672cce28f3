//! What a person sets of a run.

use super::cell;
use super::config::OnLimit;
use super::options as option;
use super::queue::tool::is_tool;
use overnight_base::section;
use overnight_base::setting::is_command;
use overnight_base::value::Kind;
use overnight_tasks::model;
use std::time::Duration;

const SECOND_MS: u64 = 1_000;
const DAY_MS: u64 = 24 * 3_600 * SECOND_MS;

section! {
    /// Limits of a run.
    run: Run {
        /// Iterations at most.
        max_iterations: u32 = option::MAX_ITERATIONS.default, option::MAX_ITERATIONS.kind, Less, MAX_ITERATIONS option "Iterations of a run";
        /// Failed iterations in a row after which a task is blocked.
        blocked_after: u32 = "3", Kind::Count(1, 1_000), Less;
        /// Longest time of one iteration.
        task_timeout: Duration = option::TASK_TIMEOUT.default, option::TASK_TIMEOUT.kind, Less, TASK_TIMEOUT;
        /// Longest time of one client session.
        session_timeout: Duration = "2h", Kind::Time(SECOND_MS, 7 * DAY_MS), Less;
        /// Longest time of the whole run; none by default.
        max_duration: Option<Duration> = option::MAX_DURATION.default, option::MAX_DURATION.kind, Less, MAX_DURATION;
        /// Least time from one start of an agent to the next.
        interval: Duration = option::INTERVAL.default, option::INTERVAL.kind, More;
        /// Agent starts an hour at most.
        calls_per_hour: u32 = option::CALLS_PER_HOUR.default, option::CALLS_PER_HOUR.kind, Less;
        /// Dollars at most; no limit by default.
        budget_usd: Option<f64> = option::BUDGET_USD.default, option::BUDGET_USD.kind, Less, BUDGET_USD option "Dollars of a run";
        /// Dollars within any hour at most; no limit by default.
        usd_per_hour: Option<f64> = option::USD_PER_HOUR.default, option::USD_PER_HOUR.kind, Less;
        /// What to do at the account's usage limit.
        on_limit: OnLimit = option::ON_LIMIT.default, option::ON_LIMIT.kind, Less;
        /// The run's branch is pushed after so many iterations, not only at its end; 0: only then.
        push: u32 = "0", Kind::Count(0, 1_000), Free;
        /// The model that agents work with, where their task names none; by default the client's own choice.
        model: Option<String> = option::MODEL.default, option::MODEL.kind, Free;
        /// Models from the cheapest to the strongest: after two refutations of a task the next one works on it.
        escalate: Vec<String> = "", Kind::List(10, "the name of a model", model::is_name), Free;
        /// Whether specialist agents look at what a task changed before it is done: for duplicates after an implementation, for speed and quality after a refactoring. What they find goes to the next iteration.
        specialists: bool = "true", Kind::Flag, Free;
        /// What becomes of the tries of tasks that were given up: `mark`: they stay on the run's branch and are marked in its pull request; `leave-out`: they are on a branch of their own.
        blocked: String = "mark", Kind::Choice(&["mark", "leave-out"]), Free;
        /// Done signals in a row that stand in for a claim.
        done_signals: u32 = "2", Kind::Count(1, 1_000), More, DONE_SIGNALS;
        /// Iterations in a row that only ran passing tests and stand in for a claim.
        test_loops: u32 = "3", Kind::Count(1, 1_000), More, TEST_LOOPS;
        /// Whether the agent and the gates work in a cell, outside of which they write nothing and read no credentials: `on`: or the run does not begin; `auto`: where the kernel gives one.
        cell: cell::Mode = option::CELL.default, option::CELL.kind, Less;
        /// Commands that prove any task done, beside its own.
        gates: Vec<String> = "", Kind::List(50, "a command on one line of at most 2000 bytes", is_command), AddsTrusted;
        /// What a reviewer shall look at: a fresh agent that only reads, asked about each claim that everything else speaks for. It can send a claim back twice and proves nothing; none by default.
        review: Option<String> = option::REVIEW.default, option::REVIEW.kind, Free;
        /// The reviewer's model; by default the client's own choice.
        review_model: Option<String> = "", Kind::Text("the name of a model", model::is_name), Free;
        /// Commands that make the ignored files that gates need, such as installed dependencies: run in each work tree of Overnight's own, and again there when a lock file changed.
        setup: Vec<String> = "", Kind::List(10, "a command on one line of at most 2000 bytes", is_command), AddsTrusted;
    }
}

section! {
    /// How claims are proved.
    proof: Proof {
        /// Globs of files that decide whether a gate passes, beside the conventions: claims are tried with them as they stood when the run began.
        protect: Vec<String> = "", Kind::List(100, "a glob on one line of at most 2000 bytes", is_command), Adds;
        /// Minutes at the end of a run in which parts of its change are taken back one at a time, to see which of them no gate misses; 0: none are.
        minutes: u32 = "10", Kind::Count(0, 1_000), Less;
    }
}

section! {
    /// When a task's circuit breaker opens.
    breaker: Breaker {
        /// After so many iterations in a row without progress.
        no_progress: u32 = "3", Kind::Count(1, 1_000), Less, BREAKER_NO_PROGRESS;
        /// After so many iterations in a row with the same error.
        same_error: u32 = "5", Kind::Count(1, 1_000), Less, BREAKER_SAME_ERROR;
        /// When an iteration that changed nothing prints less than those before, by this many per cent; 0: never.
        output_decline: u32 = "70", Kind::Count(0, 100), Never, BREAKER_OUTPUT_DECLINE;
        /// After so many iterations in a row that were denied permissions and changed nothing.
        denials: u32 = "2", Kind::Count(1, 1_000), Less;
        /// The first cool-down; it doubles with each failed probe.
        cool_down: Duration = "30m", Kind::Time(SECOND_MS, DAY_MS), More;
    }
}

section! {
    /// Agents that work side by side.
    members: Members {
        /// Where both sides of a conflict only insert lines, keep those of both if every gate holds with them.
        union: bool = "true", Kind::Flag, Free;
        /// How lock files that conflict are written anew when two branches meet: `GLOB=COMMAND`, where the command begins with the line's file and runs at the top of the merged tree.
        lock_files: Vec<String> = "", Kind::List(20, "GLOB=COMMAND on one line of at most 2000 bytes", is_tool), AddsTrusted;
    }
}

section! {
    /// Leases on tasks.
    lock: Lock {
        /// Time to live of a lease that names none; it is renewed at a third of it.
        ttl: Duration = option::TTL.default, option::TTL.kind, Less, LOCK_TTL;
    }
}

section! {
    /// What people read in `progress/`.
    progress: Progress {
        /// The language of new files; existing ones keep theirs.
        lang: String = "en", Kind::Choice(&["en", "ja"]), Free;
    }
}
