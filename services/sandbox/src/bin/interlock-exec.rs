//! One command in the sandbox, for people and their tools: prints what was seen as JSON. Started by `interlock exec`.

use interlock_sandbox::exec;
use std::io::Write as _;
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match exec::exec(std::env::args_os().skip(1)).await {
        Ok(answer) => {
            // Whoever reads may be gone; that changes nothing about how the command ended.
            let _ = writeln!(std::io::stdout(), "{}", answer.json);
            ExitCode::from(u8::from(!answer.good))
        }
        Err(error) => {
            eprintln!("interlock: {error}");
            ExitCode::from(2)
        }
    }
}
