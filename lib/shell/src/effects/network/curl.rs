//! curl.

use super::{leaks, local, store};
use crate::data::Data;
use crate::effects::{effect, options, reads};
use crate::machine::{Call, Machine};
use crate::place;
use crate::{mark, policy};

const SHORT: &str = "XdHoFTuAebcmKwrYyzxtEQCDPU";

const LONG: &str = "request data data-raw data-binary data-urlencode json header output form upload-file user \
     user-agent referer cookie cookie-jar max-time connect-timeout config write-out range retry \
     retry-delay url proxy cacert cert key resolve form-string output-dir oauth2-bearer \
     max-redirs retry-max-time limit-rate interface unix-socket dump-header";

/// Ports of data stores that are spoken to over HTTP: Elasticsearch, `CouchDB`, `InfluxDB`, etcd,
/// Consul, `ClickHouse`, Solr, `RabbitMQ`'s and Docker's control.
const DATA_PORTS: &[&str] = &[
    ":9200", ":9201", ":5984", ":8086", ":2379", ":8500", ":8123", ":8983", ":15672", ":2375",
];

/// Options that send files.
const UPLOADING: &str = "T upload-file F form data-binary d data data-urlencode json";

/// Do files or the output of other commands leave the machine? Text that is written out in the
/// command is for a person to read; a file is not.
fn hands_over(bodies: &[&str], stdin: &Data) -> bool {
    bodies
        .iter()
        .any(|body| matches!(*body, "-" | "@-" | ".") && stdin.text.is_none())
}

pub(super) fn curl(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), SHORT, LONG, false);
    let mut urls: Vec<String> = options
        .operands
        .iter()
        .map(|url| mark::show_patterns(url))
        .collect();
    urls.extend(options.values("url").iter().map(|url| (*url).to_owned()));
    let outside =
        urls.iter().any(|url| !local(url)) || (urls.is_empty() && !options.given.is_empty());
    for url in &urls {
        leaks(machine, url);
        if let Some(path) = url.strip_prefix("file://") {
            reads(machine, path);
        }
    }
    let sent = uploads(machine, call, &options);
    for header in options.values("H header b cookie u user oauth2-bearer A e") {
        if header.contains(mark::SECRET) && outside {
            effect(machine, &policy::SEND, "a secret in a header");
        }
    }
    let method = options
        .value("X", "request")
        .unwrap_or("GET")
        .to_ascii_uppercase();
    let changes = !matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS") || sent.is_some();
    if let Some(data) = &sent
        && outside
        && data.secret
    {
        effect(machine, &policy::EXFILTRATE, "curl");
    }
    if outside && hands_over(&options.values(UPLOADING), &call.stdin) {
        effect(machine, &policy::EXFILTRATE, "curl");
    }
    if changes && outside {
        effect(machine, &policy::SEND, &format!("curl {method}"));
    }
    if changes && urls.iter().any(|url| url.contains("_delete_by_query")) {
        effect(machine, &policy::DESTROY, "_delete_by_query");
    }
    // A server of the project's own may lose what its tests made; a data store may not.
    let store = urls
        .iter()
        .any(|url| DATA_PORTS.iter().any(|port| url.contains(port)));
    if changes && method == "DELETE" && !outside && store {
        effect(machine, &policy::DESTROY, "curl DELETE");
    }
    outputs(machine, &options, &urls)
}

/// What `curl` sends: data, forms, files.
fn uploads(machine: &mut Machine<'_>, call: &Call, options: &options::Options<'_>) -> Option<Data> {
    let mut sent: Option<Data> = None;
    let bodies = options.values(
        "d data data-binary data-urlencode json F form T upload-file data-raw form-string K \
         config",
    );
    for body in bodies {
        let file = body
            .split_once(['@', '<'])
            .map(|(_, file)| file.split(';').next().unwrap_or(file));
        let upload = options.values("T upload-file K config").contains(&body);
        let data = match file {
            _ if upload && (body == "-" || body == ".") => call.stdin.clone(),
            _ if upload => crate::effects::content(machine, body),
            Some("-") => call.stdin.clone(),
            Some(file) => crate::effects::content(machine, file),
            None => Data::known(body),
        };
        sent = Some(sent.unwrap_or_else(Data::empty).then(data));
    }
    sent
}

fn outputs<'u>(
    machine: &mut Machine<'_>,
    options: &options::Options<'u>,
    urls: &'u [String],
) -> Data {
    let data = if urls.iter().any(|url| url.starts_with("file://")) {
        Data::unknown()
    } else {
        Data::from_network()
    };
    let named = options
        .values("o output c cookie-jar D dump-header")
        .into_iter();
    let mut files: Vec<&str> = named.filter(|file| *file != "-").collect();
    if options.gives("O remote-name remote-name-all") {
        let name = |url: &'u String| place::last(url.split(['?', '#']).next().unwrap_or(url));
        files.extend(urls.iter().map(name));
    }
    for file in &files {
        store(machine, file, &data);
    }
    if files.is_empty() {
        data
    } else {
        Data::empty()
    }
}
