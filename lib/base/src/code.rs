//! The stable error codes: one enum, from which messages, `error-codes` and the documentation page come.
//!
//! A code never changes its meaning. Families: E1 time-outs, E2 locks, E3 progress and journal,
//! E4 input, E5 sampling, E6 completion and task list, E7 breaker, limits, budget, E8 guard and
//! trust, E9 logs, filter, client and system.

mod show;
pub use show::{all_to_json, explanation, page, table, to_json};

use crate::exit::Exit;

macro_rules! codes {
    ($($variant:ident = $id:literal, $name:literal, $exit:ident, $meaning:literal, $hint:literal;)*) => {
        /// A stable error code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $meaning] $variant,)* }

        impl Code {
            /// Every code, in numeric order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The code as printed: `E2004`.
            pub fn id(self) -> &'static str { match self { $(Self::$variant => $id,)* } }

            /// Its short name: `lock conflict`.
            pub fn name(self) -> &'static str { match self { $(Self::$variant => $name,)* } }

            /// What it means, in one sentence.
            pub fn meaning(self) -> &'static str { match self { $(Self::$variant => $meaning,)* } }

            /// What a person does about it, unless the message says something more concrete.
            pub fn hint(self) -> &'static str { match self { $(Self::$variant => $hint,)* } }

            /// The exit status of a process that ends with it.
            pub fn exit(self) -> Exit { match self { $(Self::$variant => Exit::$exit,)* } }
        }
    };
}

