//! Starts one sandboxed program, watches it and answers with one report. Everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    interlock_sandbox::supervisor::main()
}
