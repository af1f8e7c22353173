//! What a server says that it was told, compared with what it was told.
//!
//! Every setting counts, except where a stream lies and what the server adds by itself.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Where it lies and what it is called by operators is their business, and changes no record.
const INDIFFERENT: [&str; 4] = ["num_replicas", "placement", "metadata", "description"];

/// Each setting that is not as it was asked for, in words.
pub(super) fn differences(asked: &Value, echo: &Value) -> Vec<String> {
    let none = Map::new();
    let (asked, echo) = (asked.as_object().unwrap_or(&none), echo.as_object().unwrap_or(&none));
    let names: BTreeSet<&String> = asked.keys().chain(echo.keys()).collect();
    let differs = |name: &&String| {
        let name = name.as_str();
        if INDIFFERENT.contains(&name) {
            return None;
        }
        let wanted = meant(name, asked.get(name));
        let got = meant(name, echo.get(name));
        (wanted != got).then(|| format!("{name} is {}, asked for was {}", words(&got), words(&wanted)))
    };
    names.iter().filter_map(differs).collect()
}

/// What a setting amounts to: one that is left out has the server's default.
fn meant(name: &str, value: Option<&Value>) -> Value {
    let value = value.filter(|value| !is_nothing(value)).cloned();
    value.unwrap_or_else(|| match name {
        "duplicate_window" => json!(120_000_000_000_u64),
        "max_waiting" => json!(512),
        "compression" => json!("none"),
        "deliver_policy" => json!("all"),
        "replay_policy" => json!("instant"),
        _ => Value::Null,
    })
}

fn words(value: &Value) -> String {
    if value.is_null() {
        "not set".to_owned()
    } else {
        value.to_string()
    }
}

/// The ways in which servers and clients say "not set".
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(set) => !set,
        Value::Number(number) => matches!(number.as_i64(), Some(0 | -1)),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_nothing),
    }
}
