//! `plant.py FOLDER | interlock-mutation`: one answer a line. It must not know any kind of fault.

use std::process::ExitCode;

fn main() -> ExitCode {
    match interlock_mutation::judge_all(std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interlock-mutation: {error}");
            ExitCode::from(2)
        }
    }
}
