use super::*;

fn run(end: Option<&'static str>, iterations: u32) -> Run {
    Run {
        end,
        iterations,
        working_ms: 3_723_000,
        limited_ms: 60_000,
        tasks_total: 1,
        tasks_all_done: 1,
        tasks_done: 1,
        cost_usd: 0.5,
        ..Run::default()
    }
}

fn filter() -> Filter {
    Filter {
        runs: 2,
        lines_in: 500,
        lines_out: 60,
        bytes_in: 40_000,
        bytes_out: 4_000,
    }
}

#[test]
fn a_week_of_runs() {
    let mut blocked = run(Some("blocked"), 9);
    blocked.blocks = vec!["circuit breaker", "failures in a row"];
    blocked.first_block_ms = Some(90_500);
    blocked.refused = 3;
    blocked.guard = Tally::of(&[&[b'+'; 90][..], b"?--"].concat());
    blocked.tasks_total = 3;
    let mention = |task: Option<&str>, what: &str| Mention {
        run: "r4".to_owned(),
        task: task.map(str::to_owned),
        what: what.to_owned(),
    };
    blocked.needs = vec![mention(None, "ask-1: git push origin")];
    blocked.refuted = vec![mention(Some("price"), "a.ts(3,5): error TS2345"); 9];
    let runs = [
        run(Some("completed"), 1),
        run(Some("completed"), 2),
        run(Some("completed"), 4),
        blocked,
        run(Some("crashed"), 3),
        run(None, 7),
    ];
    let stats = of(&runs, filter());
    assert!((stats.success_rate.unwrap() - 0.6).abs() < 1e-9);
    insta::assert_snapshot!(text(&stats), @"
    runs              6 (5 ended, 1 under way)
    completed         60 % (n = 5)
    ends              blocked 1, completed 3, crashed 1
    tasks             6 of 8 tasks done, 0 of them with a proof
    needs you         r4: ask-1: git push origin
    refuted           r4 price: a.ts(3,5): error TS2345
                      r4 price: a.ts(3,5): error TS2345
                      r4 price: a.ts(3,5): error TS2345
                      r4 price: a.ts(3,5): error TS2345
                      r4 price: a.ts(3,5): error TS2345
                      r4 price: a.ts(3,5): error TS2345
                      r4 price: a.ts(3,5): error TS2345
                      r4 price: a.ts(3,5): error TS2345
                      and 1 more: overnight stats --json
    iterations        mean 3.8, median 3, p90 9 (n = 5)
    blocks            circuit breaker 1, failures in a row 1
    first block after median 1m30s, p90 1m30s (n = 1)
    time              working 6h12m (14m19s an iteration in the mean), waiting 0s, at the usage limit 6m
    guard             allowed 90, asked 1, denied 2; calls refused in all 3
    filter saved      440 lines, about 9000 tokens (bytes / 4), since the project began
    cost              $3.00, $0.50 for each of 6 finished tasks
    ");
}

#[test]
fn four_runs_are_too_few_for_a_rate() {
    let stats = of(&vec![run(Some("completed"), 1); 4], Filter::default());
    assert_eq!((stats.success_rate, stats.too_few), (None, true));
    insta::assert_snapshot!(text(&stats), @"
    runs              4 (4 ended, 0 under way)
    completed         4 of 4: too few runs for a rate
    ends              completed 4
    tasks             4 of 4 tasks done, 0 of them with a proof
    iterations        mean 1.0, median 1, p90 1 (n = 4)
    blocks            none
    time              working 4h8m (1h2m an iteration in the mean), waiting 0s, at the usage limit 4m
    guard             allowed 0, asked 0, denied 0; calls refused in all 0
    filter saved      0 lines, about 0 tokens (bytes / 4), since the project began
    cost              $2.00, $0.50 for each of 4 finished tasks
    ");
}

#[test]
fn ranks_are_nearest_ranks() {
    assert_eq!(Spread::of(Vec::new()), None);
    let spread = Spread::of((1..=10).collect()).unwrap();
    assert_eq!((spread.n, spread.median, spread.p90), (10, 5, 9));
    assert!((spread.mean - 5.5).abs() < 1e-9);
}
