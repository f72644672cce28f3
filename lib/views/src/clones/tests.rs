use super::*;
use proptest::prelude::*;

fn place(file: &str, first: u32, last: u32) -> LineRange {
    LineRange {
        file: file.to_owned(),
        first,
        last,
    }
}

fn pair(a: LineRange, b: LineRange) -> Pair {
    Pair {
        places: [a, b],
        renamed: false,
    }
}

#[test]
fn a_report_of_jscpd_is_read() {
    // Captured from jscpd 5.3.3, the fragment left out.
    let json = br#"{"duplicates":[{"firstFile":{"end":35,"endLoc":{"column":57,"line":35,"position":1846},"name":"./a.py","start":6},
        "format":"python","isNew":false,"kind":"renamed","lines":30,"secondFile":{"end":66,"name":"b.py","start":37},"tokens":210}],
        "statistics":{}}"#;
    let expected = Pair {
        places: [place("a.py", 6, 35), place("b.py", 37, 66)],
        renamed: true,
    };
    assert_eq!(parse(json).unwrap(), [expected]);
    assert_eq!(
        parse(b"{}").unwrap_err().code,
        overnight_base::code::Code::InputData
    );
}

#[test]
fn pairs_of_the_same_code_are_one_group_and_changed_files_come_first() {
    let pairs = [
        pair(place("a", 1, 40), place("b", 1, 40)),
        pair(place("c", 10, 20), place("d", 10, 20)),
        pair(place("b", 2, 40), place("e", 5, 43)),
        pair(place("f", 1, 9), place("f", 21, 29)),
    ];
    let found = groups(&pairs, &BTreeSet::from(["d".to_owned()]));
    insta::assert_snapshot!(text(&found), @r"
    3 groups of clones, those in changed files first
    1. 2 places, the same, changed, saves 11 lines
       c:10-20
       d:10-20
    2. 3 places, the same, saves 79 lines
       a:1-40
       b:1-40
       e:5-43
    3. 2 places, the same, saves 9 lines
       f:1-9
       f:21-29
    ");
}

#[test]
fn a_repetition_inside_one_place_is_no_clone() {
    let pairs = [pair(place("table", 6, 35), place("table", 7, 36))];
    assert_eq!(text(&groups(&pairs, &BTreeSet::new())), "no clones found\n");
}

#[test]
fn a_hostile_path_stays_on_its_line_and_the_list_is_bounded() {
    let pairs: Vec<_> = (0..50)
        .map(|n| {
            pair(
                place(&format!("x{n}\u{1b}[2J\n1. fake"), 1, 9),
                place(&format!("y{n}"), 1, 9),
            )
        })
        .collect();
    let shown = text(&groups(&pairs, &BTreeSet::new()));
    assert!(!shown.contains('\u{1b}'));
    assert_eq!(shown.lines().count(), 1 + 3 * GROUPS_SHOWN_MAX + 1);
    assert!(shown.ends_with("and 30 more groups (--json shows all)\n"));
}

proptest! {
    #[test]
    fn every_group_has_places_apart_and_no_place_is_in_two(
        raw in proptest::collection::vec((0..3_u32, 0..60_u32, 0..3_u32, 0..60_u32, 8..20_u32), 0..12)
    ) {
        let pairs: Vec<_> = raw.iter()
            .map(|(f, a, g, b, n)| pair(place(&f.to_string(), *a, a + n), place(&g.to_string(), *b, b + n)))
            .collect();
        let found = groups(&pairs, &BTreeSet::new());
        let places: Vec<_> = found.iter().flat_map(|group| &group.places).collect();
        for (index, place) in places.iter().enumerate() {
            prop_assert!(!places[..index].iter().any(|other| other.is(place)), "{found:#?}");
        }
        prop_assert!(found.iter().all(|group| group.places.len() > 1 && group.saves > 0));
    }
}
