//! The verifier alone, on a folder: prints what was found. Started by `interlock check`.

use interlock_verifier::alone::{Arguments, run};
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let done = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) => run(&arguments).await,
        Err(error) => Err(error),
    };
    match done {
        Ok((text, exit)) => {
            print!("{text}");
            ExitCode::from(exit)
        }
        Err(error) => {
            eprintln!("interlock-check: {error}");
            ExitCode::from(2)
        }
    }
}
