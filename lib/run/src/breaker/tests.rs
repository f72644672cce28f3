use super::*;
use proptest::prelude::*;

const MINUTE: u64 = 60_000;

fn idle() -> Observation {
    Observation {
        output_bytes: 1000,
        ..Observation::default()
    }
}

fn busy() -> Observation {
    Observation {
        changed: 1,
        ..idle()
    }
}

fn error(name: &str) -> Observation {
    Observation {
        error: Some(name.into()),
        ..busy()
    }
}

/// Runs a minute apart; gives the breaker and the one-based iteration at which it opened.
fn run(seen: &[Observation]) -> (Breaker, Option<usize>) {
    let config = Config::default();
    let mut breaker = Breaker::default();
    let mut opened = None;
    for (index, seen) in seen.iter().enumerate() {
        let now = index as u64 * MINUTE;
        breaker = breaker.step(&config, seen, now);
        if breaker.state == State::Open && opened.is_none() {
            opened = Some(index + 1);
        }
    }
    (breaker, opened)
}

#[test]
fn three_iterations_without_progress_open_it() {
    assert_eq!(run(&[idle(), idle()]).1, None);
    let (breaker, at) = run(&[idle(), idle(), idle()]);
    assert_eq!((at, breaker.reason), (Some(3), Some(Reason::NoProgress)));
    assert_eq!(run(&[idle(), idle(), busy(), idle(), idle()]).1, None);
}

#[test]
fn commits_ticks_and_fewer_failing_tests_are_progress() {
    let ticked = Observation {
        ticked: 1,
        ..idle()
    };
    let committed = Observation {
        commits: 1,
        ..idle()
    };
    assert_eq!(run(&vec![ticked; 5]).1, None);
    assert_eq!(run(&vec![committed; 5]).1, None);
    let failing = |count| Observation {
        failing: Some(count),
        ..idle()
    };
    assert_eq!(
        run(&[failing(9), failing(8), failing(7), failing(6)]).1,
        None
    );
    assert_eq!(run(&[failing(9), failing(9), failing(9)]).1, Some(3));
}

#[test]
fn what_nobody_could_look_at_is_neither_progress_nor_none() {
    let config = Config::default();
    let unseen = Observation {
        unseen: true,
        output_bytes: 100,
        ..Observation::default()
    };
    let mut breaker = Breaker::default();
    for _ in 0..2 * config.no_progress {
        breaker.observe(&config, &unseen, 0);
    }
    assert_eq!(
        (breaker.at(0), breaker.counters.no_progress),
        (State::Closed, 0)
    );
    // It does not excuse what is known either.
    for _ in 0..config.no_progress {
        breaker.observe(&config, &idle(), 0);
        breaker.observe(&config, &unseen, 0);
    }
    assert_eq!(breaker.at(0), State::Open);
    let later = breaker.remaining_ms(0);
    breaker.observe(&config, &unseen, later);
    assert_eq!(breaker.at(later), State::HalfOpen);
    breaker.observe(&config, &busy(), later);
    assert_eq!(breaker.at(later), State::Closed);
}

#[test]
fn a_tree_seen_before_is_no_progress() {
    let tree = |name: &str| Observation {
        tree: Some(name.into()),
        ..busy()
    };
    assert_eq!(
        run(&[tree("a"), tree("b"), tree("a"), tree("b"), tree("a")]).1,
        Some(5)
    );
    assert_eq!(
        run(&[tree("a"), tree("b"), tree("c"), tree("d"), tree("e")]).1,
        None
    );
}

#[test]
fn five_times_the_same_error_open_it_even_while_files_change() {
    assert_eq!(run(&vec![error("a"); 4]).1, None);
    let (breaker, at) = run(&vec![error("a"); 5]);
    assert_eq!((at, breaker.reason), (Some(5), Some(Reason::SameError)));
    let switched: Vec<_> = ["a", "a", "a", "a", "b", "b", "b", "b"].map(error).into();
    assert_eq!(run(&switched).1, None);
}

#[test]
fn what_is_not_the_agents_fault_counts_for_nothing() {
    let excused = Observation {
        excused: true,
        error: Some("limit".into()),
        ..idle()
    };
    assert_eq!(run(&vec![excused.clone(); 9]).1, None);
    assert_eq!(run(&[idle(), idle(), excused, idle()]).1, Some(4));
}

