//! Takes the time of runs apart: model, checks, sandbox, program, and what is left for the harness.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// Times in milliseconds, summed over runs.
#[derive(Debug, Default)]
pub struct Ledger {
    runs: u32,
    total: f64,
    work: Work,
    /// Harness time by kind of record, one entry for each record.
    harness: BTreeMap<String, Vec<f64>>,
}

/// What a record reports of the time that it took to make it, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    model: f64,
    checks: f64,
    sandbox: f64,
    program: f64,
}

impl Work {
    fn sum(self) -> f64 {
        self.model + self.checks + self.sandbox + self.program
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.model += other.model;
        self.checks += other.checks;
        self.sandbox += other.sandbox;
        self.program += other.program;
    }
}

impl Ledger {
    /// Adds one run. The time before a record is the time that it took to make it, less the work that it reports.
    pub fn add(&mut self, events: &[Value]) {
        self.runs += 1;
        let records: Vec<&Value> = events.iter().filter(|event| event.get("seq").is_some()).collect();
        for pair in records.windows(2) {
            let [before, record] = pair else { continue };
            let gap = number(record, "time_unix_ms") - number(before, "time_unix_ms");
            let work = work(record);
            let harness = (gap - work.sum()).max(0.0);
            self.total += gap;
            self.work += work;
            let kind = record.get("kind").and_then(Value::as_str).unwrap_or("?").to_owned();
            self.harness.entry(kind).or_default().push(harness);
        }
    }

    /// The account, with `append` as what the broker alone takes for each record.
    pub fn report(&self, task: &str, append: Duration) -> String {
        let runs = f64::from(self.runs.max(1));
        let all: Vec<f64> = self.harness.values().flatten().copied().collect();
        let per_record = mean(&all);
        let append = append.as_secs_f64() * 1000.0;
        let mut text = format!("{task}: mean of {} runs, milliseconds\n", self.runs);
        let _ = writeln!(text, "  from request to outcome   {:9.1}", self.total / runs);
        let _ = writeln!(text, "    model                   {:9.1}", self.work.model / runs);
        let _ = writeln!(text, "    checks                  {:9.1}", self.work.checks / runs);
        let _ = writeln!(text, "    sandbox                 {:9.1}", self.work.sandbox / runs);
        let _ = writeln!(text, "    program                 {:9.1}", self.work.program / runs);
        let _ = writeln!(
            text,
            "    harness                 {:9.1}",
            all.iter().sum::<f64>() / runs
        );
        let _ = writeln!(
            text,
            "  harness time before a record, by its kind: mean, median, records"
        );
        for (kind, times) in &self.harness {
            let _ = writeln!(
                text,
                "    {kind:<22}  {:9.1} {:8.1} {:6}",
                mean(times),
                median(times),
                times.len()
            );
        }
        let _ = writeln!(
            text,
            "  harness per record        {per_record:9.1}  (median {:.1})",
            median(&all)
        );
        let share = if per_record > 0.0 { append / per_record } else { 0.0 };
        let _ = writeln!(
            text,
            "  one synced append alone   {append:9.1}  = {:.0} % of the mean",
            share * 100.0
        );
        text
    }
}

fn work(record: &Value) -> Work {
    match record.get("kind").and_then(Value::as_str) {
        // Answers for one file follow each other; the files of a level are asked for at the same time.
        Some("plan" | "candidate") => Work {
            model: calls(record).values().copied().fold(0.0, f64::max),
            ..Work::default()
        },
        Some("verdict") => Work {
            checks: number(record, "duration_ms"),
            ..Work::default()
        },
        Some("execution") => Work {
            // The scorer is a check of the result, in a sandbox and a process of its own.
            checks: observed(record, "scoring_duration"),
            sandbox: observed(record, "sandbox_overhead"),
            program: record.get("observed").map_or(0.0, |seen| number(seen, "duration_ms")),
            ..Work::default()
        },
        _ => Work::default(),
    }
}

/// Time of the model's answers for each subject, used or not.
fn calls(record: &Value) -> BTreeMap<&str, f64> {
    let list = |field: &str| record.get(field).and_then(Value::as_array).into_iter().flatten();
    let refused = list("refused").map(|answer| (answer.get("subject"), answer));
    let written = list("written").map(|file| (file.get("path"), file));
    let mut times = BTreeMap::new();
    for (subject, of) in refused.chain(written).chain([(None, record)]) {
        // A plan's own call stands on the record itself.
        let subject = subject.and_then(Value::as_str).unwrap_or("plan");
        let latency = of.get("call").map_or(0.0, |call| number(call, "latency_ms"));
        *times.entry(subject).or_insert(0.0) += latency;
    }
    times
}

/// A time in milliseconds that the executor observed beside the program's.
fn observed(record: &Value, name: &str) -> f64 {
    let metrics = record.get("metrics").and_then(Value::as_array).into_iter().flatten();
    let mut named = metrics.filter(|metric| metric.get("name").and_then(Value::as_str) == Some(name));
    named.next().map_or(0.0, |metric| number(metric, "value") * 1000.0)
}

fn number(value: &Value, field: &str) -> f64 {
    value.get(field).and_then(Value::as_f64).unwrap_or(0.0)
}

fn mean(values: &[f64]) -> f64 {
    let count = u32::try_from(values.len().max(1)).unwrap_or(u32::MAX);
    values.iter().sum::<f64>() / f64::from(count)
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_the_harness_s_is_taken_off() {
        let mut ledger = Ledger::default();
        ledger.add(&[
            json!({"seq": 1, "kind": "request", "time_unix_ms": 1000}),
            json!({"seq": 2, "kind": "plan", "time_unix_ms": 1105, "call": {"latency_ms": 60},
                "refused": [{"subject": "plan", "call": {"latency_ms": 40}}]}),
            json!({"seq": 3, "kind": "candidate", "time_unix_ms": 1210, "written": [
                {"path": "a", "call": {"latency_ms": 60}}, {"path": "b", "call": {"latency_ms": 90}}],
                "refused": [{"subject": "b", "call": {"latency_ms": 10}}]}),
            json!({"seq": 4, "kind": "verdict", "time_unix_ms": 1412, "duration_ms": 200}),
            json!({"seq": 5, "kind": "execution", "time_unix_ms": 1815, "observed": {"duration_ms": 350},
                "metrics": [{"name": "scoring_duration", "value": 0.03},
                            {"name": "sandbox_overhead", "value": 0.02}]}),
            json!({"kind": "result", "exit": 0}),
        ]);
        let work = Work {
            model: 200.0,
            checks: 230.0,
            sandbox: 20.0,
            program: 350.0,
        };
        assert_eq!(ledger.work, work);
        assert_eq!(ledger.harness["plan"], [5.0]);
        assert_eq!(ledger.harness.values().flatten().sum::<f64>(), 15.0);
        assert!(
            ledger
                .report("x", Duration::from_millis(1))
                .contains("harness per record")
        );
    }
}
