//! What a person sets of samples.

use crate::hash::check_seed;
use overnight_base::section;
use overnight_base::value::Kind;

section! {
    /// Which tests `sample-tests` takes.
    sample: Sample {
        /// Share of the tests.
        rate: f64 = "0.1", Kind::Decimal(0.001, 1.0), More, SAMPLE_RATE option "Share of the tests";
        /// Orders the tests instead of the agent's id.
        seed: Option<String> = "", Kind::Text("one line of at most 1024 bytes", is_seed), Never, SEED;
    }
}

fn is_seed(text: &str) -> bool {
    check_seed("", text).is_ok()
}
