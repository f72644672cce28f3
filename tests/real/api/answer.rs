//! Turns as bytes on the wire.

use super::http;
use super::request::Request;
use super::script::{Outcome, Turn};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other part of this process has.
pub fn unique() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

/// Answers a request; `None` when the connection is over.
pub fn play(stream: &TcpStream, request: &Request, turn: &Turn) -> Option<()> {
    std::thread::sleep(turn.delay);
    match &turn.outcome {
        Outcome::Message(blocks) => message(stream, request, blocks, turn.tokens),
        Outcome::Error {
            status,
            kind,
            message,
            headers,
        } => {
            let body = json!({"type": "error", "error": {"type": kind, "message": message}});
            json(stream, *status, headers, &body)
        }
        Outcome::StreamError { kind, message } => {
            begin(stream)?;
            event(
                stream,
                &json!({"type": "message_start", "message": start(request, (10, 1))}),
            )?;
            let error = json!({"type": "error", "error": {"type": kind, "message": message}});
            event(stream, &error)?;
            close(stream)
        }
        Outcome::Reset => close(stream),
        Outcome::ResetMidStream(blocks) => {
            begin(stream)?;
            event(
                stream,
                &json!({"type": "message_start", "message": start(request, (10, 1))}),
            )?;
            for part in blocks.iter().flat_map(|one| block(0, one)).take(2) {
                event(stream, &part)?;
            }
            close(stream)
        }
        Outcome::Hang => {
            let mut stream = stream;
            // Ends when the client closes the connection.
            let _ = stream.read(&mut [0]);
            None
        }
    }
}

/// A whole JSON answer.
pub fn json(
    stream: &TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &Value,
) -> Option<()> {
    let mut all = vec![
        ("content-type".to_owned(), "application/json".to_owned()),
        ("request-id".to_owned(), format!("req_{}", unique())),
    ];
    all.extend_from_slice(headers);
    http::write(stream, status, &all, body.to_string().as_bytes())
}

/// The answer for anything but messages.
pub fn not_found(stream: &TcpStream, path: &str) -> Option<()> {
    if path.starts_with("/v1/models") {
        return json(stream, 200, &[], &json!({"data": [], "has_more": false}));
    }
    let error = json!({"type": "not_found_error", "message": "no such path in the scripted API"});
    json(stream, 404, &[], &json!({"type": "error", "error": error}))
}

fn message(
    stream: &TcpStream,
    request: &Request,
    blocks: &[Value],
    tokens: Option<(u64, u64)>,
) -> Option<()> {
    let tokens = tokens.unwrap_or((request.body.to_string().len() as u64 / 4, 20));
    let tool = blocks.iter().any(|block| block["type"] == "tool_use");
    let stop = if tool { "tool_use" } else { "end_turn" };
    if request.body["stream"] != true {
        let mut whole = start(request, tokens);
        whole["content"] = json!(blocks);
        whole["stop_reason"] = json!(stop);
        return json(stream, 200, &[], &whole);
    }
    begin(stream)?;
    event(
        stream,
        &json!({"type": "message_start", "message": start(request, (tokens.0, 1))}),
    )?;
    for (index, one) in blocks.iter().enumerate() {
        for part in block(index, one) {
            event(stream, &part)?;
        }
    }
    event(
        stream,
        &json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": tokens.1}}),
    )?;
    event(stream, &json!({"type": "message_stop"}))?;
    close(stream)
}

fn start(request: &Request, (input, output): (u64, u64)) -> Value {
    json!({
        "id": format!("msg_{}", unique()), "type": "message", "role": "assistant",
        "model": request.body["model"], "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": output},
    })
}

/// The events of one content block.
fn block(index: usize, block: &Value) -> Vec<Value> {
    let mut empty = block.clone();
    let delta = if block["type"] == "tool_use" {
        empty["input"] = json!({});
        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
    } else {
        empty["text"] = json!("");
        json!({"type": "text_delta", "text": block["text"]})
    };
    vec![
        json!({"type": "content_block_start", "index": index, "content_block": empty}),
        json!({"type": "content_block_delta", "index": index, "delta": delta}),
        json!({"type": "content_block_stop", "index": index}),
    ]
}

fn begin(mut stream: &TcpStream) -> Option<()> {
    let headers = [
        ("content-type".to_owned(), "text/event-stream".to_owned()),
        ("connection".to_owned(), "close".to_owned()),
        ("request-id".to_owned(), format!("req_{}", unique())),
    ];
    let head = http::head(200, &headers) + "\r\n";
    stream.write_all(head.as_bytes()).ok()
}

fn event(mut stream: &TcpStream, data: &Value) -> Option<()> {
    let kind = data["type"].as_str()?;
    let text = format!("event: {kind}\ndata: {data}\n\n");
    stream.write_all(text.as_bytes()).ok()
}

/// Ends the connection; always `None`, so that its thread ends too.
fn close(stream: &TcpStream) -> Option<()> {
    let _ = stream.shutdown(Shutdown::Both);
    None
}
