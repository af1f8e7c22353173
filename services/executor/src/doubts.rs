//! What was asked for against what was done (faults I3, I4): from what harness code recorded in the program's process to
//! the doubts on the record. Pure; `judge` says what they mean for the criteria.

use crate::recorded::{MAX_READ, Overlap, Recorded, Role, Split};
use interlock_domain::doubt::{Doubt, DoubtKind};
use serde_json::Value;

/// Most doubts on a record, and the longest message of each, in bytes.
const MAX_DOUBTS: usize = 100;
const MAX_MESSAGE_BYTES: usize = 2_000;
/// Values of the configuration that are named in one message, and the longest text of a value.
const MAX_NAMED: usize = 20;
const MAX_SHOWN_BYTES: usize = 120;
/// The key whose number is compared with the epochs that were counted.
const EPOCHS: &str = "epochs";
/// How the recorder calls the model where a program names none.
const ONLY_MODEL: &str = "model";

/// Everything that speaks against the numbers. `asked` is the task's configuration, `predictions` the name of those that
/// are scored. Of a program that did not come to its end nothing is said: what it left undone is no surprise.
pub fn doubts(recorded: &Recorded, asked: &Value, predictions: Option<&str>) -> Vec<Doubt> {
    if !recorded.finished {
        return Vec::new();
    }
    let mut all: Vec<Doubt> = Vec::new();
    all.extend(
        recorded
            .overlaps
            .iter()
            .filter_map(|pair| overlap(recorded, pair, predictions)),
    );
    all.extend(epochs(recorded, asked));
    all.extend(in_part(&recorded.splits));
    all.extend(differs(recorded, asked));
    all.extend(not_used(recorded, asked));
    bounded(all)
}

/// Two splits with the same rows in them. What is barred is the later use: a number over rows that the program learned
/// from, or chose by, before.
fn overlap(recorded: &Recorded, pair: &Overlap, predictions: Option<&str>) -> Option<Doubt> {
    let first = recorded.splits.get(pair.first)?;
    let second = recorded.splits.get(pair.second)?;
    let is_same = first.complete && second.complete && first.digest == second.digest;
    let (kind, message) = if is_same {
        let message = format!(
            "splits {} and {} have the same {} rows",
            first.name, second.name, first.rows
        );
        (DoubtKind::SplitsEqual, message)
    } else {
        let message = format!(
            "splits {} ({} rows) and {} ({} rows) share {} rows",
            first.name, first.rows, second.name, second.rows, pair.rows
        );
        (DoubtKind::SplitsOverlap, message)
    };
    let mut splits = Vec::new();
    for (split, other) in [(first, second), (second, first)] {
        if is_used_after(split.role, other.role) && !splits.contains(&split.name) {
            splits.push(split.name.clone());
            // What is scored is the data to test on, whatever the program calls it.
            let scored = predictions.filter(|_| matches!(split.role, Role::Test | Role::Other));
            let unnamed = scored.filter(|name| recorded.splits.iter().all(|split| split.name != **name));
            splits.extend(unnamed.map(str::to_owned));
        }
    }
    splits.sort_unstable();
    splits.dedup();
    Some(Doubt {
        kind,
        message,
        splits,
        measured: false,
    })
}

/// Whether numbers over data of the one role are spoilt by data of the other. Of data whose role nobody said, the
/// program may have done anything with it.
fn is_used_after(role: Role, other: Role) -> bool {
    match (role, other) {
        (Role::Train, _) | (Role::Validation, Role::Validation | Role::Test) | (Role::Test, Role::Test) => false,
        (Role::Validation | Role::Test | Role::Other, Role::Train | Role::Other)
        | (Role::Test | Role::Other, Role::Validation)
        | (Role::Other, Role::Test) => true,
    }
}

fn in_part(splits: &[Split]) -> impl Iterator<Item = Doubt> {
    splits.iter().filter(|split| !split.complete).map(|split| {
        let message = format!(
            "of split {} only the first {} rows were compared",
            split.name, split.rows
        );
        said(DoubtKind::SplitInPart, message)
    })
}

/// The epochs that were counted for each model, against those that were asked for. Fewer leave open what the numbers are
/// worth; more are only said.
fn epochs(recorded: &Recorded, asked: &Value) -> Vec<Doubt> {
    let mut wanted: Vec<(String, f64)> = Vec::new();
    for (path, value) in leaves(asked) {
        let number = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
        if let (Some(EPOCHS), Some(number)) = (path.last().map(String::as_str), number) {
            let of = path.iter().rev().nth(1).map_or(ONLY_MODEL, String::as_str);
            wanted.push((of.to_owned(), number));
        }
    }
    let counted = |of: &str| recorded.epochs.get(of).copied().unwrap_or(0);
    match wanted.as_slice() {
        [] => Vec::new(),
        [(_, number)] if recorded.epochs.is_empty() => compared(*number, 0, "").into_iter().collect(),
        [(_, number)] => {
            let models = recorded.epochs.iter();
            models
                .filter_map(|(model, done)| compared(*number, *done, model))
                .collect()
        }
        // One number for each table: the models are called as the tables are.
        several => several
            .iter()
            .filter_map(|(of, number)| compared(*number, counted(of), of))
            .collect(),
    }
}

