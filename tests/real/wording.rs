//! The installed client's own list of how it words limits, against ours.

use super::api::{Api, Script};
use super::client::Client;
use overnight_run::classify::wording::{ENDS, GOES_ON};
use std::collections::BTreeSet;

/// How its lists begin in its program: messages with which it ends, warns, and goes on with credits.
const LISTS: [&str; 3] = [
    r#"["You've hit your","#,
    r#"["You've used","#,
    r#"["You're now using "#,
];

/// The texts of the list that begins so.
fn list(program: &[u8], begins: &str) -> BTreeSet<String> {
    let at = memchr::memmem::find(program, begins.as_bytes());
    let at = at.unwrap_or_else(|| panic!("the client has no list that begins {begins}"));
    let end = at + memchr::memchr(b']', &program[at..]).unwrap() + 1;
    let text = std::str::from_utf8(&program[at..end]).unwrap();
    // JavaScript has an escape that JSON has not.
    serde_json::from_str(&text.replace(r"\xB7", "·"))
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_installed_client_words_limits_as_we_know_them() {
    let api = Api::start(Script::new());
    let Some(client) = Client::new(&api) else {
        return;
    };
    let program = std::fs::read(client.bin.join("claude")).unwrap();
    let ours = ENDS.iter().map(|(start, _)| (*start).to_owned());
    assert_eq!(list(&program, LISTS[0]), ours.collect());
    let goes_on = LISTS[1..]
        .iter()
        .flat_map(|begins| list(&program, begins))
        .collect::<BTreeSet<_>>();
    assert_eq!(
        goes_on,
        GOES_ON.iter().map(|start| (*start).to_owned()).collect()
    );
}