#[test]
fn two_iterations_of_denied_permissions_open_it() {
    let denied = Observation {
        denials: 1,
        ..idle()
    };
    let (breaker, at) = run(&[denied.clone(), denied]);
    assert_eq!(
        (at, breaker.reason),
        (Some(2), Some(Reason::PermissionDenied))
    );
}

#[test]
fn output_decline_is_measured_against_the_median_and_opens_only_without_progress() {
    let wrote = |bytes| Observation {
        output_bytes: bytes,
        ..busy()
    };
    let declined = |sizes: &[u64]| {
        run(&sizes.iter().map(|size| wrote(*size)).collect::<Vec<_>>())
            .0
            .counters
            .output_decline
    };
    assert!(declined(&[1000, 300]));
    assert!(!declined(&[1000, 301]));
    assert!(declined(&[1000, 1200, 90_000, 300]));
    assert!(!declined(&[0, 0]) && !declined(&[0, 1000]) && !declined(&[1000]));
    assert_eq!(run(&[wrote(1000), wrote(100)]).1, None);
    let silent = Observation {
        output_bytes: 100,
        ..idle()
    };
    assert_eq!(run(&[wrote(1000), silent.clone()]).1, None);
    assert_eq!(
        run(&[
            wrote(1000),
            wrote(1000),
            wrote(1000),
            silent.clone(),
            silent
        ])
        .0
        .reason,
        Some(Reason::OutputDecline)
    );
}

#[test]
fn after_the_cool_down_one_probe_decides() {
    let config = Config::default();
    let (open, _) = run(&[idle(), idle(), idle()]);
    let opened = open.opened_ms.unwrap();
    assert_eq!(open.at(opened + 30 * MINUTE - 1), State::Open);
    let later = opened + 30 * MINUTE;
    assert_eq!(open.at(later), State::HalfOpen);
    let closed = open.step(&config, &busy(), later);
    assert_eq!(
        (closed.at(later), closed.counters.no_progress),
        (State::Closed, 0)
    );
    let again = open.step(&config, &idle(), later);
    assert_eq!(again.remaining_ms(later), 60 * MINUTE);
    assert_eq!(again.advice(&config), Advice::Blocked);
    let limited = Observation {
        excused: true,
        ..idle()
    };
    assert_eq!(
        open.step(&config, &limited, later).at(later),
        State::HalfOpen
    );
}

#[test]
fn a_clock_that_goes_back_neither_closes_it_nor_keeps_it_open_longer_than_a_cool_down() {
    let (open, _) = run(&[idle(), idle(), idle()]);
    assert_eq!(open.at(0), State::Open);
    assert_eq!(open.remaining_ms(0), 30 * MINUTE);
}

#[test]
fn advice_grows_before_it_opens() {
    let config = Config::default();
    let advice = |seen: &[Observation]| run(seen).0.advice(&config);
    assert_eq!(advice(&[busy()]), Advice::None);
    assert_eq!(advice(&[idle()]), Advice::Hint);
    assert_eq!(advice(&[idle(), idle()]), Advice::ChangeApproach);
    assert_eq!(advice(&[idle(), idle(), idle()]), Advice::SmallerPiece);
    assert_eq!(advice(&vec![error("a"); 4]), Advice::SmallerPiece);
}

proptest! {
    #[test]
    fn it_never_opens_below_a_threshold_and_always_at_it(steps in proptest::collection::vec((0u64..2, 0u8..3, any::<bool>()), 0..40)) {
        let config = Config { output_decline: 0, ..Config::default() };
        let mut breaker = Breaker::default();
        let (mut idle_row, mut error_row, mut last) = (0, 0, None);
        for (index, (changed, name, excused)) in steps.into_iter().enumerate() {
            let error = (name > 0).then(|| name.to_string());
            let seen = Observation { changed, error: error.clone(), excused, output_bytes: 1, ..Observation::default() };
            if breaker.at(index as u64) != State::Closed {
                break;
            }
            breaker = breaker.step(&config, &seen, index as u64);
            if excused {
                continue;
            }
            idle_row = if changed > 0 { 0 } else { idle_row + 1 };
            error_row = if error.is_none() { 0 } else if error == last { error_row + 1 } else { 1 };
            last = error;
            prop_assert_eq!(breaker.state == State::Open, idle_row >= 3 || error_row >= 5);
        }
    }
}
