//! httpie and its kin: a method, an address, then fields.

use super::{leaks, local};
use crate::data::Data;
use crate::effects::{effect, options};
use crate::machine::{Call, Machine};
use crate::{place, policy};

pub(super) fn httpie(machine: &mut Machine<'_>, call: &Call) -> Data {
    let words = options::words(call.args(), "-a --auth -o --output");
    let method = words.first().copied().unwrap_or("GET");
    let explicit = method.chars().all(|c| c.is_ascii_uppercase());
    let url = if explicit {
        words.get(1)
    } else {
        words.first()
    }
    .copied()
    .unwrap_or("");
    let outside = !(local(url) || url.starts_with(':'));
    let body = words
        .iter()
        .skip(1)
        .any(|word| (word.contains('=') && !word.contains("==")) || word.contains('@'))
        || call.stdin.secret;
    let secret = words.iter().any(|word| {
        word.contains(crate::mark::SECRET)
            || word
                .rsplit_once('@')
                .is_some_and(|(_, path)| place::secret(crate::effects::place_of(machine, path)))
    });
    if outside && secret {
        effect(machine, &policy::EXFILTRATE, &call.name);
    }
    if outside && (body || (explicit && !matches!(method, "GET" | "HEAD"))) {
        effect(
            machine,
            if call.stdin.secret {
                &policy::EXFILTRATE
            } else {
                &policy::SEND
            },
            "http",
        );
    }
    leaks(machine, url);
    Data::from_network()
}
