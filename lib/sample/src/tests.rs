//! What a sample promises, whatever the list.

use super::bucket::Turn;
use super::draw::{Known, Request, draw};
use super::durations::{Times, parse};
use super::rate::Rate;
use super::ring::List;
use super::unit::Unit;
use overnight_base::code::Code;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn request(rate: &str, seed: &str) -> Request {
    Request {
        rate: Rate::parse(rate).unwrap(),
        seed: seed.to_owned(),
        agent: None,
        turn: Turn::default(),
        unit: Unit::Test,
        stratify: false,
        allow_empty: false,
    }
}

fn sample(ids: &[String], request: &Request, known: &Known) -> Vec<String> {
    let text = ids.join("\n");
    let list = List::new(text.as_bytes(), b'\n').unwrap();
    let drawn = draw(&list, request, known).unwrap();
    drawn.chosen().into_iter().map(str::to_owned).collect()
}

fn names(range: std::ops::Range<usize>) -> Vec<String> {
    range
        .map(|i| format!("tests/test_{}.py::test_{i}", i % 37))
        .collect()
}

fn jaccard(a: &[String], b: &[String]) -> f64 {
    let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
    let shared = u32::try_from(a.intersection(&b).count()).unwrap();
    let all = u32::try_from(a.union(&b).count()).unwrap();
    f64::from(shared) / f64::from(all)
}

/// Computed with Python's hashlib from the definition, seed `agent-1`, rate 0.05.
#[test]
fn golden_sample() {
    let drawn = sample(
        &names(0..200),
        &request("0.05", "agent-1"),
        &Known::default(),
    );
    assert_eq!(drawn, GOLDEN);
}

const GOLDEN: [&str; 10] = [
    "tests/test_23.py::test_23",
    "tests/test_16.py::test_53",
    "tests/test_27.py::test_64",
    "tests/test_12.py::test_86",
    "tests/test_4.py::test_115",
    "tests/test_10.py::test_121",
    "tests/test_0.py::test_148",
    "tests/test_11.py::test_159",
    "tests/test_24.py::test_172",
    "tests/test_36.py::test_184",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_size_is_exact_and_the_order_of_the_list_is_kept(
        ids in prop::collection::vec("[a-c/:\\[\\]é]{1,6}", 1..200), rate in 1u32..=1000, seed in "[a-z0-9]{1,8}",
    ) {
        let distinct: BTreeSet<_> = ids.iter().collect();
        let rate = format!("{}.{:03}", rate / 1000, rate % 1000);
        let drawn = sample(&ids, &request(&rate, &seed), &Known::default());
        let expected = (u64::try_from(distinct.len()).unwrap() * rate.replace('.', "").parse::<u64>().unwrap()).div_ceil(1000).max(1);
        prop_assert_eq!(drawn.len() as u64, expected);
        let mut once = BTreeSet::new();
        let in_order: Vec<_> = ids.iter().filter(|id| once.insert(*id) && drawn.contains(id)).cloned().collect();
        prop_assert_eq!(drawn, in_order);
    }

    #[test]
    fn the_sample_depends_on_the_set_alone(
        ids in prop::collection::vec("[a-z:/]{1,8}", 1..200), seed in "[a-z0-9]{1,8}", turned in 0usize..200,
    ) {
        let request = request("0.3", &seed);
        let mut other = ids.clone();
        other.rotate_left(turned % ids.len());
        other.reverse();
        other.extend_from_slice(&ids);
        let set = |ids| sample(ids, &request, &Known::default()).into_iter().collect::<BTreeSet<_>>();
        prop_assert_eq!(set(&ids), set(&other));
    }

    #[test]
    fn buckets_are_disjoint_and_together_everything(
        n in 1usize..400, rate in 1u32..=1000, stratify: bool, timed: bool, whole_files: bool,
    ) {
        let ids = names(0..n);
        let mut request = request(&format!("{}.{:03}", rate / 1000, rate % 1000), "0");
        request.unit = if whole_files { Unit::File } else { Unit::Test };
        request.stratify = stratify && !whole_files;
        let mut known = Known::default();
        if timed {
            let tests: Vec<_> = ids.iter().enumerate().map(|(i, id)| format!("\"{id}\":{}", 1 + i % 3)).collect();
            known.times = Some(Times::new(&[parse(&format!("{{{}}}", tests.join(","))).unwrap()]));
        }
        let mut seen = Vec::new();
        let mut giants = 0;
        let buckets = request.rate.buckets();
        for iteration in 1..=buckets {
            request.turn.iteration = Some(iteration);
            let text = ids.join("\n");
            let list = List::new(text.as_bytes(), b'\n').unwrap();
            let drawn = draw(&list, &request, &known).unwrap();
            giants = drawn.plan.time.as_ref().map_or(0, |time| time.giants.len());
            seen.extend(drawn.chosen().into_iter().map(str::to_owned));
        }
        let distinct: BTreeSet<_> = seen.iter().collect();
        prop_assert_eq!(distinct.len(), seen.len());
        if giants == 0 { prop_assert_eq!(seen.len(), n); }
    }

    #[test]
    fn a_stratified_sample_has_its_exact_size_and_each_module_its_share(n in 1usize..400, rate in 1u32..=100) {
        let mut request = request(&format!("{}.{:02}", rate / 100, rate % 100), "0");
        request.stratify = true;
        let drawn = sample(&names(0..n), &request, &Known::default());
        prop_assert_eq!(drawn.len(), request.rate.size(n));
        for module in 0..37.min(n) {
            let of = |ids: &[String]| ids.iter().filter(|id| id.starts_with(&format!("tests/test_{module}.py:"))).count();
            let (whole, _) = request.rate.split(of(&names(0..n)));
            prop_assert!((whole..=whole + 1).contains(&of(&drawn)));
        }
    }
}

