//! What the harness itself costs: its own time for each run and each record, and the broker's share of it; and what
//! checking and the sandbox cost. `interlock-bench [records|verifier|sandbox]` measures one of them, without a word all.

use interlock_bench::{broker, example, ledger::Ledger, sandbox, verify};
use interlock_e2e::stack::Up;
use interlock_e2e::{Home, tasks};
use std::process::ExitCode;

/// Runs of each task; the first one of each builds its environment and is not counted.
const RUNS: usize = 4;

#[tokio::main]
async fn main() -> ExitCode {
    match bench().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interlock-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn bench() -> Result<(), interlock_bench::BenchError> {
    let asked = std::env::args().nth(1);
    let is_asked = |name: &str| asked.as_ref().is_none_or(|asked| asked == name);
    if is_asked("verifier") {
        println!("{}", verify::report().await?);
    }
    if is_asked("sandbox") {
        println!("{}", sandbox::report().await?);
    }
    if is_asked("records") {
        records().await?;
    }
    Ok(())
}

async fn records() -> Result<(), interlock_bench::BenchError> {
    let home = Home::new()?;
    let append = broker::synced_append(&home).await?;
    for task in ["tiny", "digits"] {
        let mut ledger = Ledger::default();
        // A stack that stays: what its start costs is no part of a run.
        let stack = Up::start(&home, &tasks().join(task).join("answers"));
        for run in 0..RUNS {
            let events = example::run(&home, task, run)?;
            if run > 0 {
                ledger.add(&events);
            }
        }
        stack.down()?;
        println!("{}", ledger.report(task, append));
    }
    Ok(())
}
