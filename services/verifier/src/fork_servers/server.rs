//! One fork server in its sandbox: started once, asked often, ended when nobody needs it.
//!
//! What it says is taken down, never judged here. When it ends, for whatever reason, whoever waits is told so.

use super::ForkLimits;
use super::wire::{Request, Said, Word};
use crate::import::Report;
use interlock_sandbox::{Asker, Command, Listener, Sandbox, remove_tree};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    /// It may not serve: so it will be the next time.
    #[error("{0}")]
    Refused(String),
    /// It did not start, this time.
    #[error("{0}")]
    Failed(String),
}

/// How a request was answered.
#[derive(Debug)]
pub(super) enum Reply {
    /// The reports, as far as they came.
    Reports(Vec<Report>),
    /// A fresh interpreter has to be asked.
    Cold(String),
    /// This module must not be loaded in a server.
    Spoiled(String),
}

enum Message {
    Ask(u64, Request, oneshot::Sender<Reply>),
    Load(u64, Vec<String>, oneshot::Sender<Reply>),
    Cancel(u64),
}

/// A server that serves. Dropped, it ends as soon as nobody waits for an answer.
#[derive(Debug)]
pub(super) struct Server {
    interpreter: String,
    messages: mpsc::UnboundedSender<Message>,
    kill: CancellationToken,
    next: AtomicU64,
    files: AtomicU64,
}

/// A request that is under way; dropped, it is taken back.
#[derive(Debug)]
pub(super) struct Asked {
    id: u64,
    reply: oneshot::Receiver<Reply>,
    messages: mpsc::WeakUnboundedSender<Message>,
}

impl Asked {
    /// The answer; `None` if the server has ended.
    pub(super) async fn reply(&mut self) -> Option<Reply> {
        (&mut self.reply).await.ok()
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if let Some(messages) = self.messages.upgrade() {
            // A request that was answered is not known any more, and a server that has ended needs no word.
            let _ = messages.send(Message::Cancel(self.id));
        }
    }
}

impl Server {
    /// Starts the program and waits until it serves. Its `folder` is removed when it has ended.
    pub(super) async fn start(
        sandbox: Arc<Sandbox>,
        command: Command,
        folder: PathBuf,
        (asker, mut listener): (Asker, Listener),
        limits: ForkLimits,
        tasks: &TaskTracker,
    ) -> Result<Self, StartError> {
        let kill = CancellationToken::new();
        // Whoever stops waiting ends it as well.
        let guard = kill.clone().drop_guard();
        let token = kill.clone();
        let (ended, mut was_ended) = oneshot::channel();
        tasks.spawn(async move {
            let how = match sandbox.run(command, token).await {
                Ok(seen) => format!("{:?}: {}", seen.end, seen.stderr.to_text().trim()),
                Err(error) => error.to_string(),
            };
            if let Err(error) = remove_tree(&folder) {
                tracing::warn!(folder = %folder.display(), %error, "a fork server's files could not be removed");
            }
            let _ = ended.send(how);
        });
        let first = tokio::select! {
            line = listener.line() => line.map_err(|e| e.to_string()),
            how = &mut was_ended => Err(how.unwrap_or_else(|_| "it was dropped".to_owned())),
            () = tokio::time::sleep(limits.start) => Err(format!("it took more than {:?}", limits.start)),
        };
        let said = first.and_then(|line| serde_json::from_slice(&line).map_err(|e| e.to_string()));
        let interpreter = match said {
            Ok(Said::Start {
                ready: true, python, ..
            }) => python.unwrap_or_default(),
            Ok(Said::Start { ready: false, why, .. }) => return Err(StartError::Refused(why.unwrap_or_default())),
            Ok(other) => return Err(StartError::Failed(format!("it began with {other:?}"))),
            Err(why) => return Err(StartError::Failed(why)),
        };
        let kill = guard.disarm();
        let (messages, received) = mpsc::unbounded_channel();
        let talk = Talk {
            asker,
            listener,
            received,
            waiting: HashMap::new(),
            idle: limits.idle,
        };
        tasks.spawn(talk.go_on(kill.clone(), was_ended));
        Ok(Self {
            interpreter,
            messages,
            kill,
            next: AtomicU64::new(1),
            files: AtomicU64::new(0),
        })
    }

