use super::*;

fn gate(exit: i32) -> GateOutcome {
    GateOutcome {
        command: "g".into(),
        exit: Some(exit),
        ..GateOutcome::default()
    }
}

fn sighting(red: bool, seen: &[u64]) -> Sighting {
    let seen = if seen.is_empty() {
        BTreeMap::new()
    } else {
        [("t".to_owned(), seen.iter().copied().collect())].into()
    };
    Sighting { red, seen }
}

fn dusk(passed: bool, canary: Option<Sighting>, blank_red: Option<bool>) -> Dusk {
    Dusk {
        gates: vec![DuskGate {
            command: "g".into(),
            passed,
            canary,
            blank_red,
            ..DuskGate::default()
        }],
        ..Dusk::default()
    }
}

fn kinds(findings: &Findings) -> Vec<Kind> {
    findings
        .objections
        .iter()
        .map(|objection| objection.kind)
        .collect()
}

#[test]
fn red_before_and_green_after_is_proved() {
    let claim = [gate(0)];
    let trials = Trials {
        changed: Some(true),
        claim: &claim,
        ..Trials::default()
    };
    let baseline = Baseline::default();
    let found = weigh(&dusk(false, None, None), &baseline, &trials);
    assert_eq!((found.standing, kinds(&found)), (Standing::Proved, vec![]));
    let found = weigh(&dusk(true, None, Some(true)), &baseline, &trials);
    assert_eq!(
        (found.standing, found.never_red),
        (Standing::KeptGreen, true)
    );
    let fresh = Trials {
        fresh_red: true,
        ..trials.clone()
    };
    assert_eq!(
        weigh(&dusk(true, None, Some(true)), &baseline, &fresh).standing,
        Standing::Proved
    );
    let same = Trials {
        changed: Some(false),
        ..trials
    };
    assert_eq!(
        kinds(&weigh(&dusk(true, None, Some(true)), &baseline, &same)),
        [Kind::NothingChanged]
    );
}

#[test]
fn tests_that_the_gates_change_while_they_run_object_unless_they_did_at_dusk() {
    let (claim, path) = ([gate(0)], ["tests/a.rs".to_owned()]);
    let trials = Trials {
        changed: Some(true),
        claim: &claim,
        rewritten: &path,
        ..Trials::default()
    };
    let mut before = dusk(false, None, None);
    let found = weigh(&before, &Baseline::default(), &trials);
    assert_eq!(kinds(&found), [Kind::Rewritten]);
    before.rewritten = path.to_vec();
    assert_eq!(kinds(&weigh(&before, &Baseline::default(), &trials)), []);
}

#[test]
fn a_gate_that_cannot_fail_leaves_the_agents_word() {
    let claim = [gate(0)];
    let trials = Trials {
        changed: Some(false),
        claim: &claim,
        ..Trials::default()
    };
    let found = weigh(
        &dusk(true, None, Some(false)),
        &Baseline::default(),
        &trials,
    );
    assert_eq!((found.standing, kinds(&found)), (Standing::Word, vec![]));
}

#[test]
fn a_canary_that_lives_and_one_that_is_swallowed_object() {
    let claim = [gate(0)];
    let of = |old: Sighting, passed, new: Sighting, blanks: &[(String, bool)]| {
        let canaries = [("g".to_owned(), new)];
        let trials = Trials {
            changed: Some(true),
            claim: &claim,
            canaries: &canaries,
            blanks,
            ..Trials::default()
        };
        kinds(&weigh(
            &dusk(passed, Some(old), Some(true)),
            &Baseline::default(),
            &trials,
        ))
    };
    assert_eq!(
        of(sighting(true, &[0, 1]), false, sighting(true, &[0, 1]), &[]),
        []
    );
    assert_eq!(
        of(sighting(true, &[0, 1]), false, sighting(false, &[]), &[]),
        [Kind::CannotFail]
    );
    assert_eq!(
        of(sighting(true, &[0, 1]), false, sighting(true, &[1]), &[]),
        [Kind::CannotFail]
    );
    assert_eq!(
        of(sighting(true, &[0, 1]), false, sighting(true, &[]), &[]),
        [Kind::CannotFail]
    );
    // Red before, so that nothing is known of the canary.
    assert_eq!(
        of(sighting(true, &[]), false, sighting(false, &[]), &[]),
        []
    );
    assert_eq!(
        of(
            sighting(true, &[]),
            false,
            sighting(false, &[]),
            &[("g".into(), false)]
        ),
        [Kind::CannotFail]
    );
    assert_eq!(
        of(sighting(true, &[]), true, sighting(false, &[]), &[]),
        [Kind::CannotFail]
    );
    assert_eq!(
        of(sighting(false, &[]), true, sighting(false, &[]), &[]),
        []
    );
}

#[test]
fn dusks_tests_that_fail_are_told_with_the_changed_files() {
    let (claim, old) = ([gate(0)], [gate(1)]);
    let edits = ["tests/a.py".to_owned()];
    let trials = Trials {
        changed: Some(true),
        claim: &claim,
        dusk: Some(&old),
        edits: &edits,
        ..Trials::default()
    };
    let found = weigh(&dusk(false, None, None), &Baseline::default(), &trials);
    assert_eq!(kinds(&found), [Kind::Contested]);
    assert!(
        found.objections[0]
            .reason
            .starts_with("with tests/a.py as when the run began: gate \"g\" failed")
    );
}

#[test]
fn an_assertion_that_cannot_fail_and_a_file_of_answers_are_told_apart() {
    for (place, said) in [
        ("tests/test_expected.py:7", "the assertion at"),
        ("tests/one.expected", "the gates pass whatever"),
    ] {
        assert!(unfailing(place).reason.starts_with(said), "{place}");
    }
}

#[test]
fn what_speaks_against_a_gate_is_looked_at_again() {
    let before = dusk(false, Some(sighting(true, &[0])), None);
    assert!(before.is_doubted("g", &sighting(true, &[])));
    assert!(before.is_doubted("g", &sighting(false, &[])));
    assert!(!before.is_doubted("g", &sighting(true, &[0])));
    let mute = dusk(false, Some(sighting(true, &[])), None);
    assert!(!mute.is_doubted("g", &sighting(true, &[])));
}
