//! Tries the tiers of the sandbox and says which one holds, as JSON. Changes nothing.

use interlock_sandbox::probe_this_machine;
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match probe_this_machine(std::env::args_os().skip(1)).await {
        Ok(answer) => {
            println!("{}", answer.json);
            if answer.holds {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("interlock-sandbox-probe: {error}");
            ExitCode::FAILURE
        }
    }
}
