use super::judge::is_live;
use super::record::Phase;
use super::*;
use overnight_tasks::TaskId;
use proptest::prelude::*;

const T0: u64 = 1_795_186_800_000;
const BLIND: Evidence = Evidence {
    watched_ms: 0,
    owner_dead: false,
};

fn me(agent: &str, instance: &str, boot: &str) -> Me {
    Me {
        agent: agent.to_owned(),
        instance: instance.to_owned(),
        host: format!("host-{boot}"),
        boot: boot.to_owned(),
        owner: None,
    }
}

fn now(wall_ms: u64, mono_ms: u64) -> Now {
    Now { wall_ms, mono_ms }
}

fn held(by: &Me, ttl_s: u64, at: Now) -> Standing {
    Standing::Record {
        oid: "0a".to_owned(),
        record: Box::new(Record {
            v: Record::version(),
            task: "t1".to_owned(),
            state: Phase::Held,
            agent: by.agent.clone(),
            host: by.host.clone(),
            instance: by.instance.clone(),
            boot: by.boot.clone(),
            token: 7,
            ttl_s,
            acquired_ms: at.wall_ms,
            renewed_ms: at.wall_ms,
            mono_ms: at.mono_ms,
            nonce: "n".to_owned(),
            owner: by.owner.clone(),
        }),
    }
}

fn may_take(verdict: Answer) -> Option<Why> {
    match verdict {
        Answer::Take { token, why } => {
            assert!(token > 7 || why == Why::New, "{token}");
            Some(why)
        }
        Answer::Mine | Answer::Held => None,
    }
}

#[test]
fn a_lease_on_another_machine_is_taken_only_after_its_whole_time_was_watched() {
    let (holder, other) = (me("a1", "i1", "b1"), me("a2", "i2", "b2"));
    let standing = held(&holder, 60, now(T0, 1_000));
    for (watched_ms, taken) in [
        (0, None),
        (60_000, None),
        (65_999, None),
        (66_000, Some(Why::Watched)),
    ] {
        let evidence = Evidence {
            watched_ms,
            ..BLIND
        };
        assert_eq!(
            may_take(judge(&standing, &other, now(T0, 999_999), evidence)),
            taken
        );
    }
}

#[test]
fn wall_clocks_ten_minutes_apart_in_each_direction_neither_steal_nor_block() {
    let (holder, other) = (me("a1", "i1", "b1"), me("a2", "i2", "b2"));
    let standing = held(&holder, 60, now(T0 - 600_000, 1_000));
    assert_eq!(
        judge(&standing, &other, now(T0 + 600_000 + 59_000, 5), BLIND),
        Answer::Held
    );
    let ahead = held(&holder, 60, now(T0 + 70 * 365 * 86_400_000, 1_000));
    let evidence = Evidence {
        watched_ms: 66_000,
        ..BLIND
    };
    assert_eq!(
        may_take(judge(&ahead, &other, now(T0, 5), evidence)),
        Some(Why::Watched)
    );
    let past = now(T0 + 60_000 + SKEW_MS, 5);
    assert_eq!(
        may_take(judge(&standing, &other, past, BLIND)),
        Some(Why::LongPast)
    );
}

#[test]
fn on_the_same_boot_the_shared_clock_decides_at_once() {
    let (holder, other) = (me("a1", "i1", "b1"), me("a2", "i2", "b1"));
    let standing = held(&holder, 10, now(T0, 1_000));
    assert_eq!(
        judge(&standing, &other, now(T0, 11_999), BLIND),
        Answer::Held
    );
    assert_eq!(
        may_take(judge(&standing, &other, now(0, 12_000), BLIND)),
        Some(Why::Elapsed)
    );
}

#[test]
fn the_same_agent_of_the_same_clone_has_it_until_it_ran_out() {
    let holder = me("a1", "i1", "b1");
    let standing = held(&holder, 10, now(T0, 1_000));
    assert_eq!(
        judge(&standing, &holder, now(T0, 10_999), BLIND),
        Answer::Mine
    );
    assert_eq!(
        may_take(judge(&standing, &holder, now(T0, 11_000), BLIND)),
        Some(Why::Elapsed)
    );
    let twin = me("a1", "i2", "b1");
    assert_eq!(judge(&standing, &twin, now(T0, 1_500), BLIND), Answer::Held);
    let rebooted = Me {
        boot: "b9".to_owned(),
        ..holder.clone()
    };
    assert!(!is_live(
        standing.record().unwrap(),
        &rebooted,
        now(T0, 1_001)
    ));
}

#[test]
fn two_living_processes_of_one_name_are_two_agents_and_a_dead_one_is_none() {
    let owner = |pid| {
        Some(Owner {
            pid,
            start: "5".to_owned(),
            space: "s".to_owned(),
        })
    };
    let first = Me {
        owner: owner(10),
        ..me("a1", "i1", "b1")
    };
    let second = Me {
        owner: owner(11),
        ..first.clone()
    };
    let standing = held(&first, 10, now(T0, 1_000));
    assert_eq!(
        judge(&standing, &second, now(T0, 1_500), BLIND),
        Answer::Held
    );
    let dead = Evidence {
        owner_dead: true,
        ..BLIND
    };
    assert_eq!(
        may_take(judge(&standing, &second, now(T0, 1_500), dead)),
        Some(Why::OwnerDied)
    );
    let elsewhere = me("a1", "i1", "b2");
    assert_ne!(
        may_take(judge(&standing, &elsewhere, now(T0, 1_500), dead)),
        Some(Why::OwnerDied)
    );
}

