//! As much of HTTP/1.1 as the client speaks.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::net::TcpStream;

/// One request as it came.
pub struct Message {
    pub path: String,
    /// By lower-case name.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// Reads one request; `None` when the connection is over or not HTTP.
pub fn read(reader: &mut impl BufRead) -> Option<Message> {
    let start = line(reader)?;
    let path = start.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let line = line(reader)?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let chunked = headers
        .get("transfer-encoding")
        .is_some_and(|value| value.contains("chunked"));
    let body = if chunked {
        chunks(reader)?
    } else {
        let length = headers.get("content-length").map_or("0", String::as_str);
        exactly(reader, length.parse().ok()?)?
    };
    Some(Message {
        path,
        headers,
        body,
    })
}

/// Writes a whole answer.
pub fn write(
    mut stream: &TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> Option<()> {
    let mut head = head(status, headers);
    write!(head, "content-length: {}\r\n\r\n", body.len()).ok()?;
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body).ok()
}

/// Status line and headers, without the blank line that ends them.
pub fn head(status: u16, headers: &[(String, String)]) -> String {
    let lines = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"));
    format!(
        "HTTP/1.1 {status} Scripted\r\n{}",
        lines.collect::<String>()
    )
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    match reader.read_line(&mut line) {
        Ok(count) if count > 0 => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
        _ => None,
    }
}

fn exactly(reader: &mut impl BufRead, length: usize) -> Option<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(body)
}

fn chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = usize::from_str_radix(line(reader)?.split(';').next()?.trim(), 16).ok()?;
        body.extend(exactly(reader, size)?);
        line(reader)?;
        if size == 0 {
            return Some(body);
        }
    }
}