/// Of `m` newcomers among `n` tests, `x` are in the sample of `k` with a hypergeometric chance. The
/// sample shares at most `k - x` with the `before` of old, and any uniform choice of exactly `k`
/// tests has newcomers at that rate: no algorithm does better, and this one does as well.
fn expected_jaccard(before: u32, n: u32, m: u32, k: u32) -> (f64, f64) {
    // C(m, x) · C(n − m, k − x) / C(n, k), from x = 0 on.
    let mut chance: f64 = (0..m)
        .map(|i| f64::from(n - k - i) / f64::from(n - i))
        .product();
    let (mut mean, mut below) = (0.0, 0.0);
    for x in 0..=m.min(k) {
        let shared = f64::from(before.min(k - x));
        let jaccard = shared / (f64::from(before + k) - shared);
        mean += chance * jaccard;
        below += if jaccard < 0.97 { chance } else { 0.0 };
        chance *= f64::from(m - x) / f64::from(x + 1);
        chance *= f64::from(k - x) / (f64::from(n - m + x + 1) - f64::from(k));
    }
    (mean, below)
}

/// The figures of lib-docs/sampling.md: 0.97 holds on the average from 1,000 tests on; a single
/// draw of 1,000 tests is below it in 7 cases of 100, since three newcomers of ten in a sample of
/// 101 make it share 98 of 103; of 10,000 tests in 8 cases of 10,000, of 20,000 in none that anybody
/// will see.
#[test]
fn what_one_test_in_a_hundred_moves_is_known() {
    for (n, mean, below) in [
        (1_000_u32, 0.983_4, 6.92e-2),
        (5_000, 0.986_9, 9.02e-3),
        (10_000, 0.987_8, 7.57e-4),
        (20_000, 0.988_5, 6.40e-6),
    ] {
        let m = n / 100;
        let (k, more) = (n / 10, (n + m).div_ceil(10));
        let (is_mean, is_below) = expected_jaccard(k, n + m, m, more);
        assert!((is_mean - mean).abs() < 1e-4, "{n}: {is_mean}");
        assert!((is_below / below - 1.0).abs() < 0.01, "{n}: {is_below}");
    }
}

