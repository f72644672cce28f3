use super::*;
use crate::event::{Finished, Interrupted, Torn, Waiting};
use crate::step::{Reason, WaitCause};
use proptest::prelude::*;

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (any::<u64>()).prop_map(|bytes| Torn { bytes }.into()),
        (any::<i32>()).prop_map(|signal| Interrupted { signal }.into()),
        (any::<u64>()).prop_map(|until| Waiting {
            until,
            cause: WaitCause::CallRate
        }
        .into()),
        ".{0,40}".prop_map(|why| Finished {
            reason: Reason::Blocked(why)
        }
        .into()),
        Just(
            Finished {
                reason: Reason::AllDone
            }
            .into()
        ),
    ]
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    let stamp = (any::<u64>(), any::<u64>(), "[a-f0-9-]{0,36}").prop_map(|(t, mono, boot)| Stamp {
        t,
        mono,
        boot,
    });
    proptest::collection::vec((stamp, event()), 0..8).prop_map(|entries| {
        let numbered = entries.into_iter().zip(1..);
        numbered
            .map(|((stamp, event), seq)| Record { seq, stamp, event })
            .collect()
    })
}

/// The journal's text, and where each of its lines ends.
fn text(records: &[Record]) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = Vec::new();
    let ends = records.iter().map(|record| {
        bytes.extend(encode(record).into_bytes());
        bytes.len()
    });
    let ends = ends.collect();
    (bytes, ends)
}

proptest! {
    #[test]
    fn cut_at_every_byte_the_longest_whole_prefix_is_read(records in records()) {
        let (bytes, ends) = text(&records);
        for cut in 0..=bytes.len() {
            let whole = ends.iter().filter(|end| **end <= cut).count();
            let decoded = decode(&bytes[..cut]).unwrap();
            prop_assert_eq!(&decoded.records[..], &records[..whole]);
            prop_assert_eq!(decoded.whole_bytes, whole.checked_sub(1).map_or(0, |last| ends[last]));
        }
    }

    #[test]
    fn a_damaged_byte_before_a_whole_record_is_never_passed_over(records in records(), at in any::<prop::sample::Index>(), flip in 1..=255_u8) {
        let (mut bytes, ends) = text(&records);
        prop_assume!(ends.len() >= 2);
        let at = at.index(ends[ends.len() - 2]);
        bytes[at] ^= flip;
        // Damage is an error, or (a torn line feed joins two lines at the very end) cuts off from there.
        if let Ok(decoded) = decode(&bytes) {
            prop_assert!(decoded.whole_bytes <= at, "byte {} was believed", at);
            prop_assert_eq!(&decoded.records[..], &records[..decoded.records.len()]);
        }
    }

    #[test]
    fn arbitrary_bytes_never_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = decode(&bytes);
    }
}

fn line(fields: &str) -> Vec<u8> {
    let body = format!("{{{fields}}}");
    let crc = crc32c::crc32c(body.as_bytes());
    format!("{},\"crc\":\"{crc:08x}\"}}\n", &body[..body.len() - 1]).into_bytes()
}

#[test]
fn the_record_has_the_documented_form() {
    let record = Record {
        seq: 7,
        stamp: Stamp {
            t: 1_795_186_800_000,
            mono: 42,
            boot: "b".to_owned(),
        },
        event: Interrupted { signal: 2 }.into(),
    };
    let expected = line(
        r#""v":1,"seq":7,"t":1795186800000,"mono":42,"boot":"b","event":"interrupted","signal":2"#,
    );
    assert_eq!(encode(&record).as_bytes(), expected);
}

#[test]
fn a_newer_version_and_an_unknown_event_are_refused() {
    let newer = line(r#""v":2,"seq":1,"t":0,"mono":0,"boot":"","event":"torn","bytes":1"#);
    let unknown = line(r#""v":1,"seq":1,"t":0,"mono":0,"boot":"","event":"dreamt""#);
    for bytes in [newer, unknown] {
        assert_eq!(decode(&bytes).unwrap_err().code, Code::JournalVersion);
    }
}

#[test]
fn a_gap_in_the_count_is_corruption() {
    let bytes = line(r#""v":1,"seq":2,"t":0,"mono":0,"boot":"","event":"torn","bytes":1"#);
    assert_eq!(decode(&bytes).unwrap_err().code, Code::JournalCorrupt);
}

#[test]
fn a_header_of_another_form_is_refused_whole() {
    let ours = r#""v":1,"seq":1,"t":0,"mono":0,"boot":"b","event":"torn","bytes":1"#;
    assert_eq!(decode(&line(ours)).unwrap().records.len(), 1);
    for (from, to) in [
        (r#""v":1"#, r#""v":-1"#),
        (r#""v":1"#, r#""v": 1"#),
        (r#""seq":1,"#, ""),
        (r#""seq":1"#, r#""seq":18446744073709551616"#),
        (r#""t":0"#, r#""t":null"#),
        (r#""t":0,"mono":0"#, r#""mono":0,"t":0"#),
        (r#""boot":"b""#, r#""boot":"\u0062""#),
        (r#""boot":"b""#, r#""boot":7"#),
        (r#","event":"torn","bytes":1"#, ""),
    ] {
        let bytes = line(&ours.replacen(from, to, 1));
        assert_eq!(
            decode(&bytes).unwrap_err().code,
            Code::JournalCorrupt,
            "{to}"
        );
    }
    // What follows it is the event's matter.
    for fields in [
        "",
        r#","bytes":1,"bytes":2"#,
        r#","bytes":1,"more":{"a":[1]}"#,
        r#","bytes":1}{"#,
    ] {
        let bytes = line(&ours.replacen(r#","bytes":1"#, fields, 1));
        let read = decode(&bytes).map_err(|fault| fault.code);
        let known = fields.contains("more");
        assert_eq!(read.is_ok(), known, "{fields}: {read:?}");
        assert_eq!(
            read.err().unwrap_or(Code::JournalVersion),
            Code::JournalVersion
        );
    }
}
