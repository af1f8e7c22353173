//! The closed vocabularies. An unspecified or unknown word is an error, never a default.

use super::{DecodeError, bad};
use crate::criteria::{CriterionStatus, Evidence};
use crate::doubt::DoubtKind;
use crate::failure::FailureClass;
use crate::manifest::Owner;
use crate::payload::{Decision, DependencyForm, Gate};
use crate::stage::Stage;
use interlock_proto::v1 as wire;

macro_rules! vocabulary {
    ($to:ident, $from:ident, $domain:ident, $wire:ident, { $($ours:ident => $theirs:ident),+ $(,)? }) => {
        pub(crate) const fn $to(value: $domain) -> wire::$wire {
            match value { $($domain::$ours => wire::$wire::$theirs),+ }
        }

        pub(crate) fn $from(field: &'static str, value: i32) -> Result<$domain, DecodeError> {
            [$($domain::$ours),+]
                .into_iter()
                .find(|known| $to(*known) as i32 == value)
                .ok_or_else(|| bad(field, format!("{value} is unspecified or unknown")))
        }
    };
}

vocabulary!(stage_to_wire, stage_from_wire, Stage, Stage, {
    Planner => Planner, Generator => Generator, Verifier => Verifier, Executor => Executor, Gateway => Gateway,
});
vocabulary!(owner_to_wire, owner_from_wire, Owner, Owner, {
    Harness => Harness, User => User, Model => Model,
});
vocabulary!(class_to_wire, class_from_wire, FailureClass, FailureClass, {
    Code => Code, Contract => Contract, Environment => Environment, Timeout => Timeout, Stall => Stall,
    Memory => Memory, Processes => Processes, Disk => Disk, Output => Output, Policy => Policy,
    Model => Model, Harness => Harness,
});
vocabulary!(gate_to_wire, gate_from_wire, Gate, Gate, { Plan => Plan, Guidance => Guidance });
vocabulary!(decision_to_wire, decision_from_wire, Decision, Decision, {
    Approve => Approve, Revise => Revise, Reject => Reject,
});
vocabulary!(form_to_wire, form_from_wire, DependencyForm, DependencyForm, {
    Source => Source, Interface => Interface,
});
vocabulary!(evidence_to_wire, evidence_from_wire, Evidence, Evidence, {
    Claimed => Claimed, Recorded => Recorded, Scored => Scored, Observed => Observed,
});
vocabulary!(criterion_to_wire, criterion_from_wire, CriterionStatus, CriterionStatus, {
    Met => Met, Missed => Missed, NotJudged => NotJudged,
});

vocabulary!(doubt_to_wire, doubt_from_wire, DoubtKind, DoubtKind, {
    SplitsOverlap => SplitsOverlap, SplitsEqual => SplitsEqual, SplitInPart => SplitInPart, Epochs => Epochs,
    ConfigNotUsed => ConfigNotUsed, ConfigDiffers => ConfigDiffers, OwnResult => OwnResult,
});

/// A class that may be absent, such as that of a verdict that passed.
pub(crate) fn optional_class(field: &'static str, value: i32) -> Result<Option<FailureClass>, DecodeError> {
    if value == wire::FailureClass::Unspecified as i32 {
        return Ok(None);
    }
    class_from_wire(field, value).map(Some)
}

pub(crate) fn optional_class_to_wire(class: Option<FailureClass>) -> i32 {
    class.map_or(wire::FailureClass::Unspecified as i32, |c| class_to_wire(c) as i32)
}
