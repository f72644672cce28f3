use super::*;

fn gate(exit: Option<i32>, tests: Option<(u64, u64, u64)>) -> GateOutcome {
    GateOutcome {
        command: "t".into(),
        exit,
        tests: tests.map(|(passed, failed, skipped)| TestCounts::of(passed, failed, skipped)),
        ..GateOutcome::default()
    }
}

fn kinds(outcome: GateOutcome, before: Option<(u64, u64, u64)>) -> Vec<Kind> {
    let mut baseline = Baseline::default();
    if let Some((passed, failed, skipped)) = before {
        baseline
            .tests
            .insert("t".into(), TestCounts::of(passed, failed, skipped));
    }
    objections(&["t".into()], &[outcome], &baseline, &BTreeMap::new())
        .into_iter()
        .map(|objection| objection.kind)
        .collect()
}

#[test]
fn a_vacuous_pass_is_no_pass() {
    assert_eq!(kinds(gate(Some(0), None), None), []);
    assert_eq!(kinds(gate(Some(0), Some((3, 0, 0))), Some((3, 0, 0))), []);
    assert_eq!(kinds(gate(Some(1), None), None), [Kind::Failed]);
    assert_eq!(kinds(gate(None, None), None), [Kind::Failed]);
    assert_eq!(kinds(gate(Some(0), Some((0, 0, 9))), None), [Kind::NoTests]);
    assert_eq!(kinds(gate(Some(5), Some((0, 0, 0))), None), [Kind::NoTests]);
    assert_eq!(kinds(gate(Some(0), Some((3, 1, 0))), None), [Kind::Masked]);
    assert_eq!(
        kinds(gate(Some(0), Some((2, 0, 1))), Some((3, 0, 0))),
        [Kind::FewerTests, Kind::NewlySkipped]
    );
    assert_eq!(
        kinds(gate(Some(0), None), Some((3, 0, 0))),
        [Kind::FewerTests]
    );
}

#[test]
fn a_gate_that_was_not_run_or_whose_script_changed_is_an_objection() {
    let pins = |hash: &str| BTreeMap::from([("check.sh".to_owned(), hash.to_owned())]);
    let baseline = Baseline {
        pins: pins("a"),
        ..Baseline::default()
    };
    let found = |now| objections(&["t".into()], &[], &baseline, &now);
    assert_eq!(found(pins("a")).len(), 1);
    assert_eq!(found(pins("a"))[0].kind, Kind::NotRun);
    assert_eq!(found(pins("b"))[1].kind, Kind::ScriptChanged);
    assert_eq!(found(BTreeMap::new())[1].kind, Kind::ScriptChanged);
}

#[test]
fn a_flip_is_run_again_and_a_flake_does_not_pass() {
    let (good, bad) = (gate(Some(0), None), gate(Some(1), None));
    assert!(rerun(Some(true), &bad) && rerun(Some(false), &good));
    assert!(!rerun(None, &bad) && !rerun(Some(true), &good));
    assert!(!settle(good.clone(), bad.clone()).passed());
    assert!(!settle(bad.clone(), good.clone()).passed());
    assert!(settle(good.clone(), good).passed());
    assert_eq!(
        kinds(settle(bad.clone(), gate(Some(0), None)), None),
        [Kind::Flaky]
    );
}
