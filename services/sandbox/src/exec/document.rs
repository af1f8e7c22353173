//! The document that `exec` prints. Its fields are only ever added to; whatever changes their meaning is a new schema.

use super::changes::Changes;
use super::limits;
use super::request::Request;
use crate::command::Profile;
use crate::observed::{Captured, End, Observed};
use serde_json::{Value, json};

/// The version of everything below.
const SCHEMA: &str = "interlock.exec/1";

/// What was seen, for readers of any kind. Nothing in it comes from the program except its output and its files.
pub(super) fn document(request: &Request, seen: &Observed, changes: Option<&Changes>) -> Value {
    let words = std::iter::once(&request.program).chain(&request.args);
    let out = request.out.as_ref().zip(changes);
    json!({
        "schema": SCHEMA,
        "tier": seen.tier.name(),
        "profile": match request.profile {
            Profile::Strict => "strict",
            Profile::Work => "work",
        },
        "command": words.map(|word| word.to_string_lossy()).collect::<Vec<_>>(),
        "end": end(seen.end),
        "started_ms": seen.started,
        "duration_ms": millis(seen.duration),
        "cpu_ms": millis(seen.cpu),
        "peak_memory_bytes": seen.peak_memory_bytes,
        "peak_processes": seen.peak_processes,
        "survivors": seen.survivors,
        "stdout": stream(&seen.stdout),
        "stderr": stream(&seen.stderr),
        "denied": seen.denied,
        "limits": limits::shown(&request.limits),
        "out": out.map(|(folder, changes)| changes.shown(folder)),
    })
}

fn end(end: End) -> Value {
    match end {
        End::Exited(status) => json!({"kind": "exited", "status": status}),
        End::Signaled(signal) => json!({"kind": "signaled", "signal": signal}),
        End::Limit(limit) => json!({"kind": "limit", "limit": limit.name()}),
        End::Cancelled => json!({"kind": "cancelled"}),
    }
}

fn stream(captured: &Captured) -> Value {
    json!({
        "bytes": captured.total_bytes,
        "dropped_bytes": captured.dropped_bytes(),
        "head": String::from_utf8_lossy(&captured.head),
        "tail": String::from_utf8_lossy(&captured.tail),
    })
}

fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
