//! What the program used over time, as the executor saw it from outside once a second or more rarely.

use super::curve::{Chart, Series, chart};
use super::files::{Files, RESOURCES};
use serde::Deserialize;

/// Most samples that are drawn; the executor keeps fewer.
const MAX_SAMPLES: usize = 1000;
const MIB: f64 = 1_048_576.0;

#[derive(Deserialize)]
struct Kept {
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    elapsed_ms: u32,
    cpu_ms: f64,
    memory_bytes: f64,
    processes: u32,
}

/// The curves; none where the program was too short to be seen twice.
pub fn curves(files: &Files) -> Vec<Chart> {
    let kept = files.text(RESOURCES);
    let Some(mut samples) = kept.and_then(|text| serde_json::from_str::<Kept>(&text).ok().map(|kept| kept.samples))
    else {
        return Vec::new();
    };
    samples.truncate(MAX_SAMPLES);
    if samples.len() < 2 {
        return Vec::new();
    }
    let seconds = |sample: &Sample| f64::from(sample.elapsed_ms) / 1000.0;
    let series = |name: &str, points: Vec<(f64, f64)>| {
        vec![Series {
            name: name.to_owned(),
            points,
        }]
    };
    let memory = samples.iter().map(|one| (seconds(one), one.memory_bytes / MIB));
    let pairs = samples.iter().zip(samples.iter().skip(1));
    let busy = pairs.filter(|(before, after)| after.elapsed_ms > before.elapsed_ms);
    let busy = busy.map(|(before, after)| {
        let passed = f64::from(after.elapsed_ms - before.elapsed_ms);
        (seconds(after), (after.cpu_ms - before.cpu_ms).max(0.0) / passed)
    });
    let processes = samples.iter().map(|one| (seconds(one), f64::from(one.processes)));
    let across = "seconds since the start; observed";
    [
        chart("Memory", across, false, series("MiB", memory.collect())),
        chart("Processors in use", across, false, series("processors", busy.collect())),
        chart("Processes", across, false, series("processes", processes.collect())),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn drawn(text: &str) -> usize {
        let mut files = Files::default();
        files.artifacts.insert(RESOURCES.to_owned(), text.as_bytes().to_vec());
        curves(&files).len()
    }

    #[test]
    fn what_was_seen_twice_is_drawn() {
        let sample = |second: u64| {
            format!(
                r#"{{"elapsed_ms": {}, "cpu_ms": {}, "memory_bytes": 1048576, "processes": 2, "output_bytes": 0, "disk_bytes": 0}}"#,
                second * 1000,
                second * 500
            )
        };
        let samples = |count: u64| {
            let all: Vec<String> = (1..=count).map(sample).collect();
            format!(r#"{{"schema": 1, "samples": [{}]}}"#, all.join(", "))
        };
        assert_eq!(drawn(&samples(5)), 3);
        assert_eq!(drawn(&samples(1)), 0, "one point is no curve");
        assert_eq!(drawn("{}"), 0, "nothing that can be read");
        assert!(curves(&Files::default()).is_empty());
    }
}
