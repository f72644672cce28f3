//! Time zones, from the system's database.

use jiff::tz::TimeZone;
use overnight_base::code::Code;
use overnight_base::fault::Fault;

/// The zone of this IANA name, if the system knows it.
pub fn named(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok()
}

/// The zone of this name, or the machine's own.
pub fn local(name: Option<&str>) -> Result<TimeZone, Fault> {
    match name {
        None => Ok(TimeZone::system()),
        Some(name) => named(name).ok_or_else(|| {
            Fault::new(
                Code::InputInvalid,
                format!("{name:?} is no time zone that this system knows"),
            )
            .hint("use an IANA name, for example --tz Europe/Berlin or --tz UTC")
        }),
    }
}
