//! Everything that can go wrong with a call, and what to do about each kind.

use std::time::Duration;

use interlock_domain::Disposition;
use thiserror::Error;

/// Why there is no answer. [`ModelError::disposition`] says what follows; texts from the server are
/// shortened, and never hold the key.
#[derive(Debug, Error)]
pub enum ModelError {
    /// No connection: refused, no such host, TLS failure, connect time-out.
    #[error("model server unreachable: {0}")]
    Unreachable(String),
    /// The connection ended before the answer did.
    #[error("answer cut off by the connection after {received} bytes of text")]
    Cut {
        /// Bytes of text that had come, and were dropped.
        received: usize,
    },
    /// No byte arrived for the stall time-out.
    #[error("model server silent for {after:?}")]
    Stalled {
        /// The stall time-out.
        after: Duration,
    },
    /// HTTP 429, or its like in the stream.
    #[error("rate limit of the model server")]
    RateLimited {
        /// The wait that the server asked for.
        retry_after: Option<Duration>,
    },
    /// The server failed: 5xx, or an error event in the stream.
    #[error("model server failed ({}): {message}", status_text(*.status))]
    Upstream {
        /// The status; `None` for an error event whose kind says no status.
        status: Option<u16>,
        /// The wait that the server asked for.
        retry_after: Option<Duration>,
        /// What it said.
        message: String,
    },
    /// The server has no JSON mode; the call is repeated without.
    #[error("model server has no JSON mode")]
    NoJsonMode,
    /// The server asks for a longer wait than is allowed.
    #[error("model server asks to wait {asked:?}, allowed are {allowed:?}")]
    WaitTooLong {
        /// The wait that the server asked for.
        asked: Duration,
        /// The configured bound.
        allowed: Duration,
    },
    /// The time for the whole call is over.
    #[error("no answer within {after:?}")]
    TimedOut {
        /// The total time-out.
        after: Duration,
    },
    /// Wrong or missing key, or one without the right to this model.
    #[error("model key rejected (status {status})")]
    KeyRejected {
        /// 401 or 403.
        status: u16,
    },
    /// The account is out of money or quota.
    #[error("no credit with the model provider: {0}")]
    NoCredit(String),
    /// The server knows no such model, or no such path.
    #[error("model {model:?} not found: {message}")]
    NotFound {
        /// The model that was asked for.
        model: String,
        /// What the server said.
        message: String,
    },
    /// Prompt and output limit do not fit the model's context.
    #[error("prompt too long for the model: {0}")]
    ContextTooLong(String),
    /// The server finds the request wrong.
    #[error("model server refused the request (status {status}): {message}")]
    Rejected {
        /// The status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// The answer has more text than is allowed.
    #[error("answer of more than {limit} bytes")]
    TooLarge {
        /// The configured bound.
        limit: usize,
    },
    /// A redirect, which is not followed.
    #[error("model server redirects (status {status}), which is not followed")]
    Redirected {
        /// The status.
        status: u16,
    },
    /// Not the protocol that was configured.
    #[error("not the configured protocol: {0}")]
    Protocol(String),
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Every attempt failed in a way that could have passed.
    #[error("no answer after {attempts} attempts: {last}")]
    Exhausted {
        /// Exchanges that were made.
        attempts: u32,
        /// How the last one failed.
        last: Box<ModelError>,
    },
}

impl interlock_domain::CallError for ModelError {
    fn disposition(&self) -> Disposition {
        ModelError::disposition(self)
    }

    fn is_cancelled(&self) -> bool {
        matches!(self, ModelError::Cancelled)
    }
}

impl ModelError {
    /// What follows from this error. `Retry` is what the client itself acts on; from
    /// [`Client::complete`](crate::Client::complete) it comes only inside `Exhausted`.
    pub fn disposition(&self) -> Disposition {
        match self {
            Self::Unreachable(_)
            | Self::Cut { .. }
            | Self::Stalled { .. }
            | Self::RateLimited { .. }
            | Self::Upstream { .. }
            | Self::NoJsonMode => Disposition::Retry,
            Self::ContextTooLong(_)
            | Self::Rejected { .. }
            | Self::TooLarge { .. }
            // Whoever cancelled knows what is next; repeating the call is not it.
            | Self::Cancelled => Disposition::Refuse,
            Self::WaitTooLong { .. }
            | Self::TimedOut { .. }
            | Self::KeyRejected { .. }
            | Self::NoCredit(_)
            | Self::NotFound { .. }
            | Self::Redirected { .. }
            | Self::Protocol(_)
            | Self::Exhausted { .. } => Disposition::Escalate,
        }
    }

    /// A constant name of the kind, for spans, metrics and fingerprints.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Cut { .. } => "cut",
            Self::Stalled { .. } => "stalled",
            Self::RateLimited { .. } => "rate_limited",
            Self::Upstream { .. } => "upstream",
            Self::NoJsonMode => "no_json_mode",
            Self::WaitTooLong { .. } => "wait_too_long",
            Self::TimedOut { .. } => "timed_out",
            Self::KeyRejected { .. } => "key_rejected",
            Self::NoCredit(_) => "no_credit",
            Self::NotFound { .. } => "not_found",
            Self::ContextTooLong(_) => "context_too_long",
            Self::Rejected { .. } => "rejected",
            Self::TooLarge { .. } => "too_large",
            Self::Redirected { .. } => "redirected",
            Self::Protocol(_) => "protocol",
            Self::Cancelled => "cancelled",
            Self::Exhausted { .. } => "exhausted",
        }
    }

    /// The wait that the server asked for, if it did.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after } | Self::Upstream { retry_after, .. } => *retry_after,
            Self::Unreachable(_)
            | Self::Cut { .. }
            | Self::Stalled { .. }
            | Self::NoJsonMode
            | Self::WaitTooLong { .. }
            | Self::TimedOut { .. }
            | Self::KeyRejected { .. }
            | Self::NoCredit(_)
            | Self::NotFound { .. }
            | Self::ContextTooLong(_)
            | Self::Rejected { .. }
            | Self::TooLarge { .. }
            | Self::Redirected { .. }
            | Self::Protocol(_)
            | Self::Cancelled
            | Self::Exhausted { .. } => None,
        }
    }
}

fn status_text(status: Option<u16>) -> String {
    status.map_or_else(|| "in the stream".to_owned(), |code| format!("status {code}"))
}
