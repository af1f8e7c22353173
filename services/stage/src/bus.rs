//! A stage's connection to the broker: append, read, and nothing that its permissions do not allow.
//!
//! A violated permission or a rejected key is never retried: it is reported as fatal, once.

use crate::broker as prefix;
use crate::memory::Memory;
use async_nats::jetstream::{
    self, ErrorCode, context::PublishError, message::PublishMessage, stream::DirectGetErrorKind,
};
use async_nats::{ClientError, ConnectErrorKind, Event, HeaderMap, ServerError};
use bytes::Bytes;
use interlock_domain::{Disposition, Stage};
use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long one request may take before it counts as unanswered.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// How long an append or a read is tried again before the work is handed back.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(50);
/// What the server answers when a subject already has its message.
const EXISTS: [ErrorCode; 1] = [ErrorCode::STREAM_WRONG_LAST_SEQUENCE];
/// "maximum messages per subject exceeded", which the client library has no name for.
const PER_SUBJECT_LIMIT: u64 = 10077;

/// Why a stage whose key is refused cannot go on.
const UNKNOWN_KEY: &str = "the broker does not know this stage's key";

/// A connected stage.
#[derive(Clone, Debug)]
pub struct Bus {
    stage: Stage,
    js: jetstream::Context,
    client: async_nats::Client,
    connected: watch::Receiver<u64>,
    fatal: watch::Receiver<Option<String>>,
    memory: Arc<Memory>,
}

/// What became of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is stored, by us and now.
    Stored,
    /// Somebody, perhaps we ourselves before, stored a message there first. That one stands.
    Existed,
}

/// Why the bus did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// No connection at all.
    #[error("cannot connect to the broker at {url}: {why}")]
    Connect {
        /// Where.
        url: String,
        /// Why.
        why: String,
    },
    /// No answer for as long as we are patient.
    #[error("the broker did not answer about {subject}: {why}")]
    Unanswered {
        /// Subject.
        subject: String,
        /// The last error.
        why: String,
    },
    /// The broker said no.
    #[error("the broker refused {subject}: {why}")]
    Refused {
        /// Subject.
        subject: String,
        /// Its answer.
        why: String,
    },
    /// A stored blob is not what its reference says.
    #[error("blob {0} is damaged or incomplete")]
    Damaged(String),
}

impl BusError {
    /// What the caller should do.
    pub const fn disposition(&self) -> Disposition {
        match self {
            BusError::Connect { .. } | BusError::Unanswered { .. } => Disposition::Retry,
            BusError::Refused { .. } | BusError::Damaged(_) => Disposition::Escalate,
        }
    }
}

impl Bus {
    /// Connects as `stage`; waits for a broker that is not there yet.
    pub async fn connect(stage: Stage, url: &str, seed: String) -> Result<Self, BusError> {
        let (connected_tx, connected) = watch::channel(0_u64);
        let (fatal_tx, fatal) = watch::channel(None);
        let client = async_nats::ConnectOptions::with_nkey(seed)
            .name(format!("interlock-{stage}"))
            .custom_inbox_prefix(prefix::inbox(stage.name()))
            .retry_on_initial_connect()
            .request_timeout(Some(REQUEST_TIMEOUT))
            // The default backs off to 4 s, which a restarted broker would be waited for in vain.
            .reconnect_delay_callback(|attempt| Duration::from_millis((attempt as u64 * 50).min(400)))
            .event_callback(move |event| {
                match fatal_reason(&event) {
                    Some(reason) => {
                        tracing::error!(%reason, "the broker refused what this stage must be allowed to do");
                        fatal_tx.send_replace(Some(reason));
                    }
                    None => tracing::debug!(%event, "broker connection"),
                }
                if matches!(event, Event::Connected) {
                    connected_tx.send_modify(|n| *n += 1);
                }
                async {}
            })
            .connect(url)
            .await
            .map_err(|e| BusError::Connect {
                url: url.to_owned(),
                why: e.to_string(),
            })?;
        let js = jetstream::ContextBuilder::new()
            .api_prefix(prefix::API_PREFIX)
            .timeout(REQUEST_TIMEOUT)
            .ack_timeout(REQUEST_TIMEOUT)
            .build(client.clone());
        Ok(Self {
            stage,
            js,
            client,
            connected,
            fatal,
            memory: Arc::default(),
        })
    }

    /// Pieces of blobs that were read or written lately.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Whose connection it is.
    pub const fn stage(&self) -> Stage {
        self.stage
    }

    pub(crate) const fn client(&self) -> &async_nats::Client {
        &self.client
    }

    /// Bumped at every (re)connection: whoever waits on a pull has to pull again.
    pub(crate) fn connected(&self) -> watch::Receiver<u64> {
        self.connected.clone()
    }

    /// Resolves with the reason once the broker has refused what we must be allowed to do.
    pub async fn fatal(&self) -> String {
        let mut fatal = self.fatal.clone();
        // Not matched on at once: the guard of what is read must not live on where this waits.
        let reason = fatal.wait_for(Option::is_some).await.map(|reason| reason.clone());
        match reason {
            Ok(reason) => reason.unwrap_or_default(),
            Err(_) => std::future::pending().await,
        }
    }

