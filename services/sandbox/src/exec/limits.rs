//! Limits as people write them: `wall=30s,memory=512MB,processes=64`. One table of names for reading and for the help.

use super::ExecError;
use crate::command::Limits;
use interlock_domain::destination::{Destination, DestinationError};
use serde_json::{Value, json};
use std::time::Duration;

/// How much of each stream goes into the document.
const KEPT: u64 = 64 << 10;

/// The kinds of values.
enum Field<'a> {
    Time(&'a mut Duration),
    MaybeTime(&'a mut Option<Duration>),
    Bytes(&'a mut u64),
    Count(&'a mut u32),
    Destinations(&'a mut Vec<Destination>),
}

/// The limits without any word said.
pub(super) fn default() -> Limits {
    Limits {
        output_bytes: KEPT,
        ..Limits::default()
    }
}

/// Every limit by its name.
fn fields(limits: &mut Limits) -> [(&'static str, Field<'_>); 14] {
    [
        ("wall", Field::Time(&mut limits.wall)),
        ("grace", Field::Time(&mut limits.grace)),
        ("cpu", Field::MaybeTime(&mut limits.cpu)),
        ("stall", Field::MaybeTime(&mut limits.stall)),
        ("memory", Field::Bytes(&mut limits.memory_bytes)),
        ("processes", Field::Count(&mut limits.processes)),
        ("open-files", Field::Count(&mut limits.open_files)),
        ("file", Field::Bytes(&mut limits.file_bytes)),
        ("output", Field::Bytes(&mut limits.output_total)),
        ("kept", Field::Bytes(&mut limits.output_bytes)),
        ("disk", Field::Bytes(&mut limits.disk_bytes)),
        ("disk-files", Field::Count(&mut limits.disk_files)),
        ("tmp", Field::Bytes(&mut limits.scratch_bytes)),
        ("network", Field::Destinations(&mut limits.network)),
    ]
}

/// Changes the limits that `text` names.
pub(super) fn set(limits: &mut Limits, text: &str) -> Result<(), ExecError> {
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let wrong = |what: String| ExecError::Usage(format!("--limits {part}: {what}"));
        let Some((name, value)) = part.trim().split_once('=') else {
            return Err(wrong("is not NAME=VALUE, as in wall=30s".to_owned()));
        };
        let mut fields = fields(limits);
        let Some((_, field)) = fields.iter_mut().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = fields.iter().map(|(known, _)| *known).collect();
            return Err(wrong(format!("there is no such limit; one of {}", names.join(", "))));
        };
        let time = || duration(value).ok_or_else(|| wrong("is not a time above 0, as in 500ms, 30s, 5m or 2h".into()));
        let size = || bytes(value).ok_or_else(|| wrong("is not a size above 0, as in 4096, 512MB or 2GiB".into()));
        let count = || {
            let number = value.parse().ok().filter(|count| *count > 0);
            number.ok_or_else(|| wrong("is not a whole number above 0".into()))
        };
        match field {
            Field::Time(held) => **held = time()?,
            Field::MaybeTime(held) => **held = Some(time()?),
            Field::Bytes(held) => **held = size()?,
            Field::Count(held) => **held = count()?,
            // Each one that is named is one more.
            Field::Destinations(held) => held.push(value.parse().map_err(|e: DestinationError| wrong(e.to_string()))?),
        }
    }
    Ok(())
}

/// The limits as they hold: times in milliseconds, sizes in bytes.
pub(super) fn shown(limits: &Limits) -> Value {
    let mut limits = limits.clone();
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let shown = fields(&mut limits).into_iter().map(|(name, field)| match field {
        Field::Time(held) => (format!("{name}_ms"), json!(millis(*held))),
        Field::MaybeTime(held) => (format!("{name}_ms"), json!(held.map(millis))),
        Field::Bytes(held) => (format!("{name}_bytes"), json!(*held)),
        Field::Count(held) => (name.replace('-', "_"), json!(*held)),
        Field::Destinations(held) => {
            let named = held.iter().map(ToString::to_string);
            (name.to_owned(), json!(named.collect::<Vec<_>>()))
        }
    });
    Value::Object(shown.collect())
}

/// A number and the unit behind it.
fn split(text: &str) -> Option<(f64, &str)> {
    let at = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(at)?;
    let number: f64 = number.parse().ok()?;
    Some((number, unit))
}

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = split(text)?;
    let unit = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let time = Duration::try_from_secs_f64(number * unit).ok()?;
    (!time.is_zero()).then_some(time)
}

fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let unit = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let bytes = number * unit;
    // Beyond this a float no longer counts single bytes, and no machine has it.
    (1.0..9e15).contains(&bytes).then_some(bytes as u64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_their_units() {
        let mut limits = default();
        set(
            &mut limits,
            "wall=1.5s,memory=512MB,processes=3,cpu=2m,disk=1GiB,stall=500ms,network=a.example:1,network=b.example:2",
        )
        .unwrap();
        assert_eq!(limits.wall, Duration::from_millis(1500));
        assert_eq!((limits.memory_bytes, limits.processes), (512_000_000, 3));
        assert_eq!(
            (limits.cpu, limits.disk_bytes),
            (Some(Duration::from_secs(120)), 1 << 30)
        );
        assert_eq!(limits.stall, Some(Duration::from_millis(500)));
        let shown = shown(&limits);
        assert_eq!(shown["network"], json!(["a.example:1", "b.example:2"]));
        assert_eq!((&shown["wall_ms"], &shown["open_files"]), (&json!(1500), &json!(1024)));
    }

    #[test]
    fn a_wrong_value_is_named() {
        for (text, told) in [
            ("walls=3s", "wall, grace, cpu"),
            ("wall", "NAME=VALUE"),
            ("wall=3", "500ms"),
            ("wall=0s", "above 0"),
            ("wall=-1s", "above 0"),
            ("memory=lots", "512MB"),
            ("memory=1e30", "512MB"),
            ("processes=1.5", "whole number"),
            ("processes=0", "whole number"),
            ("network=example.org", "HOST:PORT"),
        ] {
            let error = set(&mut default(), text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains(told), "{error}");
        }
    }
}
