//! Why a call is not fulfilled, and what the caller is told.

use interlock_domain::{Disposition, RunId};
use interlock_stage::{BusError, ChainError, WorkError};
use tonic::{Code, Status};

/// Why a call is not fulfilled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// What came is not what was expected.
    #[error("{0}")]
    Invalid(String),
    /// There is no such run.
    #[error("run {0} is not known; `interlock ps` lists those that are")]
    NoRun(RunId),
    /// There is no such thing in the run.
    #[error("{0}")]
    NotFound(String),
    /// It may be right, but not now.
    #[error("{0}")]
    NotNow(String),
    /// Somebody else did it first.
    #[error("{0}")]
    Already(String),
    /// Sealed truth is never served.
    #[error("blob {0} is sealed truth; only the executor may read it, and it is never served")]
    Sealed(String),
    /// More than one answer can carry.
    #[error("{0}")]
    TooMuch(String),
    /// The broker.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The chain holds what cannot be accepted.
    #[error("run {run} is stuck: {why}; `interlock audit {run}` names the record")]
    Stuck {
        /// The run.
        run: RunId,
        /// What cannot be accepted.
        why: String,
    },
    /// The service is ending.
    #[error("the gateway is shutting down; try again in a moment")]
    Ending,
    /// A fault of ours.
    #[error("{0}")]
    Ours(String),
}

impl Refusal {
    /// What the caller should do.
    pub(crate) const fn disposition(&self) -> Disposition {
        match self {
            Refusal::Bus(e) => e.disposition(),
            Refusal::Ending => Disposition::Retry,
            Refusal::Invalid(_)
            | Refusal::NoRun(_)
            | Refusal::NotFound(_)
            | Refusal::NotNow(_)
            | Refusal::Already(_)
            | Refusal::Sealed(_)
            | Refusal::TooMuch(_) => Disposition::Refuse,
            Refusal::Stuck { .. } | Refusal::Ours(_) => Disposition::Escalate,
        }
    }

    const fn code(&self) -> Code {
        match self {
            Refusal::Invalid(_) => Code::InvalidArgument,
            Refusal::NoRun(_) | Refusal::NotFound(_) => Code::NotFound,
            Refusal::NotNow(_) => Code::FailedPrecondition,
            Refusal::Already(_) => Code::AlreadyExists,
            Refusal::Sealed(_) => Code::PermissionDenied,
            Refusal::TooMuch(_) => Code::ResourceExhausted,
            Refusal::Bus(BusError::Connect { .. } | BusError::Unanswered { .. }) | Refusal::Ending => Code::Unavailable,
            Refusal::Bus(BusError::Damaged(_)) | Refusal::Stuck { .. } => Code::DataLoss,
            Refusal::Bus(BusError::Refused { .. }) | Refusal::Ours(_) => Code::Internal,
        }
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        if refusal.disposition() == Disposition::Escalate {
            tracing::error!(error = %refusal, "a call failed through no fault of its caller");
        }
        Status::new(refusal.code(), refusal.to_string())
    }
}

/// What `Work::append` says, where our own word was the only thing that could have been wrong.
pub(crate) fn of_append(run: RunId, error: WorkError) -> Refusal {
    match error {
        WorkError::Superseded => Refusal::Already(format!(
            "somebody else's word for run {run} was stored first; look at `interlock show {run}`"
        )),
        WorkError::Cancelled => Refusal::Ending,
        WorkError::Bus(e) | WorkError::Chain(ChainError::Bus(e)) => Refusal::Bus(e),
        WorkError::Chain(e @ (ChainError::Open { .. } | ChainError::Illegal { .. })) => Refusal::Stuck {
            run,
            why: e.to_string(),
        },
        WorkError::Illegal(e) => Refusal::NotNow(e.to_string()),
        WorkError::Sign(e) => Refusal::Invalid(e.to_string()),
        WorkError::Later { why, .. } => Refusal::Ours(why),
        WorkError::Failed(failure) => Refusal::Ours(failure.message),
    }
}

#[cfg(test)]
mod tests {
    use super::{Refusal, of_append};
    use interlock_domain::{Disposition, RunId};
    use interlock_stage::{BusError, WorkError};
    use tonic::{Code, Status};

    #[test]
    fn every_kind_has_its_code() {
        let run = RunId::from_parts(1, 1);
        let unanswered = BusError::Unanswered {
            subject: "evt".into(),
            why: "timed out".into(),
        };
        let cases = [
            (Refusal::Invalid("x".into()), Code::InvalidArgument, Disposition::Refuse),
            (Refusal::NoRun(run), Code::NotFound, Disposition::Refuse),
            (
                Refusal::NotNow("x".into()),
                Code::FailedPrecondition,
                Disposition::Refuse,
            ),
            (Refusal::Already("x".into()), Code::AlreadyExists, Disposition::Refuse),
            (Refusal::Sealed("x".into()), Code::PermissionDenied, Disposition::Refuse),
            (
                Refusal::TooMuch("x".into()),
                Code::ResourceExhausted,
                Disposition::Refuse,
            ),
            (Refusal::Bus(unanswered), Code::Unavailable, Disposition::Retry),
            (
                Refusal::Bus(BusError::Damaged("x".into())),
                Code::DataLoss,
                Disposition::Escalate,
            ),
            (Refusal::Ending, Code::Unavailable, Disposition::Retry),
            (
                of_append(run, WorkError::Superseded),
                Code::AlreadyExists,
                Disposition::Refuse,
            ),
        ];
        for (refusal, code, disposition) in cases {
            assert_eq!(refusal.disposition(), disposition, "{refusal}");
            assert_eq!(Status::from(refusal).code(), code);
        }
    }
}
