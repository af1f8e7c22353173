//! What a command works with: the stack that is running, or one of its own that ends with the command.

use crate::client::Gateway;
use crate::console::Console;
use crate::error::CliError;
use crate::home::Home;
use crate::locate::{Locator, real_env};
use crate::model::{ModelChoice, ModelError};
use crate::notice::{Kind, Notice};
use crate::signals::Interrupts;
use crate::stack::Stack;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a stack may take from its lock to its notice.
const STARTING: Duration = Duration::from_secs(60);

/// The state folder, and what a command may use of it.
pub struct Session {
    home: Home,
    console: Console,
}

impl Session {
    /// In the state folder that the environment names.
    pub fn open(console: &Console) -> Result<Self, CliError> {
        Ok(Self {
            home: Home::find(real_env)?,
            console: console.clone(),
        })
    }

    /// The state folder.
    pub const fn home(&self) -> &Home {
        &self.home
    }

    /// The stack that `up` started, if there is one.
    pub async fn running(&self) -> Result<Option<(Notice, Gateway)>, CliError> {
        let there = self.there().await?;
        Ok(there.filter(|(notice, _)| notice.kind == Kind::Shared))
    }

    /// The stack that `up` started, or the one that belongs to a `run` elsewhere: enough to look and to answer.
    pub async fn there(&self) -> Result<Option<(Notice, Gateway)>, CliError> {
        let deadline = Instant::now() + STARTING;
        while self.home.is_held()? && Instant::now() < deadline {
            // Without a notice it is just starting; one that only looks will end in a moment.
            if let Some(notice) = self.home.notice().filter(|notice| notice.kind != Kind::View) {
                let gateway = Gateway::at(&notice.address, &self.home.ensure_token()?)?;
                return Ok(Some((notice, gateway)));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(None)
    }

    /// Works with the stack that is there, or with a gateway of its own that only looks and takes answers.
    ///
    /// # Errors
    /// Those of `work`, and of a stack that cannot be had.
    pub async fn look<T>(&self, work: impl AsyncFnOnce(&Gateway) -> Result<T, CliError>) -> Result<T, CliError> {
        match self.there().await? {
            Some((_, gateway)) => interruptible(work(&gateway)).await,
            None => self.own(Kind::View, None, work).await,
        }
    }

    /// Works with the running stack, or with a whole one of its own.
    ///
    /// # Errors
    /// Those of `work`, and of a stack that cannot be had or has other answers than `answers`.
    pub async fn work<T>(
        &self,
        answers: Option<&Path>,
        work: impl AsyncFnOnce(&Gateway) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        match self.running().await? {
            Some((notice, gateway)) => {
                same_answers(&notice, answers)?;
                interruptible(work(&gateway)).await
            }
            None => {
                let model = ModelChoice::choose(&real_env, answers)?;
                self.own(Kind::Private, Some(model), work).await
            }
        }
    }

    async fn own<T>(
        &self,
        kind: Kind,
        model: Option<ModelChoice>,
        work: impl AsyncFnOnce(&Gateway) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let locator = Locator::new(&real_env)?;
        let mut interrupts = Interrupts::listen()?;
        let mut stack = Stack::take(&self.home, kind, model).await?;
        let tell = |what: &str| self.console.note(what);
        let started = tokio::select! {
            started = stack.start(&locator, &real_env) => started.map_err(CliError::from),
            () = interrupts.next() => Err(CliError::Interrupted),
        };
        let done = match started {
            Ok(gateway) => tokio::select! {
                done = work(&gateway) => done,
                error = stack.watch(&tell) => Err(error.into()),
                () = interrupts.next() => Err(CliError::Interrupted),
            },
            Err(error) => Err(error),
        };
        stack.stop().await;
        done
    }
}

/// A signal ends the waiting, not what the stack does.
pub(crate) async fn interruptible<T>(work: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let mut interrupts = Interrupts::listen()?;
    tokio::select! {
        done = work => done,
        () = interrupts.next() => Err(CliError::Interrupted),
    }
}

/// Scripted answers of another task would answer nothing that this one asks.
pub(crate) fn same_answers(notice: &Notice, answers: Option<&Path>) -> Result<(), ModelError> {
    let Ok(wanted) = ModelChoice::choose(&real_env, answers) else {
        return Ok(());
    };
    let running = notice.model.clone().unwrap_or_default();
    match wanted {
        ModelChoice::Scripted(_) if running.starts_with("scripted answers") && running != wanted.to_string() => {
            Err(ModelError::Other {
                running,
                wanted: wanted.to_string(),
            })
        }
        ModelChoice::Scripted(_) | ModelChoice::Endpoint(_) => Ok(()),
    }
}
