use super::*;
use proptest::prelude::*;

fn said(bytes: &[u8], chunk: usize) -> Message {
    let mut scan = Scan::new(Marker::default());
    for part in bytes.chunks(chunk) {
        scan.push(part);
    }
    scan.finish()
}

#[test]
fn a_marker_after_much_text_is_found_and_memory_stays_bounded() {
    let mut scan = Scan::new(Marker::default());
    let block = "some text with `code` and <tags> in it\n".repeat(20_000);
    for _ in 0..20 {
        scan.push(block.as_bytes());
        assert!(
            scan.buffer.len() <= 4 * KEPT + block.len(),
            "{}",
            scan.buffer.len()
        );
    }
    scan.push(b"<DONE>ok</DONE>\n");
    assert!(matches!(scan.finish().marked, Claim::Complete { .. }));
}

#[test]
fn a_line_without_end_is_skipped() {
    let mut scan = Scan::new(Marker::default());
    for _ in 0..12 {
        scan.push(&vec![b'x'; 1 << 20]);
        assert!(scan.buffer.len() <= LINE_MAX + (1 << 20));
    }
    scan.push(b"<DONE>no</DONE>\n<DONE>ok</DONE>");
    let said = scan.finish();
    assert_eq!(
        said.marked,
        Claim::Complete {
            summary: Some("ok".into())
        }
    );
}

proptest! {
    #[test]
    fn any_bytes_in_any_chunks_give_one_answer(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("<DONE>"), Just("</DONE>"), Just("ok"), Just("\n"), Just("```\n"), Just("~~~"), Just("<!--"),
                Just("-->"), Just("> "), Just("  "), Just("**"), Just("<example>\n"), Just("</example>"), Just("text"),
                Just("\r\n"), Just("INCOMPLETE"), Just("é"),
            ], 0..24),
        chunk in 1usize..40,
    ) {
        let text = parts.concat();
        prop_assert_eq!(said(text.as_bytes(), chunk), said(text.as_bytes(), text.len().max(1)));
    }

    #[test]
    fn a_fenced_or_quoted_marker_is_never_a_claim(before in "[a-z `>\n]{0,60}", summary in "[a-z ]{1,20}") {
        // A fence in the text before would be closed by ours.
        prop_assume!(!before.contains("```"));
        let fence = "`".repeat(64);
        let text = format!("{before}\n{fence}\n<DONE>{summary}</DONE>\n{fence}\n> <DONE>{summary}</DONE>\n");
        prop_assert_eq!(said(text.as_bytes(), 7).marked, Claim::None);
    }
}
