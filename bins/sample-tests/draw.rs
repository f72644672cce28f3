//! The plain use: a list in, a sample out.

use super::options::{Listed, Options};
use super::output;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_sample::changed::Changed;
use overnight_sample::draw::{Known, draw};
use overnight_sample::durations::{self, Times};
use overnight_sample::listing::{self, Format};
use overnight_sample::ring::List;
use overnight_tools::sample::files::{self, Globs};
use overnight_tools::sample::{lister, read_stdin};
use std::path::Path;

pub(crate) fn run(options: &Options, listed: &Listed) -> Result<Exit, Fault> {
    let request = options.request()?;
    let mut known = known(options)?;
    let globs = Globs::new(&listed.include, &listed.exclude)?;
    let walked = !listed.root.is_empty();
    let bytes = if walked {
        files::list(&listed.root, &globs.or_test_files()?)
    } else if listed.lister.is_empty() {
        read_stdin()
    } else {
        let list = lister::list(&listed.lister, Path::new("."), !options.no_cache)?;
        known.listing = list.nanos();
        Ok(list.bytes)
    }?;
    let separator = if listed.null || walked { 0 } else { b'\n' };
    let format = if walked {
        Format::Plain
    } else {
        listed.format.into()
    };
    let mut ids = listing::parse(List::new(&bytes, separator)?, format)?;
    if !listed.lister.is_empty() {
        ids = ids.below(&files::working_folder());
    }
    let globs = Globs::new(&listed.include, &listed.exclude)?;
    if !walked && !globs.is_empty() {
        ids = ids.filter(|id| globs.wants(id));
    }
    let list = ids.list();
    let drawn = draw(&list, &request, &known)?;
    output::print(&drawn, options, listed)?;
    Ok(Exit::Yes)
}

/// What the files named on the command line say.
pub(crate) fn known(options: &Options) -> Result<Known, Fault> {
    let mut known = Known::default();
    let mut reports = Vec::new();
    for path in &options.durations {
        let text = files::text(path, Code::SampleDurations)?;
        let report = durations::parse(&text).map_err(|fault| {
            let reason = format!("{}: {}", path.display(), fault.reason);
            Fault::new(fault.code, reason)
        })?;
        reports.push(report);
    }
    if !reports.is_empty() {
        known.times = Some(Times::new(&reports));
    }
    for path in &options.always {
        let text = files::text(path, Code::SampleId)?;
        let separator = if text.contains('\0') { 0 } else { b'\n' };
        let list = List::new(text.as_bytes(), separator)?;
        known.always.extend(list.ids().map(|(_, id)| id.to_owned()));
    }
    if let Some(reference) = &options.changed {
        known.changed = Some(Changed::new(files::changed(reference)?));
    }
    Ok(known)
}
