//! `interlock-soak [RUNS]`: so many programs (500 without a word) through the sandbox, and what is left of them.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let runs = match std::env::args().nth(1).map(|word| word.parse()) {
        None => 500,
        Some(Ok(runs)) => runs,
        Some(Err(_)) => {
            eprintln!("interlock-soak: usage: interlock-soak [RUNS], a number");
            return ExitCode::from(2);
        }
    };
    let bin = std::env::current_exe().unwrap_or_default();
    match interlock_soak::soak(runs, bin.parent().unwrap_or(&bin)).await {
        Ok(report) => {
            println!("{runs} runs in {:.0} s: {:?}", report.took.as_secs_f64(), report.counts);
            let memory: Vec<u64> = report.resident.iter().map(|bytes| bytes >> 10).collect();
            println!(
                "resident memory after each fifth: {memory:?} KiB; grown by {} KiB of at most {}",
                report.growth() >> 10,
                interlock_soak::GROWTH >> 10
            );
            println!("left of them: {:?}", report.left);
            ExitCode::from(u8::from(!report.good()))
        }
        Err(error) => {
            eprintln!("interlock-soak: {error}");
            ExitCode::FAILURE
        }
    }
}