#[test]
fn a_hostile_record_neither_holds_for_ever_nor_crashes() {
    let task = TaskId::parse("t1").unwrap();
    let other = me("a2", "i2", "b2");
    let Standing::Record { record, .. } = held(&me("a1", "i1", "b1"), 10, now(u64::MAX, u64::MAX))
    else {
        panic!("a record");
    };
    let forge = |change: &dyn Fn(&mut Record)| {
        let mut forged = record.as_ref().clone();
        change(&mut forged);
        Record::parse(serde_json::to_string(&forged).unwrap().as_bytes(), &task)
    };
    assert_eq!(
        forge(&|record| record.ttl_s = u64::MAX).unwrap().ttl_s,
        TTL_S_MAX
    );
    for bad in [
        forge(&|record| record.token = 0),
        forge(&|record| record.token = u64::MAX),
        forge(&|record| record.task = "t2".to_owned()),
        forge(&|record| record.v = 2),
        forge(&|record| record.agent = "a\u{1b}[2J".to_owned()),
        forge(&|record| record.nonce = "x".repeat(5_000)),
        Record::parse(b"<<<<<<< HEAD", &task),
    ] {
        assert_eq!(bad, None);
    }
    let unreadable = Standing::Unreadable {
        oid: "0b".to_owned(),
    };
    assert_eq!(judge(&unreadable, &other, now(T0, 5), BLIND), Answer::Held);
    let evidence = Evidence {
        watched_ms: 3_630_000,
        ..BLIND
    };
    assert_eq!(
        may_take(judge(&unreadable, &other, now(T0, 5), evidence)),
        Some(Why::Watched)
    );
}

#[test]
fn only_what_is_news_is_remembered() {
    let held = held(&me("a1", "i", "b0"), 3_600, now(T0, 5));
    let seen = |state: &State, standing: &Standing, boot: &str, mono_ms: u64| {
        let mut state = state.clone();
        state.observe(standing.clone(), boot, mono_ms);
        state
    };
    let first = seen(&State::default(), &held, "b1", 0);
    assert!(first.tells_more(&State::default()));
    assert!(!seen(&first, &held, "b1", 359_000).tells_more(&first));
    assert!(seen(&first, &held, "b1", 360_000).tells_more(&first));
    assert!(
        seen(&first, &held, "b2", 0).tells_more(&first),
        "else nothing would add up"
    );
    let other = Standing::Unreadable { oid: "b".into() };
    assert!(seen(&first, &other, "b1", 1).tells_more(&first));
}

#[test]
fn watching_adds_up_over_calls_and_reboots_but_not_over_changes() {
    let seen = |oid: &str| Standing::Unreadable {
        oid: oid.to_owned(),
    };
    let mut state = State::default();
    state.observe(seen("a"), "b1", 1_000);
    state.observe(seen("a"), "b1", 4_000);
    assert_eq!(state.watched_ms(), 3_000);
    let mut state = State::parse(state.to_json().as_bytes());
    state.observe(seen("a"), "b2", 10);
    state.observe(seen("a"), "b2", 510);
    assert_eq!(state.watched_ms(), 3_500);
    state.observe(seen("b"), "b2", 600);
    assert_eq!(state.watched_ms(), 0);
    assert_eq!(State::parse(b"{\"v\":2"), State::default());
}

proptest! {
    /// Whatever the clocks and the evidence: nobody but the holder itself gets a live lease of a
    /// holder whose clock and whose watchers are honest.
    #[test]
    fn a_live_lease_is_never_given_to_another(
        ttl_s in 1u64..100_000, age_ms in 0u64..200_000_000, skew in -600_000i64..=600_000,
        their_skew in -600_000i64..=600_000, watched_percent in 0u64..=100, same_boot: bool,
    ) {
        let holder = me("a1", "i1", "b1");
        let other = me("a2", "i2", if same_boot { "b1" } else { "b2" });
        let sent = now(T0.saturating_add_signed(their_skew), 50_000);
        let standing = held(&holder, ttl_s, sent);
        let evidence = Evidence { watched_ms: age_ms / 100 * watched_percent, owner_dead: false };
        let asked = now((T0 + age_ms).saturating_add_signed(skew), 50_000 + age_ms);
        let live = is_live(standing.record().unwrap(), &holder, asked);
        let verdict = judge(&standing, &other, asked, evidence);
        prop_assert!(!live || verdict == Answer::Held, "{verdict:?}");
        // And nobody waits for ever: whoever watched long enough gets it.
        if evidence.watched_ms >= ttl_s * 1_000 + 30_000 {
            prop_assert!(may_take(verdict).is_some());
        }
    }

    #[test]
    fn tokens_only_grow(last in 0..TOKEN_MAX, wall_ms: u64) {
        prop_assert!(next_token(last, wall_ms) > last);
        prop_assert!(next_token(last, wall_ms) <= TOKEN_MAX);
    }
}
