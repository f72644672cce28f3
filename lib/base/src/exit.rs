//! The exit statuses that scripts rely on.

/// What a process says to its caller with its exit status.
///
/// The numbers follow `sysexits.h` where it has one (64 to 78), `timeout(1)` for 124 and the
/// shell for signals. Status 2 belongs to Claude Code's hook protocol ("block") and is used by the
/// guard alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Yes, done, acquired.
    Yes,
    /// An answer, not an error: incomplete, held by another, open.
    No,
    /// The guard blocks a tool call.
    Block,
    /// `overnight run`: the circuit breaker is open.
    BreakerOpen,
    /// `overnight run`: the budget is spent.
    BudgetSpent,
    /// The command line was wrong.
    Usage,
    /// Input data was malformed.
    Data,
    /// An input file is missing or unreadable.
    NoInput,
    /// git, the client or a remote is missing or unreachable.
    Unavailable,
    /// A defect of this program.
    Software,
    /// An output file cannot be created.
    CantCreate,
    /// Reading or writing failed.
    Io,
    /// Try again later: usage limit, wait for a lock timed out.
    TempFail,
    /// Not permitted, or a person is needed.
    NoPermission,
    /// A setting is out of range or contradictory.
    Config,
    /// A deadline passed.
    Deadline,
    /// Ended by this signal (reported as 128 + n).
    Signal(u8),
    /// The status of a child, passed on unchanged.
    Child(u8),
}

impl Exit {
    /// The number given to the operating system.
    pub fn status(self) -> u8 {
        match self {
            Self::Yes => 0,
            Self::No => 1,
            Self::Block => 2,
            Self::BreakerOpen => 3,
            Self::BudgetSpent => 4,
            Self::Usage => 64,
            Self::Data => 65,
            Self::NoInput => 66,
            Self::Unavailable => 69,
            Self::Software => 70,
            Self::CantCreate => 73,
            Self::Io => 74,
            Self::TempFail => 75,
            Self::NoPermission => 77,
            Self::Config => 78,
            Self::Deadline => 124,
            Self::Signal(number) => 128u8.saturating_add(number),
            Self::Child(status) => status,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_reported_as_128_plus_their_number() {
        assert_eq!(Exit::Signal(15).status(), 143);
        assert_eq!(Exit::Signal(255).status(), 255);
    }
}
