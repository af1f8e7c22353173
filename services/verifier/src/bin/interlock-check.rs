//! The verifier alone, on a folder: prints what was found. Started by `interlock check` and `interlock explain`.

use interlock_stage::shutdown::on_signal;
use interlock_verifier::alone::{AloneError, Wish, explain, run};
use std::io::Write as _;
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let (text, error, exit) = match Wish::parse(std::env::args_os().skip(1)) {
        Err(error) => (String::new(), Some(error.to_string()), 2),
        Ok(Wish::Explain(rule)) => match explain(rule.as_deref()) {
            Ok(page) => (page, None, 0),
            Err(error) => (String::new(), Some(error.to_string()), 2),
        },
        Ok(Wish::Check(arguments)) => {
            let done = match on_signal() {
                Ok(cancel) => run(&arguments, &cancel).await,
                Err(error) => Err(AloneError::Usage(format!("cannot listen for signals: {error}"))),
            };
            match done {
                Ok((report, folder)) => (arguments.format.print(&report, &folder), None, report.exit()),
                Err(error) => (arguments.format.print_error(&error), Some(error.to_string()), 2),
            }
        }
    };
    // Whoever reads may have seen enough; that changes nothing about what was found.
    let _ = std::io::stdout().write_all(text.as_bytes());
    if let Some(error) = error {
        eprintln!("interlock: {error}");
    }
    ExitCode::from(exit)
}
