//! `interlock`: reads the command line, runs the command, answers its exit code.

use clap::Parser as _;
use interlock_cli::args::Cli;
use interlock_cli::commands;
use std::process::ExitCode;

// One thread: the broker and the services end when the thread that started them does, so that thread has to be
// this one (see `stack::process`).
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => {
            let failed = answer.use_stderr();
            // Nobody is left to tell when even this cannot be printed.
            let _ = answer.print();
            return ExitCode::from(if failed { 2 } else { 0 });
        }
    };
    match commands::run(cli.command).await {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("interlock: {error}");
            error.exit().into()
        }
    }
}
