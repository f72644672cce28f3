//! What an agent at work has spent, by its stream: a budget that is reached in the middle of an
//! iteration ends it.

use overnight_run::budget::Limits;
use overnight_run::classify::ClientLimit;
use overnight_run::client::Ending;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Read at one look; of a stream that is longer, the rest is read at the next ones.
const BYTES_MAX: u64 = 4 << 20;

/// The reader of one attempt's stream.
#[derive(Debug)]
pub(super) struct Meter {
    path: PathBuf,
    at: u64,
    seen: Ending,
    limits: Limits,
    /// Dollars that the run's clients named, and the input tokens that they bought; before they named
    /// any, the vendor's list counts.
    priced: (f64, u64),
}

impl Meter {
    /// A meter of what stands in `path` from `offset` on; `limits` is what may be spent.
    pub(super) fn new(path: &Path, offset: u64, limits: Limits, priced: (f64, u64)) -> Self {
        Self {
            path: path.to_owned(),
            at: offset,
            seen: Ending::default(),
            limits,
            priced,
        }
    }

    /// Which limit is passed by now, if one is.
    pub(super) fn passed(&mut self) -> Option<ClientLimit> {
        self.read();
        let (tokens, _) = self.seen.seen();
        if self.limits.tokens.is_some_and(|most| tokens >= most) {
            return Some(ClientLimit::Tokens);
        }
        let usd = self.usd();
        let spent = self.limits.usd.is_some_and(|most| usd >= most);
        spent.then_some(ClientLimit::Dollars)
    }

    /// About how many dollars it is so far.
    pub(super) fn usd(&self) -> f64 {
        self.seen.about_usd(self.priced)
    }

    /// Takes in the whole lines that came since. A stream that cannot be read now is read later.
    fn read(&mut self) {
        let mut bytes = Vec::new();
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.at))?;
            file.take(BYTES_MAX).read_to_end(&mut bytes)
        });
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        match end.filter(|_| read.is_ok()) {
            Some(end) => {
                for line in bytes[..end].split(|byte| *byte == b'\n') {
                    self.seen.read(line);
                }
                self.at += end as u64 + 1;
            }
            // A line longer than a look is no message.
            None if bytes.len() as u64 == BYTES_MAX => self.at += BYTES_MAX,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn message(number: u32, tokens: u64) -> String {
        format!(
            r#"{{"type":"assistant","message":{{"id":"m{number}","usage":{{"input_tokens":{tokens}}},"content":[]}}}}"#
        )
    }

    #[test]
    fn a_budget_is_passed_in_the_middle_of_a_stream() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{}", message(0, 900)).unwrap();
        let offset = file.as_file().metadata().unwrap().len();
        let limits = |usd, tokens| Limits { usd, tokens };
        let meter = |limits| Meter::new(file.path(), offset, limits, (1.0, 1_000));
        let mut none = meter(limits(None, None));
        let mut tokens = meter(limits(None, Some(1_000)));
        let mut dollars = meter(limits(Some(1.5), None));
        let mut handle = file.as_file();
        write!(handle, "{}\n{}", message(1, 600), message(2, 500)).unwrap();
        // The second line is not whole yet.
        assert_eq!((tokens.passed(), dollars.passed()), (None, None));
        writeln!(handle).unwrap();
        assert_eq!(tokens.passed(), Some(ClientLimit::Tokens));
        assert_eq!(dollars.passed(), None);
        writeln!(handle, "{}", message(3, 500)).unwrap();
        assert_eq!(dollars.passed(), Some(ClientLimit::Dollars));
        assert_eq!(none.passed(), None);
    }

    #[test]
    fn before_a_client_named_a_price_the_vendors_list_bounds_the_first_iteration() {
        let passed = |model: &str| {
            let file = tempfile::NamedTempFile::new().unwrap();
            let line =
                message(1, 200_000).replace(r#""id""#, &format!(r#""model":"{model}","id""#));
            writeln!(file.as_file(), "{line}").unwrap();
            let limits = Limits {
                usd: Some(1.0),
                tokens: None,
            };
            Meter::new(file.path(), 0, limits, (0.0, 0)).passed()
        };
        assert_eq!(passed("claude-opus-5"), Some(ClientLimit::Dollars));
        assert_eq!(passed("claude-haiku-4-5"), None);
        assert_eq!(passed("of another vendor"), Some(ClientLimit::Dollars));
    }
}