#[test]
fn one_test_in_a_hundred_displaces_one_in_a_hundred() {
    let mut sum = 0.0;
    for seed in 0..100 {
        let request = request("0.1", &seed.to_string());
        let draw = |range| sample(&names(range), &request, &Known::default());
        let (before, added, removed) = (draw(0..1000), draw(0..1010), draw(10..1000));
        // Nothing moves that no newcomer displaces.
        for (old, new, young) in [(&before, &added, 1000..1010), (&removed, &before, 0..10)] {
            let young = names(young);
            let newcomers = new.iter().filter(|id| young.contains(id)).count();
            let shared = new.iter().filter(|id| old.contains(id)).count();
            assert_eq!(shared, old.len().min(new.len() - newcomers));
            sum += jaccard(old, new);
        }
    }
    assert!(sum / 200.0 >= 0.97, "{}", sum / 200.0);
    for seed in 0..3 {
        let request = request("0.1", &seed.to_string());
        let draw = |range| sample(&names(range), &request, &Known::default());
        let before = draw(0..20_000);
        assert!(jaccard(&before, &draw(0..20_200)) >= 0.97, "{seed}");
        assert!(jaccard(&before, &draw(200..20_000)) >= 0.97, "{seed}");
    }
}

/// Chi-squared over 100 cells of the ring with 99 degrees of freedom: 148.2 is its 0.999 quantile.
#[test]
fn places_are_uniform() {
    for seed in ["0", "1", "agent-1"] {
        let key = super::hash::Key::new(seed);
        let mut cells = [0u32; 100];
        for id in names(0..10_000) {
            let cell = (u128::from(key.place(id.as_bytes())) * 100) >> 64;
            cells[usize::try_from(cell).unwrap()] += 1;
        }
        let chi: f64 = cells
            .iter()
            .map(|count| (f64::from(*count) - 100.0).powi(2) / 100.0)
            .sum();
        assert!(chi < 148.2, "seed {seed}: {chi}");
    }
}

/// The same for the samples themselves: over 40 agents each of 10,000 tests is drawn about 4
/// times, binomially; 9,999 degrees of freedom have their 0.999 quantile at 10,442.
#[test]
fn agents_draw_every_test_alike() {
    let ids = names(0..10_000);
    let text = ids.join("\n");
    let list = List::new(text.as_bytes(), b'\n').unwrap();
    let mut counts: std::collections::BTreeMap<&str, u32> =
        ids.iter().map(|id| (id.as_str(), 0)).collect();
    let agents = 40;
    for agent in 0..agents {
        let drawn = draw(
            &list,
            &request("0.1", &format!("agent-{agent}")),
            &Known::default(),
        )
        .unwrap();
        for id in drawn.chosen() {
            *counts.get_mut(id).unwrap() += 1;
        }
    }
    let mean = f64::from(agents) * 0.1;
    let variance = mean * 0.9;
    let chi: f64 = counts
        .values()
        .map(|count| (f64::from(*count) - mean).powi(2) / variance)
        .sum();
    assert!(chi < 10_442.0, "{chi}");
}

#[test]
fn extras_come_on_top_and_are_capped() {
    let ids = names(0..1000);
    let request = request("0.1", "a");
    let alone = sample(&ids, &request, &Known::default());
    let mut known = Known {
        always: ids[..300].to_vec(),
        ..Known::default()
    };
    known.always.push("gone".to_owned());
    let text = ids.join("\n");
    let list = List::new(text.as_bytes(), b'\n').unwrap();
    let drawn = draw(&list, &request, &known).unwrap();
    assert!(alone.iter().all(|id| drawn.chosen().contains(&id.as_str())));
    let always = &drawn.plan.always;
    assert_eq!((drawn.plan.k, always.added, always.unknown), (100, 100, 1));
    assert_eq!(always.added + always.in_sample + always.over_cap, 300);
    assert_eq!(drawn.chosen().len() + drawn.rest().len(), 1000);
}

