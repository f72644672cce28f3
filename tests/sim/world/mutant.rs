//! Rules broken on purpose.

use super::World;
use overnight_judge::Verdict;
use overnight_judge::gates::Baseline;
use overnight_run::breaker;
use overnight_run::signal;
use overnight_run::step::WaitCause;
use overnight_run::task::Status;
use overnight_run::{Config, State, Step, next};

/// Which rule is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    BelieveClaims,
    ForgetBudget,
    ForgetIterations,
    ForgetCalls,
    ForgetBreaker,
    NeverFinish,
    OtherConfig,
    ForgetBaseline,
    ForgetVelocity,
    ForgetTokens,
    ForgetScope,
    BelieveSignals,
    HastySignals,
    ForgetSync,
    ForgetFolder,
}

impl World {
    /// The core's decision, or a mutant's.
    #[expect(clippy::too_many_lines, reason = "one arm a mutant")]
    pub(super) fn decide(&self) -> Step {
        let now = self.clock.0;
        let plain = |state: &State, config: &Config| next(state, config, now);
        let with = |change: &dyn Fn(&mut Config)| {
            let mut config = self.config.clone();
            change(&mut config);
            plain(&self.state, &config)
        };
        match self.mutant {
            Mutant::None | Mutant::OtherConfig | Mutant::ForgetSync | Mutant::ForgetFolder => {
                plain(&self.state, &self.config)
            }
            Mutant::ForgetBudget => with(&|config| config.budget_usd = None),
            Mutant::ForgetTokens => with(&|config| config.budget_tokens = None),
            Mutant::ForgetScope => {
                let mut state = self.state.clone();
                for task in &mut state.tasks {
                    task.spec.allowed_paths.clear();
                }
                plain(&state, &self.config)
            }
            Mutant::ForgetVelocity => with(&|config| config.usd_per_hour = None),
            Mutant::ForgetIterations => with(&|config| config.max_iterations = u32::MAX),
            Mutant::ForgetCalls => with(&|config| config.calls_per_hour = 10_000),
            Mutant::NeverFinish => match plain(&self.state, &self.config) {
                Step::Finish(_) => Step::Wait {
                    until: now + 1,
                    cause: WaitCause::Interval,
                },
                step => step,
            },
            Mutant::BelieveClaims => match plain(&self.state, &self.config) {
                Step::Gates(_) => {
                    let open = self
                        .state
                        .open
                        .as_ref()
                        .and_then(|open| open.outcome.as_ref());
                    Step::Judge(Box::new(open.unwrap().claim.clone()))
                }
                step => step,
            },
            Mutant::BelieveSignals => match plain(&self.state, &self.config) {
                Step::Gates(gates) => self
                    .signalled()
                    .map_or(Step::Gates(gates), |verdict| Step::Judge(Box::new(verdict))),
                step => step,
            },
            Mutant::HastySignals => {
                let mut state = self.state.clone();
                for task in &mut state.tasks {
                    task.signals.done += 1;
                }
                plain(&state, &self.config)
            }
            Mutant::ForgetBreaker => {
                let mut state = self.state.clone();
                for task in state
                    .tasks
                    .iter_mut()
                    .filter(|task| task.blocked.as_ref().is_some_and(|block| block.by_breaker))
                {
                    task.breaker = breaker::Breaker::default();
                    task.status = Status::Todo;
                }
                plain(&state, &self.config)
            }
            Mutant::ForgetBaseline => {
                let mut state = self.state.clone();
                state.baseline = Baseline::default();
                plain(&state, &self.config)
            }
        }
    }

    /// What the exit signals claim of the open attempt.
    fn signalled(&self) -> Option<Verdict> {
        let open = self.state.open.as_ref()?;
        let task = self.state.task(&open.task)?;
        signal::claim(
            (&open.task, task.signals),
            open.outcome.as_ref()?,
            &self.state.config,
        )
    }
}
