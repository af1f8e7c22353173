//! Between the bytes on the bus and the validated values of this crate.
//!
//! Decoding refuses whatever it does not fully understand; nothing is guessed or defaulted to success.

mod enums;
mod results;
mod work;

use crate::ids::{Digest, IdError, RunId};
use crate::payload::Payload;
use crate::record::{Control, ControlAction, RECORD_VERSION, Record};
use interlock_proto::v1 as wire;
use prost::Message as _;

/// Why bytes are no record.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DecodeError {
    /// Not protobuf.
    #[error("not a protobuf message: {0}")]
    Malformed(String),
    /// A newer version, or a payload that this build does not know: kept and shown, never acted on.
    #[error("record version {0} or its payload is unknown to this build; upgrade the service that read it")]
    Unknown(u32),
    /// A field that does not hold what it has to.
    #[error("field {field}: {why}")]
    Field {
        /// Which.
        field: &'static str,
        /// What is wrong.
        why: String,
    },
}

pub(crate) fn bad(field: &'static str, why: impl ToString) -> DecodeError {
    DecodeError::Field {
        field,
        why: why.to_string(),
    }
}

pub(crate) fn digest(field: &'static str, bytes: &[u8]) -> Result<Digest, DecodeError> {
    Digest::from_bytes(bytes).map_err(|e| bad(field, e))
}

pub(crate) fn required<T>(field: &'static str, value: Option<T>) -> Result<T, DecodeError> {
    value.ok_or_else(|| bad(field, "it is missing"))
}

/// The body bytes of a record: what is signed and what the next record's parent names.
pub fn encode_record(record: &Record) -> Vec<u8> {
    to_wire(record).encode_to_vec()
}

/// A record as the wire type, for views.
pub fn to_wire(record: &Record) -> wire::Record {
    use wire::record::Payload as P;
    let payload = match &record.payload {
        Payload::Request(x) => P::Request(x.into()),
        Payload::PlanProposal(x) => P::PlanProposal(x.into()),
        Payload::Answer(x) => P::Answer(x.into()),
        Payload::Candidate(x) => P::Candidate(x.into()),
        Payload::Verdict(x) => P::Verdict(x.into()),
        Payload::ExecutionStarted(x) => P::ExecutionStarted((*x).into()),
        Payload::Execution(x) => P::Execution(x.into()),
        Payload::StageFailure(x) => P::StageFailure(x.into()),
        Payload::Outcome(x) => P::Outcome(x.into()),
    };
    wire::Record {
        version: RECORD_VERSION,
        run_id: record.run.to_string(),
        seq: record.seq,
        stage: enums::stage_to_wire(record.stage) as i32,
        parent: record.parent.map(|d| d.as_bytes().to_vec()).unwrap_or_default(),
        time_unix_ms: record.time_unix_ms,
        payload: Some(payload),
    }
}

/// Decodes and validates a record's body.
pub fn decode_record(body: &[u8]) -> Result<Record, DecodeError> {
    let raw = wire::Record::decode(body).map_err(|e| DecodeError::Malformed(e.to_string()))?;
    let record = from_wire(raw)?;
    whole(body, &encode_record(&record))?;
    Ok(record)
}

/// Refuses a body that says more, or says it otherwise, than was understood: a field that this build
/// does not know would be lost without a word, and may well have changed the meaning of the rest.
fn whole(body: &[u8], understood: &[u8]) -> Result<(), DecodeError> {
    if body == understood {
        Ok(())
    } else {
        Err(DecodeError::Unknown(RECORD_VERSION))
    }
}

/// Validates a record that came as the wire type, as views do.
pub fn from_wire(raw: wire::Record) -> Result<Record, DecodeError> {
    use wire::record::Payload as P;
    if raw.version != RECORD_VERSION {
        return Err(DecodeError::Unknown(raw.version));
    }
    let payload = match raw.payload.ok_or(DecodeError::Unknown(raw.version))? {
        P::Request(x) => Payload::Request(x.try_into()?),
        P::PlanProposal(x) => Payload::PlanProposal(x.try_into()?),
        P::Answer(x) => Payload::Answer(x.try_into()?),
        P::Candidate(x) => Payload::Candidate(x.try_into()?),
        P::Verdict(x) => Payload::Verdict(x.try_into()?),
        P::ExecutionStarted(x) => Payload::ExecutionStarted(x.try_into()?),
        P::Execution(x) => Payload::Execution(x.try_into()?),
        P::StageFailure(x) => Payload::StageFailure(x.try_into()?),
        P::Outcome(x) => Payload::Outcome(x.try_into()?),
    };
    if raw.seq == 0 {
        return Err(bad("seq", "it counts from 1"));
    }
    let parent = match raw.parent.as_slice() {
        [] => None,
        bytes => Some(digest("parent", bytes)?),
    };
    Ok(Record {
        run: run_id(&raw.run_id)?,
        seq: raw.seq,
        stage: enums::stage_from_wire("stage", raw.stage)?,
        parent,
        time_unix_ms: raw.time_unix_ms,
        payload,
    })
}

/// The body bytes of a control.
pub fn encode_control(control: &Control) -> Vec<u8> {
    let ControlAction::Cancel { by, reason } = &control.action;
    wire::Control {
        version: RECORD_VERSION,
        run_id: control.run.to_string(),
        k: control.k,
        time_unix_ms: control.time_unix_ms,
        action: Some(wire::control::Action::Cancel(wire::Cancel {
            by: by.clone(),
            reason: reason.clone(),
        })),
    }
    .encode_to_vec()
}

/// Decodes and validates a control's body.
pub fn decode_control(body: &[u8]) -> Result<Control, DecodeError> {
    let raw = wire::Control::decode(body).map_err(|e| DecodeError::Malformed(e.to_string()))?;
    if raw.version != RECORD_VERSION {
        return Err(DecodeError::Unknown(raw.version));
    }
    let action = match raw.action.ok_or(DecodeError::Unknown(raw.version))? {
        wire::control::Action::Cancel(cancel) => ControlAction::Cancel {
            by: cancel.by,
            reason: cancel.reason,
        },
    };
    if raw.k == 0 {
        return Err(bad("k", "it counts from 1"));
    }
    let control = Control {
        run: run_id(&raw.run_id)?,
        k: raw.k,
        time_unix_ms: raw.time_unix_ms,
        action,
    };
    whole(body, &encode_control(&control))?;
    Ok(control)
}

fn run_id(text: &str) -> Result<RunId, DecodeError> {
    text.parse().map_err(|e: IdError| bad("run_id", e))
}