codes! {
    SessionTimeout = "E1001", "session time-out", Deadline, "A client session ran longer than its limit and was ended.", "raise the session time-out or split the task";
    TaskTimeout = "E1002", "task time-out", Deadline, "One iteration ran longer than its limit and was ended.", "raise the task time-out or split the task";
    LoopInterval = "E1003", "loop interval", TempFail, "The next iteration was asked for before the least interval had passed.", "wait for the interval or lower it";
    CommandTimeout = "E1004", "command time-out", Deadline, "A command ran longer than its deadline and its process group was ended.", "raise the deadline or make the command faster";
    LockAcquire = "E2001", "lock not acquired", Unavailable, "A task lock could not be acquired.", "check that the remote is reachable: task-lock doctor";
    LockRelease = "E2002", "lock not released", Unavailable, "A task lock could not be released.", "it expires by itself; check it with task-lock status";
    LockExpired = "E2003", "lock expired", No, "The lease ran out before it was renewed.", "acquire the task again and check what others did meanwhile";
    LockConflict = "E2004", "lock conflict", No, "The task is held by another agent.", "take another task or wait";
    LockOwner = "E2005", "lock owner mismatch", No, "The token does not belong to the current holder.", "use the token that acquire printed";
    LockCorrupt = "E2006", "lock unreadable", Data, "A lock record is malformed or carries merge conflict markers.", "look at it with task-lock status; a person must resolve it";
    LockWait = "E2007", "lock wait timed out", TempFail, "The task stayed held by another agent for the whole wait.", "take another task or wait longer";
    LockOutcome = "E2008", "lock outcome unknown", Unavailable, "The remote did not say whether the lock was written.", "run the same command again: it is idempotent";
    ProgressWrite = "E3001", "progress not written", Io, "A file of progress/ could not be written.", "check permissions and space in progress/";
    JournalWrite = "E3002", "journal not written", Io, "A record could not be appended to the journal.", "check permissions and space in the git folder";
    JournalCorrupt = "E3003", "journal corrupt", Data, "A record in the middle of the journal does not match its checksum.", "the run cannot be continued; start a new one";
    JournalVersion = "E3004", "journal version unknown", Config, "The journal was written by a newer version.", "update overnight";
    RunBusy = "E3005", "run is busy", TempFail, "Another driver is working on this run.", "watch it with overnight status, or stop that driver first";
    RunUnknown = "E3006", "run unknown", NoInput, "No run with this id is known here.", "list runs with overnight status --all";
    ReplayDiffers = "E3007", "replay differs", No, "A recorded decision is not the one these rules give.", "look at the printed event; the rules or the journal changed";
    InputInvalid = "E4001", "invalid input", Usage, "An argument or a value is malformed.", "see --help";
    InputMissing = "E4002", "missing input", NoInput, "A needed file or value is missing.", "give it as the message says";
    InputRange = "E4003", "input out of range", Usage, "A value is outside its range.", "use a value in the range";
    InputPath = "E4004", "invalid path", Usage, "A path is unusable here.", "use a regular file inside the project";
    InputTraversal = "E4005", "path leaves its folder", NoPermission, "A path leads outside its folder, by `..` or by a link.", "use a path inside the folder";
    InputData = "E4006", "malformed data", Data, "Input data is not in the expected format.", "check the data against the format in --help";
    SettingInvalid = "E4007", "invalid setting", Config, "An environment variable or configuration entry has a wrong value.", "correct or unset it";
    SampleRate = "E5001", "sample rate", Usage, "The sampling rate is not a decimal between 0.001 and 1.", "use for example --rate 0.1";
    SampleSeed = "E5002", "sample seed", Usage, "The seed is missing, unreadable or too long.", "give --seed N or --agent ID";
    SampleSize = "E5003", "sample size", Data, "An id or the list of ids is larger than the limit.", "check what the lister printed";
    SampleEmpty = "E5004", "nothing to sample", Data, "The list of test ids is empty.", "check that the lister works, or pass --allow-empty";
    SampleAlgorithm = "E5005", "sample algorithm", Usage, "The sampling algorithm or unit is unknown.", "see sample-tests --help";
    SampleId = "E5006", "sample id", Data, "The list of test ids is no plain text: not UTF-8, or with NUL bytes.", "check what the lister printed";
    SampleTurn = "E5007", "sample turn", Usage, "The agent's index or the iteration is out of range.", "use --index 1 --of 10, or --iteration 1";
    SampleDurations = "E5008", "sample durations", Data, "The file of durations is in no known format.", "give JUnit XML, pytest-split's JSON or our own records";
    SampleLister = "E5009", "test lister failed", Data, "The list of tests is incomplete, because its lister failed.", "run the lister by hand and correct what it reports";
    DecisionInvalid = "E6001", "decision unreadable", Data, "The decision file cannot be understood.", "write it with completion-check declare";
    DecisionStale = "E6002", "check id mismatch", Data, "The decision file answers another check.", "declare again with the current check id";
    GateFailed = "E6003", "gate failed", No, "A command of the definition of done failed.", "fix what its output names";
    TasksInvalid = "E6004", "task list invalid", Data, "tasks.json does not follow its schema.", "correct the entry at the given position";
    TasksSyntax = "E6005", "task list is not JSON", Data, "tasks.json is not one JSON object.", "correct the text at the given position";
    TaskUnknown = "E6006", "task unknown", NoInput, "The task list has no task of this id.", "see overnight tasks list";
    PlanInvalid = "E6007", "plan invalid", Data, "The planning agent did not write a valid task list.", "read the kept answer and write tasks.json by hand or plan again";
    SetUpFailed = "E6008", "set-up failed", No, "A set-up command of the project failed.", "run it in a fresh clone, and mend what its output names";
    BreakerOpen = "E7001", "circuit breaker open", BreakerOpen, "The circuit breaker is open.", "read why: circuit-breaker status";
    UsageLimit = "E7002", "usage limit", TempFail, "The account's usage limit is reached.", "wait for the reset that the message names";
    BudgetSpent = "E7003", "budget spent", BudgetSpent, "The run's budget is spent.", "raise it and resume the run";
    AuthFailed = "E7004", "not authenticated", NoPermission, "The client is not logged in or its key is invalid.", "log in with claude, or correct the key";
    BillingFailed = "E7005", "billing", NoPermission, "The account cannot pay for requests.", "check the account's credit";
    Blocked = "E7006", "run blocked", No, "The run stopped after failing too often in a row.", "read progress/blocked.md";
    BreakerState = "E7007", "breaker state unreadable", Data, "The breaker's state file is torn or foreign; it starts closed.", "circuit-breaker reset writes a new one";
    GuardDenied = "E8001", "command denied", Block, "The guard refuses a command that is never allowed.", "use the safe way that the message names";
    GuardAsks = "E8002", "approval needed", NoPermission, "A command waits for a person.", "overnight asks shows it";
    StaleEpoch = "E8003", "agent is stale", Block, "The agent was started by a driver that is no longer current.", "end this agent; the run goes on elsewhere";
    HookInput = "E8004", "hook input malformed", Block, "The hook's input is not what Claude Code sends.", "check the client's version: overnight doctor";
    NotTrusted = "E8005", "not trusted", NoPermission, "A command comes from a file of the repository that nobody trusted yet.", "read the file, then: overnight trust";
    ApprovalUnknown = "E8006", "approval unknown", NoInput, "No question of this id waits for an answer.", "overnight asks lists them";
    NeedsTerminal = "E8007", "terminal needed", NoPermission, "Approvals are given by a person on a terminal.", "run it yourself in a terminal";
    CellMissing = "E8008", "no cell", Unavailable, "The kernel does not give the walls that `--cell on` asks for.", "use a kernel with Landlock, or --cell auto";
    LogWrite = "E9001", "log write failed", Io, "A log could not be written.", "check permissions and space in logs/";
    FilterFailed = "E9002", "filter failed", Software, "The output filter could not digest an output.", "the raw output was passed through";
    ClientMissing = "E9003", "client missing", Unavailable, "Claude Code is not on the PATH.", "install it, or name another agent with --agent";
    ClientFailed = "E9004", "client failed", Unavailable, "Claude Code could not be started or broke off.", "run overnight doctor";
    GitMissing = "E9005", "git missing", Unavailable, "git is not on the PATH.", "install git";
    GitFailed = "E9006", "git failed", Unavailable, "A git command failed.", "run the printed command by hand";
    NotARepository = "E9007", "not a repository", NoInput, "The folder is not inside a git work tree.", "run it inside a git repository";
    FileRead = "E9008", "file not readable", Io, "A file could not be read.", "check that it exists and may be read";
    FileWrite = "E9009", "file not writable", CantCreate, "A file could not be written.", "check permissions and free space";
    CommandStart = "E9010", "command not started", Unavailable, "A command could not be started.", "check that it is on the PATH and may be run";
    CommandFailed = "E9020", "command failed", No, "A command whose output was shortened did not succeed.", "read the digest; the log it names has the whole output";
    Defect = "E9099", "defect", Software, "This program has a defect.", "please report it with the command you ran";
}

impl Code {
    /// The code of this printed form, upper or lower case: `E2004`.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|code| code.id().eq_ignore_ascii_case(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_in_numeric_order() {
        assert!(Code::ALL.windows(2).all(|pair| pair[0].id() < pair[1].id()));
    }

    #[test]
    fn every_code_is_found_by_its_printed_form() {
        for code in Code::ALL {
            assert_eq!(Code::parse(code.id()), Some(*code));
        }
        assert_eq!(Code::parse("E0000"), None);
    }
}
