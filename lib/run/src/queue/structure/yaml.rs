//! YAML as data.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// Levels that are gone down to.
const DEPTH_MAX: usize = 100;

type Events<'e> = dyn Iterator<Item = Event<'e>> + 'e;

/// The documents of a file; `None` where it is not well-formed, has a key twice or one that is no plain value,
/// or gives names to its parts, which lines that come in between may change.
pub(super) fn documents(text: &str) -> Option<Vec<Value>> {
    let events: Vec<Event<'_>> = Parser::new_from_str(text)
        .map(|event| event.ok().map(|(event, _)| event))
        .collect::<Option<_>>()?;
    let mut events = events.into_iter();
    let mut documents = Vec::new();
    while let Some(event) = events.next() {
        if matches!(event, Event::DocumentStart(_)) {
            let first = events.next()?;
            documents.push(node(first, &mut events, DEPTH_MAX)?);
        }
    }
    Some(documents)
}

fn node(first: Event<'_>, rest: &mut Events<'_>, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    match first {
        Event::Scalar(text, style, 0, tag) => {
            let plain = matches!(style, ScalarStyle::Plain);
            let tag = tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
            Some(format!("{plain} {tag:?} {text}").into())
        }
        Event::SequenceStart(0, _) => {
            let mut list = Vec::new();
            loop {
                match rest.next()? {
                    Event::SequenceEnd => return Some(list.into()),
                    item => list.push(node(item, rest, depth)?),
                }
            }
        }
        Event::MappingStart(0, _) => {
            let mut map = Map::new();
            loop {
                let key = match rest.next()? {
                    Event::MappingEnd => return Some(map.into()),
                    Event::Scalar(key, _, 0, _) => key.into_owned(),
                    _ => return None,
                };
                let first = rest.next()?;
                if map.insert(key, node(first, rest, depth)?).is_some() {
                    return None;
                }
            }
        }
        _ => None,
    }
}