#[test]
fn with_durations_a_tenth_takes_a_tenth_of_the_time() {
    let ids = names(0..2000);
    // Long-tailed, as suites are: most tests take milliseconds, some seconds, one a minute.
    let seconds = |i: usize| {
        if i == 5 {
            900.0
        } else {
            0.001 * f64::from(u32::try_from(i * 7919 % 1000).unwrap()).powi(3) / 1e5 + 0.001
        }
    };
    let tests: Vec<_> = ids
        .iter()
        .enumerate()
        .map(|(i, id)| format!("\"{id}\":{}", seconds(i)))
        .collect();
    let report = parse(&format!("{{{}}}", tests.join(","))).unwrap();
    let known = Known {
        times: Some(Times::new(&[report])),
        ..Known::default()
    };
    let text = ids.join("\n");
    let list = List::new(text.as_bytes(), b'\n').unwrap();
    for agent in 0..50 {
        let mut request = request("0.1", &format!("agent-{agent}"));
        request.turn.iteration = Some(1 + agent % 10);
        let plan = draw(&list, &request, &known).unwrap().plan;
        let time = plan.time.clone().unwrap();
        assert_eq!(time.giants, ["tests/test_5.py::test_5"]);
        assert!(
            (0.08..=0.125).contains(&time.share),
            "{agent}: {}",
            time.share
        );
    }
}

#[test]
fn the_whole_leaves_no_giant_out() {
    let ids = names(0..100);
    let tests: Vec<_> = ids
        .iter()
        .map(|id| format!("\"{id}\":{}", id.len()))
        .collect();
    let report = parse(&format!("{{{},\"{}\":900}}", tests.join(","), ids[0])).unwrap();
    let known = Known {
        times: Some(Times::new(&[report])),
        ..Known::default()
    };
    assert_eq!(sample(&ids, &request("1", "0"), &known), ids);
}

#[test]
fn the_plan_reads_well() {
    let ids = names(0..40);
    let text = ids.join("\n");
    let list = List::new(text.as_bytes(), b'\n').unwrap();
    let mut request = request("0.1", "it's me");
    request.turn.iteration = Some(3);
    let times: Vec<_> = ids
        .iter()
        .enumerate()
        .map(|(i, id)| format!("\"{id}\":{}", if i == 7 { 9.0 } else { 0.25 }))
        .collect();
    let report = parse(&format!(
        "{{\"v\":1,\"fixed\":6.5,\"tests\":{{{}}}}}",
        times.join(",")
    ))
    .unwrap();
    let known = Known {
        listing: 500_000_000,
        times: Some(Times::new(&[report])),
        always: vec![ids[0].clone(), ids[1].clone()],
        ..Known::default()
    };
    let line = draw(&list, &request, &known).unwrap().plan.line();
    insta::assert_snapshot!(line, @r"sample-tests: 4 of 40 tests (sample-tests/v1 --rate 0.1 --seed 'it'\''s me' --iteration 3 set 2b26427ff74e437e), bucket 3 of 10, +2 always; 10.3 % of the time (1.00 s of 18.75 s), 1 giant left to the full gate: tests/test_7.py::test_7, 8.0 s in all, fixed cost 7.0 s of 25.2 s: best possible 0.32; use --unit file; sees a regression that breaks 1/5/10 tests with 10/43/70 %");
}

#[test]
fn bad_lists_are_refused() {
    let code = |bytes: &[u8]| {
        List::new(bytes, b'\n')
            .and_then(|list| draw(&list, &request("0.1", "0"), &Known::default()).map(|_| ()))
            .map_err(|fault| fault.code)
    };
    assert_eq!(code(b""), Err(Code::SampleEmpty));
    assert_eq!(code(b"\r\n \n"), Err(Code::SampleEmpty));
    assert_eq!(code(b"a\xff\n"), Err(Code::SampleId));
    assert_eq!(code(b"a\0b\0"), Err(Code::SampleId));
    assert_eq!(code(&vec![b'x'; 10_000_000]), Err(Code::SampleSize));
    assert_eq!(code(b"\xef\xbb\xbfa\r\n"), Ok(()));
}
