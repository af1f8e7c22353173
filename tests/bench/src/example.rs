//! One run of an example task, as its records.

use crate::BenchError;
use interlock_e2e::{Home, tasks};
use serde_json::Value;

/// Carries a task out and answers its records; the result goes into a folder of its own for each run.
pub fn run(home: &Home, task: &str, run: usize) -> Result<Vec<Value>, BenchError> {
    let path = tasks().join(task);
    let out = format!("{task}-{run}");
    let ended = home.interlock(&["run", &path.to_string_lossy(), "--json", "--out", &out])?;
    if ended.code == Some(0) {
        return Ok(ended.events);
    }
    Err(BenchError::Run {
        task: task.to_owned(),
        code: ended.code,
        said: ended.stderr,
    })
}
