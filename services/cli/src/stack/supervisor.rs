//! The process that holds the stack of `up`: started by it, detached from it, and stopped by `down`.

use super::Stack;
use crate::console::Console;
use crate::error::CliError;
use crate::home::Home;
use crate::locate::{Locator, real_env};
use crate::model::ModelChoice;
use crate::notice::Kind;
use crate::signals::Interrupts;
use std::path::Path;

/// What it prints once everything answers; `up` waits for this line.
pub const READY: &str = "ready";

/// Holds the stack until a signal comes.
///
/// # Errors
/// The stack cannot be started, or keeps dying.
pub async fn hold(home: &Home, answers: Option<&Path>, verifiers: u16, console: &Console) -> Result<(), CliError> {
    let model = ModelChoice::choose(&real_env, answers)?;
    let locator = Locator::new(&real_env)?;
    let mut interrupts = Interrupts::listen()?;
    let mut stack = Stack::take(home, Kind::Shared, Some(model)).await?;
    stack.verifiers(verifiers);
    let tell = |what: &str| console.note(what);
    let started = tokio::select! {
        started = stack.start(&locator, &real_env) => started.map(drop).map_err(CliError::from),
        () = interrupts.next() => Err(CliError::Interrupted),
    };
    let ended = match started {
        Ok(()) => {
            console.line(READY);
            tokio::select! {
                error = stack.watch(&tell) => Err(error.into()),
                () = interrupts.next() => Ok(()),
            }
        }
        Err(error) => Err(error),
    };
    stack.stop().await;
    ended
}
