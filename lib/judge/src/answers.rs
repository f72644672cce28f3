//! Answers to the points of a checklist: conditions in words, which no command can prove, must be
//! answered one by one.

use super::gates::{Kind, Objection};
use super::marker::one_line;

/// Answers kept of one claim; the task list's entries are fewer.
pub const ANSWERS_MAX: usize = 200;
/// So many characters of a point must be repeated when it is answered by its words: lines are kept
/// to 200, with room for the evidence.
const POINT_CHARS_MAX: usize = 120;

/// The ticked boxes of a message's plain lines, each without its box.
pub(super) fn ticked(plain: &str) -> Vec<String> {
    let boxed = |line: &str| {
        let item = line.trim().strip_prefix(['-', '*', '+'])?.trim_start();
        let rest = item
            .strip_prefix("[x]")
            .or_else(|| item.strip_prefix("[X]"))?;
        Some(one_line(rest)).filter(|answer| !answer.is_empty())
    };
    plain.lines().filter_map(boxed).take(ANSWERS_MAX).collect()
}

/// One objection for each point that no answer meets.
pub fn objections(points: &[String], answers: &[String]) -> Vec<Objection> {
    let open = points.iter().enumerate().filter(|(at, point)| {
        !answers
            .iter()
            .any(|answer| by_number(answer, at + 1) || by_words(answer, point))
    });
    open.map(|(at, point)| {
        let number = at + 1;
        let reason = format!(
            "point {number} of the checklist is not answered: {}; answer it with --answer \"{number}: evidence\" or with a line \"- [x] {number}: evidence\"",
            one_line(point)
        );
        Objection::new(Kind::Unanswered, point, reason)
    })
    .collect()
}

/// `3: evidence`, with evidence.
fn by_number(answer: &str, number: usize) -> bool {
    answer.split_once(':').is_some_and(|(head, evidence)| {
        head.trim().parse() == Ok(number) && !evidence.trim().is_empty()
    })
}

/// The point's own words, with or without evidence behind them.
fn by_words(answer: &str, point: &str) -> bool {
    let plain = |text: &str| {
        let words: Vec<_> = text.split_whitespace().collect();
        words.join(" ").to_lowercase()
    };
    let point: String = plain(&one_line(point))
        .trim_end_matches(['.', '。'])
        .chars()
        .take(POINT_CHARS_MAX)
        .collect();
    let answer = plain(answer);
    let rest = answer.strip_prefix(&point);
    !point.is_empty() && rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::{objections, ticked};

    fn open(points: &[&str], answers: &[&str]) -> Vec<String> {
        let own = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        let all = objections(&own(points), &own(answers));
        all.into_iter().map(|objection| objection.subject).collect()
    }

    #[test]
    fn every_point_needs_an_answer() {
        let points = ["The page loads.", "No warning is left."];
        assert_eq!(open(&points, &[]), points);
        assert_eq!(open(&points, &["2: grep finds none"]), ["The page loads."]);
        assert!(open(&points, &["the page  loads: seen", "2: none"]).is_empty());
    }

    #[test]
    fn a_number_alone_or_other_words_answer_nothing() {
        let points = ["The page loads"];
        let no = [
            "1:",
            "1",
            "11: x",
            "-1: x",
            "The page",
            "The page loads2",
            "all done",
        ];
        for answer in no {
            assert_eq!(open(&points, &[answer]), points, "{answer}");
        }
    }

    #[test]
    fn only_ticked_boxes_answer() {
        let text = "- [x] 1: seen\n* [X] two\n- [ ] 3: not yet\n[x] 4: no item\n- [x]\n";
        assert_eq!(ticked(text), ["1: seen", "two"]);
    }
}