    pub(crate) const fn context(&self) -> &jetstream::Context {
        &self.js
    }

    /// Stores `payload` under `subject` unless something is stored there already.
    /// Tries the same message again until the broker says which of the two it is.
    pub async fn append(&self, subject: &str, headers: HeaderMap, payload: Bytes) -> Result<Appended, BusError> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let message = PublishMessage::build()
                .headers(headers.clone())
                .payload(payload.clone())
                .expected_last_subject_sequence(0);
            let sent = match self.js.send_publish(subject.to_owned(), message).await {
                Ok(ack) => ack.await,
                Err(e) => Err(e),
            };
            let why = match sent {
                Ok(_) => return Ok(Appended::Stored),
                Err(e) => match refusal(&e) {
                    Refusal::Exists => return Ok(Appended::Existed),
                    Refusal::Final => {
                        return Err(BusError::Refused {
                            subject: subject.to_owned(),
                            why: e.to_string(),
                        });
                    }
                    Refusal::Unknown => e.to_string(),
                },
            };
            if tokio::time::Instant::now() >= deadline || self.fatal.borrow().is_some() {
                return Err(BusError::Unanswered {
                    subject: subject.to_owned(),
                    why,
                });
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// The message stored under `subject` in `stream`, if there is one.
    pub async fn read(&self, stream: &str, subject: &str) -> Result<Option<Bytes>, BusError> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        let handle = self
            .js
            .get_stream_no_info(stream)
            .await
            .map_err(|e| BusError::Refused {
                subject: subject.to_owned(),
                why: e.to_string(),
            })?;
        loop {
            let error = match handle.direct_get_last_for_subject(subject).await {
                Ok(message) => return Ok(Some(message.payload)),
                Err(e) if e.kind() == DirectGetErrorKind::NotFound => return Ok(None),
                Err(e) => e,
            };
            if tokio::time::Instant::now() >= deadline || self.fatal.borrow().is_some() {
                return Err(BusError::Unanswered {
                    subject: subject.to_owned(),
                    why: error.to_string(),
                });
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// The headers of the message stored under `subject` in `stream`: they say which trace it belongs to.
    /// Tried once, since a trace is no reason to keep anybody waiting.
    pub async fn headers(&self, stream: &str, subject: &str) -> Option<HeaderMap> {
        let handle = self.js.get_stream_no_info(stream).await.ok()?;
        let message = handle.direct_get_last_for_subject(subject).await.ok()?;
        Some(message.headers)
    }

    /// The first message of `stream` at or after sequence `from`: subject, payload and its sequence.
    /// Only the gateway may walk streams.
    pub async fn walk(&self, stream: &str, filter: &str, from: u64) -> Result<Option<(String, Bytes, u64)>, BusError> {
        let unanswered = |why: String| BusError::Unanswered {
            subject: filter.to_owned(),
            why,
        };
        let handle = self
            .js
            .get_stream_no_info(stream)
            .await
            .map_err(|e| unanswered(e.to_string()))?;
        match handle.direct_get_next_for_subject(filter, Some(from)).await {
            Ok(message) => Ok(Some((message.subject.to_string(), message.payload, message.sequence))),
            Err(e) if e.kind() == DirectGetErrorKind::NotFound => Ok(None),
            Err(e) => Err(unanswered(e.to_string())),
        }
    }
}

enum Refusal {
    Exists,
    Final,
    Unknown,
}

fn refusal(error: &PublishError) -> Refusal {
    use async_nats::jetstream::context::PublishErrorKind as Kind;
    let answer = error.source().and_then(|s| s.downcast_ref::<jetstream::Error>());
    if let Some(answer) = answer {
        let code = answer.error_code();
        if EXISTS.contains(&code) || code.0 == PER_SUBJECT_LIMIT {
            return Refusal::Exists;
        }
        return Refusal::Unknown;
    }
    match error.kind() {
        Kind::WrongLastSequence => Refusal::Exists,
        Kind::MaxPayloadExceeded => Refusal::Final,
        Kind::StreamNotFound
        | Kind::WrongLastMessageId
        | Kind::TimedOut
        | Kind::BrokenPipe
        | Kind::MaxAckPending
        | Kind::Other => Refusal::Unknown,
    }
}

/// The reason for which a service has to stop, if the event is one.
fn fatal_reason(event: &Event) -> Option<String> {
    match event {
        Event::ServerError(ServerError::AuthorizationViolation) => Some(UNKNOWN_KEY.to_owned()),
        // While connecting, the same refusal comes as the text of an error of the client's, again and again.
        Event::ClientError(ClientError::Other(text))
            if *text == ConnectErrorKind::AuthorizationViolation.to_string() =>
        {
            Some(UNKNOWN_KEY.to_owned())
        }
        Event::ServerError(ServerError::Other(text)) if text.to_lowercase().contains("violation") => Some(text.clone()),
        Event::Connected
        | Event::Disconnected
        | Event::LameDuckMode
        | Event::Draining
        | Event::Closed
        | Event::SlowConsumer(_)
        | Event::ServerError(ServerError::SlowConsumer(_) | ServerError::Other(_))
        | Event::ClientError(_) => None,
    }
}
