//! What prose says that is not done: patterns by kind (see [`super::pattern`] for their language).

mod ask;
mod fails;
mod hedge;
mod partly;
mod plan;
mod stand;
mod state;
mod undone;

/// What a pattern speaks of; [`super::open`] knows what excuses each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something was not done.
    Undone,
    /// Something is missing, broken or pending.
    State,
    /// Something fails.
    Fails,
    /// A thing that only stands for the real one.
    Stand,
    /// Only a part is done.
    Partly,
    /// Nobody knows.
    Hedge,
    /// It will be done.
    Plan,
    /// A person is asked.
    Ask,
}

impl Kind {
    /// Can a later sentence settle it (`all tests pass now`)? Not what only stands for the real
    /// thing, what nobody knows and what is yet to be done.
    pub(super) fn can_be_settled(self) -> bool {
        matches!(self, Self::Undone | Self::State | Self::Fails)
    }
}

/// Patterns by kind, one a line.
pub(super) const RULES: &[(Kind, &str)] = &[
    (Kind::Undone, undone::PATTERNS),
    (Kind::State, state::PATTERNS),
    (Kind::Fails, fails::PATTERNS),
    (Kind::Stand, stand::PATTERNS),
    (Kind::Partly, partly::PATTERNS),
    (Kind::Hedge, hedge::PATTERNS),
    (Kind::Plan, plan::PATTERNS),
    (Kind::Ask, ask::PATTERNS),
];
