//! What a person says to the run of their session: `/flow stop`, and its siblings.

use super::words;

/// An order to the run of this session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// It is over until somebody resumes it.
    Stop,
    /// Nothing more is begun until somebody says go on.
    Pause,
    /// It goes on.
    Resume,
    /// Where it stands.
    Status,
}

/// The order, where nothing else was typed: a task is more than one word, or stands in quotes.
pub fn order(raw: &str) -> Option<Order> {
    let words = words::split(raw);
    let [word] = words.as_slice() else {
        return None;
    };
    match word.text.as_str() {
        _ if word.quoted => None,
        "stop" => Some(Order::Stop),
        "pause" => Some(Order::Pause),
        "resume" => Some(Order::Resume),
        "status" => Some(Order::Status),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bare_word_is_an_order_and_anything_more_is_a_task() {
        assert_eq!(order(" stop "), Some(Order::Stop));
        assert_eq!(order("pause"), Some(Order::Pause));
        assert_eq!(order("resume"), Some(Order::Resume));
        assert_eq!(order("status"), Some(Order::Status));
        for task in [
            "",
            "\"stop\"",
            "stop the server",
            "stop --fast",
            "stopp",
            "Stop",
        ] {
            assert_eq!(order(task), None, "{task}");
        }
    }
}