    /// Sends a request; `None` if the server has ended.
    pub(super) fn ask(&self, request: Request) -> Option<Asked> {
        let files = u64::try_from(request.files.len()).unwrap_or(u64::MAX);
        self.files.fetch_add(files, Ordering::Relaxed);
        self.send(|id, reply| Message::Ask(id, request, reply))
    }

    /// Has it load modules; `None` if the server has ended.
    pub(super) fn load(&self, names: Vec<String>) -> Option<Asked> {
        self.send(|id, reply| Message::Load(id, names, reply))
    }

    fn send(&self, message: impl FnOnce(u64, oneshot::Sender<Reply>) -> Message) -> Option<Asked> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, reply) = oneshot::channel();
        self.messages.send(message(id, sender)).ok()?;
        Some(Asked {
            id,
            reply,
            messages: self.messages.downgrade(),
        })
    }

    /// Version of its interpreter.
    pub(super) fn interpreter(&self) -> &str {
        &self.interpreter
    }

    /// How many files it has been asked about.
    pub(super) fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    /// Whether it answers no more.
    pub(super) fn has_ended(&self) -> bool {
        self.messages.is_closed()
    }

    /// Ends it at once.
    pub(super) fn kill(&self) {
        self.kill.cancel();
    }
}

/// The conversation with one server.
struct Talk {
    asker: Asker,
    listener: Listener,
    received: mpsc::UnboundedReceiver<Message>,
    waiting: HashMap<u64, (Vec<Report>, oneshot::Sender<Reply>)>,
    idle: Duration,
}

impl Talk {
    /// Until the server has ended, or nobody asks any more. Ends it, and with that drops whoever waits.
    async fn go_on(mut self, kill: CancellationToken, mut was_ended: oneshot::Receiver<String>) {
        let why = loop {
            if self.received.is_closed() && self.received.is_empty() && self.waiting.is_empty() {
                break "it is not needed any more".to_owned();
            }
            let idle = self.waiting.is_empty();
            let went_on = tokio::select! {
                how = &mut was_ended => break how.unwrap_or_else(|_| "it was dropped".to_owned()),
                message = self.received.recv(), if !self.received.is_closed() || !self.received.is_empty() => {
                    match message {
                        Some(message) => self.pass_on(message).await,
                        None => Ok(()),
                    }
                }
                line = self.listener.line() => match line {
                    Ok(line) => self.take_down(&line),
                    Err(error) => Err(error.to_string()),
                },
                () = tokio::time::sleep(self.idle), if idle => break "nobody has asked for long".to_owned(),
            };
            if let Err(why) = went_on {
                break why;
            }
        };
        tracing::debug!(why, "a fork server ends");
        kill.cancel();
    }

    async fn pass_on(&mut self, message: Message) -> Result<(), String> {
        let word = match &message {
            Message::Ask(id, request, _) => Word::Ask { id: *id, request },
            Message::Load(id, load, _) => Word::Load { id: *id, load },
            Message::Cancel(id) if self.waiting.contains_key(id) => Word::Cancel { cancel: *id },
            Message::Cancel(_) => return Ok(()),
        };
        let line = serde_json::to_string(&word).map_err(|e| e.to_string())?;
        self.asker.say(&line).await.map_err(|e| e.to_string())?;
        match message {
            Message::Ask(id, _, reply) | Message::Load(id, _, reply) => {
                drop(self.waiting.insert(id, (Vec::new(), reply)))
            }
            Message::Cancel(id) => drop(self.waiting.remove(&id)),
        }
        Ok(())
    }

    fn take_down(&mut self, line: &[u8]) -> Result<(), String> {
        match serde_json::from_slice(line).map_err(|e| e.to_string())? {
            Said::Start { .. } => return Err("it started twice".to_owned()),
            Said::Cold { id, cold } => self.reply(id, |_| Reply::Cold(cold)),
            Said::Spoiled { id, spoiled } => self.reply(id, |_| Reply::Spoiled(spoiled)),
            Said::Done { done: false, .. } => return Err("a request is over and is not done".to_owned()),
            Said::Done { id, done: true } => self.reply(id, Reply::Reports),
            Said::File { id, report } => {
                if let Some((reports, _)) = self.waiting.get_mut(&id) {
                    reports.push(report);
                }
            }
        }
        Ok(())
    }

    /// What nobody waits for was taken back.
    fn reply(&mut self, id: u64, say: impl FnOnce(Vec<Report>) -> Reply) {
        if let Some((reports, reply)) = self.waiting.remove(&id) {
            let _ = reply.send(say(reports));
        }
    }
}
