//! Other programs that fetch addresses.

use super::{leaks, local, store};
use crate::data::Data;
use crate::effects::{effect, options};
use crate::machine::{Call, Machine};
use crate::{place, policy};

const DOWNLOAD_LONG: &str = "output-document directory-prefix header post-data post-file body-data body-file user \
     password tries timeout input-file user-agent method output-file execute use-askpass";

pub(super) fn download(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "OoPUtTiae", DOWNLOAD_LONG, false);
    for file in options.values("post-file body-file") {
        let data = crate::effects::content(machine, file);
        crate::effects::sends(machine, &data, file);
    }
    machine.run_words(&options.values("use-askpass"), &Data::empty());
    let changes = options
        .value("", "method")
        .is_some_and(|method| !matches!(method, "GET" | "HEAD"))
        || !options.values("post-data body-data").is_empty();
    if changes && options.operands.iter().any(|url| !local(url)) {
        effect(machine, &policy::SEND, &call.name);
    }
    for url in options
        .operands
        .iter()
        .copied()
        .chain(options.values("header user-agent post-data"))
    {
        leaks(machine, url);
    }
    let data = Data::from_network();
    if call.is("fetch iwr Invoke-WebRequest lynx w3m links GET") {
        return data;
    }
    match options.value("Oo", "output-document") {
        Some("-") => data,
        Some(file) => {
            let file = file.to_owned();
            store(machine, &file, &data);
            Data::empty()
        }
        None => {
            let folder = options
                .value("P", "directory-prefix")
                .unwrap_or(".")
                .to_owned();
            let clusters_to_stdout = call
                .args()
                .iter()
                .any(|arg| arg.starts_with("-qO-") || arg == "-O-");
            for url in options.operands.clone() {
                let name = place::last(url.split(['?', '#']).next().unwrap_or(url)).to_owned();
                store(machine, &format!("{folder}/{name}"), &data);
            }
            if clusters_to_stdout {
                data
            } else {
                Data::empty()
            }
        }
    }
}
