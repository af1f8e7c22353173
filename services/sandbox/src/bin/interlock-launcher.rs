//! Confines itself, then becomes the program it was told to start. Everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    interlock_sandbox::launcher::main()
}
