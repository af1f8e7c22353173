//! The class of a failure that the program's own process saw, with one sentence for people.
//!
//! It rests on what harness code read off the exception (`raised.py`): type, error number, path, module. What a message
//! says decides only where there is nothing else, and what the program printed never makes a success.

use crate::recorded::{Cause, ProgramError};
use interlock_domain::FailureClass;

/// Signals by which the kernel or a library ends a program for its own reasons.
const SIGILL: i32 = 4;
const SIGABRT: i32 = 6;
const SIGBUS: i32 = 7;
const SIGSEGV: i32 = 11;
const SIGSYS: i32 = 31;

/// What an exception amounts to.
pub fn of_error(error: &ProgramError) -> (FailureClass, String) {
    let raised = format!("{}: {}", error.kind, error.message);
    match error.cause.as_ref().and_then(named) {
        Some((class, said)) => (class, format!("{said} ({raised})")),
        None => (by_message(error), raised),
    }
}

/// What the harness's own code named; `None` where it saw nothing but a fault of the code.
fn named(cause: &Cause) -> Option<(FailureClass, String)> {
    let what = &cause.what;
    Some(match cause.kind.as_str() {
        "contract" if what.is_empty() => (
            FailureClass::Contract,
            "the program does not keep the contract of src/experiment.py".to_owned(),
        ),
        "contract" => (FailureClass::Contract, format!("two files disagree: {what}")),
        "missing-module" => (
            FailureClass::Environment,
            format!("the environment has no module {what:?}"),
        ),
        "missing-library" => (
            FailureClass::Environment,
            format!("the environment has no library {what:?}"),
        ),
        "missing-input" => (FailureClass::Environment, format!("the task has no input {what:?}")),
        "no-network" => (
            FailureClass::Environment,
            "the network is closed to it, but for what program.network names".to_owned(),
        ),
        "outside" => (FailureClass::Policy, format!("the sandbox does not let it at {what:?}")),
        "refused-call" => (FailureClass::Policy, "the sandbox refused it a system call".to_owned()),
        "memory" => (FailureClass::Memory, "there is no more memory for it".to_owned()),
        "disk" => (FailureClass::Disk, "there is no more room for its files".to_owned()),
        "processes" => (
            FailureClass::Processes,
            format!("the limit of processes does not leave it {what}"),
        ),
        // `code`, and whatever another version of the harness may say.
        _ => return None,
    })
}

/// From words alone: libraries wrap what they were told into exceptions of their own.
fn by_message(error: &ProgramError) -> FailureClass {
    let says = |text: &str| error.message.contains(text);
    let kind = error.kind.rsplit('.').next().unwrap_or(&error.kind);
    if says("No space left on device") || says("Disk quota exceeded") || says("database or disk is full") {
        return FailureClass::Disk;
    }
    let is_network = matches!(
        kind,
        "gaierror" | "URLError" | "ConnectionRefusedError" | "NewConnectionError" | "ConnectTimeout" | "MaxRetryError"
    );
    if is_network || says("Network is unreachable") || says("Temporary failure in name resolution") {
        return FailureClass::Environment;
    }
    match kind {
        // What the harness looked at itself needs no guess.
        _ if error.cause.is_some() => FailureClass::Code,
        "ModuleNotFoundError" => FailureClass::Environment,
        "FileNotFoundError" if says("inputs/") => FailureClass::Environment,
        "MemoryError" => FailureClass::Memory,
        "BlockingIOError" if error.traceback.contains("fork") => FailureClass::Processes,
        _ => FailureClass::Code,
    }
}

/// What a signal amounts to that left no exception. Native code says why it gave up on stderr or not at all: these words
/// are the program's, and the worst they can do is to ask a human.
pub fn of_signal(signal: i32, stderr: &str) -> FailureClass {
    let out_of_memory = ["bad_alloc", "Cannot allocate memory", "out of memory"];
    match signal {
        SIGSYS => FailureClass::Policy,
        SIGABRT | SIGBUS | SIGSEGV | SIGILL if out_of_memory.iter().any(|said| stderr.contains(said)) => {
            FailureClass::Memory
        }
        _ => FailureClass::Code,
    }
}

/// What an exit without a record amounts to: the entry point could not write one, and says so on stderr.
pub fn of_unwritten(stderr: &str) -> FailureClass {
    // ENOSPC, EDQUOT and EFBIG, as the interpreter writes them.
    let no_room = ["OSError(28,", "OSError(122,", "OSError(27,"];
    let unwritten = stderr.rsplit("interlock: the result could not be written: ").next();
    match unwritten {
        Some(why) if why.len() < stderr.len() && no_room.iter().any(|error| why.starts_with(error)) => {
            FailureClass::Disk
        }
        Some(_) | None => FailureClass::Code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(kind: &str, message: &str, cause: Option<(&str, &str)>) -> (FailureClass, String) {
        of_error(&ProgramError {
            kind: kind.to_owned(),
            message: message.to_owned(),
            traceback: String::new(),
            file: None,
            line: None,
            cause: cause.map(|(kind, what)| Cause {
                kind: kind.to_owned(),
                what: what.to_owned(),
            }),
        })
    }

    #[test]
    fn what_harness_code_saw_outweighs_what_is_said() {
        let (class, said) = raised("RuntimeError", "sorry", Some(("missing-module", "pandas")));
        assert_eq!(class, FailureClass::Environment);
        assert_eq!(said, "the environment has no module \"pandas\" (RuntimeError: sorry)");
        // An exception may be named and worded as anything.
        let code = Some(("code", ""));
        for (kind, message) in [
            ("experiment.ModuleNotFoundError", "No module named 'pandas'"),
            ("experiment.MemoryError", ""),
            ("FileNotFoundError", "inputs/train.csv"),
        ] {
            assert_eq!(raised(kind, message, code).0, FailureClass::Code, "{kind}");
        }
    }

    #[test]
    fn an_unknown_word_is_no_class_and_libraries_own_words_still_count() {
        let from_later = Some(("of-a-later-version", "x"));
        assert_eq!(raised("ValueError", "bad", from_later).0, FailureClass::Code);
        let code = Some(("code", ""));
        let full = raised("sqlite3.OperationalError", "database or disk is full", code);
        assert_eq!(full.0, FailureClass::Disk);
        let away = raised("urllib3.exceptions.MaxRetryError", "retries exceeded", code);
        assert_eq!(away.0, FailureClass::Environment);
    }

    #[test]
    fn signals_and_unwritten_results_have_their_classes() {
        assert_eq!(of_signal(31, ""), FailureClass::Policy);
        assert_eq!(of_signal(11, "Segmentation fault"), FailureClass::Code);
        assert_eq!(of_signal(6, "what(): std::bad_alloc"), FailureClass::Memory);
        assert_eq!(of_signal(15, "std::bad_alloc"), FailureClass::Code);
        let unwritten = "interlock: the result could not be written: OSError(28, 'No space left on device')";
        assert_eq!(of_unwritten(unwritten), FailureClass::Disk);
        assert_eq!(
            of_unwritten("OSError(28, 'No space left on device')"),
            FailureClass::Code
        );
        assert_eq!(of_unwritten(""), FailureClass::Code);
    }
}
