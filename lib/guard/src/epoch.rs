//! May this agent still act? A driver that took over a run raises the run's epoch; agents of an
//! older driver that are still alive must not touch anything any more.

use overnight_shell::Verdict;

/// The rule that an older agent is refused by.
pub(super) const RULE: &str = "stale-epoch";
/// Digits of an epoch at most: `u64`.
const DIGITS_MAX: usize = 20;

/// What is known about the run that an agent works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Claim<'a> {
    /// The run's state folder, from the agent's environment.
    pub run_dir: Option<&'a str>,
    /// The epoch that the agent was started with, from its environment.
    pub epoch: Option<&'a str>,
    /// What the run's epoch file says now; `None` when it is missing or unreadable.
    pub current: Option<&'a str>,
}

/// Whose tool call this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// No driver's agent: a session of a person.
    Free,
    /// An agent of the run's current driver.
    Current,
    /// An agent whose driver is no longer current; nothing may run.
    Stale(Verdict),
}

/// Compares the agent's epoch with the run's.
pub fn standing(claim: &Claim<'_>) -> Standing {
    if claim.run_dir.is_none() && claim.epoch.is_none() {
        return Standing::Free;
    }
    let stale = |why: &str| {
        Standing::Stale(Verdict::deny(
            RULE,
            &format!(
                "E8003: {why}; this agent may no longer act. Stop here, do not retry: the run goes on elsewhere"
            ),
        ))
    };
    if claim.run_dir.is_none() {
        return stale("the run's folder is not in the environment");
    }
    let Some(own) = claim.epoch.and_then(number) else {
        return stale("the agent's epoch is not in the environment");
    };
    match claim.current.and_then(number) {
        None => stale("the run's epoch cannot be read"),
        Some(current) if current == own => Standing::Current,
        Some(current) => stale(&format!("the run is at epoch {current}, not {own}")),
    }
}

/// Whose call it is in a session in which a run is armed: `own` is the number under which the
/// session drives it. A number that is lost costs nothing: the session's hooks see to the rest.
pub fn of_session(own: u64, current: Option<&str>) -> Standing {
    match current.and_then(number) {
        Some(current) if current > own => Standing::Stale(Verdict::deny(
            RULE,
            "E8003: the run of this session was stopped, or goes on elsewhere; nothing may be done for it any more. \
             End your turn now, in one sentence",
        )),
        _ => Standing::Free,
    }
}

/// Whose call it is where the same session was resumed in another client, which has its run now.
pub fn with_another_client() -> Standing {
    Standing::Stale(Verdict::deny(
        RULE,
        "E8003: this session was taken up in another client, which has its run; two would work in one tree. \
         End your turn now, in one sentence; a person takes the run back here with: /flow resume",
    ))
}

fn number(text: &str) -> Option<u64> {
    let digits = text.trim_ascii();
    let plain = digits.len() <= DIGITS_MAX && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(run_dir: Option<&str>, epoch: Option<&str>, current: Option<&str>) -> Standing {
        standing(&Claim {
            run_dir,
            epoch,
            current,
        })
    }

    #[test]
    fn only_the_agent_of_the_current_epoch_acts() {
        assert_eq!(of(None, None, None), Standing::Free);
        assert_eq!(of(Some("/r"), Some("3"), Some("3\n")), Standing::Current);
        for (run, own, current) in [
            (Some("/r"), Some("3"), Some("4")),
            (Some("/r"), Some("3"), None),
            (Some("/r"), Some("3"), Some("")),
            (Some("/r"), Some("3"), Some("3 3")),
            (Some("/r"), Some("x"), Some("3")),
            (Some("/r"), Some("-3"), Some("-3")),
            (Some("/r"), None, Some("3")),
            (None, Some("3"), Some("3")),
        ] {
            assert!(
                matches!(of(run, own, current), Standing::Stale(_)),
                "{run:?} {own:?} {current:?}"
            );
        }
    }
}