fn compared(asked: f64, done: u64, model: &str) -> Option<Doubt> {
    if asked == done as f64 {
        return None;
    }
    let of = match model {
        "" | ONLY_MODEL => String::new(),
        named => format!(" of {named}"),
    };
    let counted = match done {
        0 => "none was counted (recorder.epoch())".to_owned(),
        1 => "1 was done".to_owned(),
        more => format!("{more} were done"),
    };
    Some(Doubt {
        kind: DoubtKind::Epochs,
        message: format!("the configuration asks for {asked} epochs{of}, and {counted}"),
        splits: Vec::new(),
        measured: (done as f64) < asked,
    })
}

/// Values that the program says it worked with, and the configuration that reached it, against what was asked for.
fn differs(recorded: &Recorded, asked: &Value) -> Vec<Doubt> {
    let mut found = Vec::new();
    let Some(config) = &recorded.config else {
        return found;
    };
    if !is_same(&config.received, asked) {
        let message = "run() received another configuration than the task has".to_owned();
        found.push(said(DoubtKind::ConfigDiffers, message));
    }
    for used in &config.used {
        let Some((name, wanted)) = wanted(asked, &used.name) else {
            continue;
        };
        if !is_same(wanted, &used.value) {
            let message = format!(
                "{name}: the configuration asks for {}, and the program used {}",
                shown(wanted),
                shown(&used.value)
            );
            found.push(said(DoubtKind::ConfigDiffers, message));
        }
    }
    found
}

/// What the configuration asks for under a name: its whole path, or its last part where that is clear.
fn wanted<'a>(asked: &'a Value, name: &str) -> Option<(String, &'a Value)> {
    let mut at = Some(asked);
    for part in name.split('.') {
        at = at.and_then(|table| table.get(part));
    }
    if let Some(found) = asked.get(name).or(at) {
        return Some((name.to_owned(), found));
    }
    let mut ending = leaves(asked).into_iter();
    let mut ending = ending
        .by_ref()
        .filter(|(path, _)| path.last().is_some_and(|last| last == name));
    match (ending.next(), ending.next()) {
        (Some((path, found)), None) => Some((path.join("."), found)),
        (_, _) => None,
    }
}

/// The same value, however it is written: 1 and 1.0, and a word in capitals or not.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::String(a), Value::String(b)) => a.eq_ignore_ascii_case(b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Keys that the task asked for and that the program never read.
fn not_used(recorded: &Recorded, asked: &Value) -> Option<Doubt> {
    let config = recorded.config.as_ref().filter(|config| config.read.len() < MAX_READ)?;
    let unread: Vec<String> = leaves(asked)
        .into_iter()
        .filter(|(path, _)| !config.read.contains(path))
        .map(|(path, _)| path.join("."))
        .collect();
    if unread.is_empty() {
        return None;
    }
    let more = unread.len().saturating_sub(MAX_NAMED);
    let named = unread
        .iter()
        .take(MAX_NAMED)
        .map(|name| cut(name.clone(), MAX_SHOWN_BYTES));
    let mut message = format!(
        "of the configuration the program never read {}",
        named.collect::<Vec<_>>().join(", ")
    );
    if more > 0 {
        message.push_str(&format!(" and {more} more"));
    }
    Some(said(DoubtKind::ConfigNotUsed, message))
}

/// Every value of the configuration that is no table, or an empty one, with its path.
fn leaves(config: &Value) -> Vec<(Vec<String>, &Value)> {
    let mut found = Vec::new();
    let mut open: Vec<(Vec<String>, &Value)> = vec![(Vec::new(), config)];
    while let Some((path, value)) = open.pop() {
        match value.as_object().filter(|table| !table.is_empty()) {
            Some(table) => {
                for (name, inner) in table.iter().rev() {
                    open.push((path.iter().cloned().chain([name.clone()]).collect(), inner));
                }
            }
            None if path.is_empty() => {}
            None => found.push((path, value)),
        }
    }
    found
}

fn said(kind: DoubtKind, message: String) -> Doubt {
    Doubt {
        kind,
        message,
        splits: Vec::new(),
        measured: false,
    }
}

fn shown(value: &Value) -> String {
    cut(value.to_string(), MAX_SHOWN_BYTES)
}

fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

/// As many as a record can hold; what bars a number comes first, and is never lost: whoever judges the record again has
/// to come to the same answer.
fn bounded(all: Vec<Doubt>) -> Vec<Doubt> {
    let (mut kept, others): (Vec<Doubt>, Vec<Doubt>) = all
        .into_iter()
        .partition(|doubt| doubt.measured || !doubt.splits.is_empty());
    kept.extend(others);
    for doubt in &mut kept {
        doubt.message = cut(std::mem::take(&mut doubt.message), MAX_MESSAGE_BYTES);
    }
    if kept.len() <= MAX_DOUBTS {
        return kept;
    }
    let rest = kept.split_off(MAX_DOUBTS);
    if let Some(last) = kept.last_mut() {
        last.message
            .push_str(&format!(" (and {} more findings, left out)", rest.len()));
        for doubt in rest {
            last.measured |= doubt.measured;
            last.splits.extend(doubt.splits);
        }
        last.splits.sort_unstable();
        last.splits.dedup();
    }
    kept
}
