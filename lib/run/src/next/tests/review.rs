use super::{begun, folded};
use crate::classify::Class;
use crate::config::Config;
use crate::event::{Ended, Event, Gates, Judged, Outcome};
use crate::next::next;
use crate::review::Reviewed;
use crate::step::Step;
use overnight_judge::review::{Remark, Review};
use overnight_judge::{Decision, GateOutcome, Verdict};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A claim that its gate answered with this status.
fn claimed(config: &Config, exit: i32) -> Vec<Event> {
    let claim = Verdict {
        decision: Decision::Complete,
        ..Verdict::nothing("")
    };
    let gates = Gates {
        outcomes: vec![GateOutcome {
            command: "g".to_owned(),
            exit: Some(exit),
            ..GateOutcome::default()
        }],
        pins: BTreeMap::new(),
        proof: None,
    };
    let mut events = begun(config.clone());
    events.extend([
        Outcome::of(Ended::Exited(0), Class::None, claim).into(),
        gates.into(),
    ]);
    events
}

fn config(review: Option<&str>) -> Config {
    Config {
        gates: vec!["g".to_owned()],
        review: review.map(str::to_owned),
        ..Config::default()
    }
}

fn is_proved(step: &Step) -> bool {
    matches!(step, Step::Judge(verdict) if verdict.complete())
}

fn said(accept: bool, remarks: &[String]) -> Reviewed {
    let remark = |why: &String| Remark {
        why: why.clone(),
        ..Remark::default()
    };
    Reviewed {
        review: Some(Review {
            accept,
            objections: remarks.iter().map(remark).collect(),
        }),
        ..Reviewed::default()
    }
}

proptest! {
    #[test]
    fn whatever_a_reviewer_says_it_proves_nothing(
        exit in 0..3_i32,
        accept: bool,
        remarks in proptest::collection::vec("\\PC{1,20}", 0..4),
        answers: bool,
    ) {
        let without = config(None);
        let now = super::START + 60_000;
        let alone = next(&folded(&claimed(&without, exit)), &without, now);
        let with = config(Some("Is it right?"));
        let mut events = claimed(&with, exit);
        if answers {
            events.push(said(accept, &remarks).into());
        }
        let step = next(&folded(&events), &with, now);
        prop_assert!(!is_proved(&step) || is_proved(&alone));
        // Nobody is asked about what is refuted anyway.
        prop_assert!(step != Step::Review || is_proved(&alone) && !answers);
    }
}

#[test]
fn a_refusal_counts_twice_and_then_stands_beside_the_proof() {
    let config = config(Some("Is it right?"));
    let now = super::START + 60_000;
    let mut events = claimed(&config, 0);
    for times in 1.. {
        events.push(said(false, &["no".to_owned()]).into());
        let Step::Judge(verdict) = next(&folded(&events), &config, now) else {
            panic!("a reviewed claim is judged");
        };
        let shown = verdict.review.as_ref().unwrap();
        assert!(shown.iter().eq(["no"]));
        assert_eq!(verdict.complete(), times == 3, "{times}");
        if times == 3 {
            break;
        }
        events.push(Judged::from(*verdict).into());
        let again = claimed(&config, 0).split_off(2);
        events.extend(again);
    }
}
