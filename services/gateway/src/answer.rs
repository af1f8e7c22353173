//! An answer at a gate: who may still answer, and what the second one is told.

use crate::gateway::Gateway;
use crate::refusal::{Refusal, of_append};
use crate::view::{Run, cancelled_by, status};
use crate::{policy, words};
use interlock_domain::payload::{Answer, Decision, Gate, Payload};
use interlock_domain::{Digest, RunId};
use interlock_proto::v1 as wire;
use interlock_stage::WorkError;
use tracing::Instrument as _;

/// An answer whose form is right.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) run: RunId,
    answer: Answer,
}

impl Word {
    /// Checks the form. Whether it fits the run is seen later, when it is its turn.
    pub(crate) fn check(raw: wire::AnswerGateRequest) -> Result<Self, Refusal> {
        let run = raw.run_id.parse().map_err(invalid)?;
        let gate = match wire::Gate::try_from(raw.gate) {
            Ok(wire::Gate::Plan) => Gate::Plan,
            Ok(wire::Gate::Guidance) => Gate::Guidance,
            Ok(wire::Gate::Unspecified) | Err(_) => {
                return Err(invalid(format!("gate {} is none; expected plan or guidance", raw.gate)));
            }
        };
        let decision = match wire::Decision::try_from(raw.decision) {
            Ok(wire::Decision::Approve) => Decision::Approve,
            Ok(wire::Decision::Revise) => Decision::Revise,
            Ok(wire::Decision::Reject) => Decision::Reject,
            Ok(wire::Decision::Unspecified) | Err(_) => {
                return Err(invalid(format!(
                    "decision {} is none; expected approve, revise or reject",
                    raw.decision
                )));
            }
        };
        let text = words::text("text", raw.text)?;
        match (gate, decision) {
            (Gate::Guidance, Decision::Revise) => Err(invalid(
                "there is no revision at the guidance gate; approve (try again, with a hint as text) or reject (end the run)",
            )),
            (Gate::Plan, Decision::Revise) if text.trim().is_empty() => {
                Err(invalid("a revision has to say in its text what to change"))
            }
            (Gate::Plan, Decision::Approve | Decision::Revise | Decision::Reject)
            | (Gate::Guidance, Decision::Approve | Decision::Reject) => Ok(()),
        }?;
        Ok(Self {
            run,
            answer: Answer {
                gate,
                about: raw.about.parse().map_err(invalid)?,
                decision,
                by: words::name("by", raw.by)?,
                automatic: false,
                text,
            },
        })
    }

    /// Whether this answer still fits the run.
    fn fits(&self, run: &Run) -> Result<(), Refusal> {
        let Answer { gate, about, .. } = self.answer;
        let open = policy::open_gate(&run.state);
        if open == Some((gate, about)) {
            return Ok(());
        }
        if let Some((given, time)) = given(run, gate, about) {
            return Err(Refusal::Already(format!(
                "this question was already answered by {} at {}: {}; the first answer stands",
                given.by,
                words::time(*time),
                given.decision.name()
            )));
        }
        if let Some(by) = cancelled_by(&run.state) {
            return Err(Refusal::NotNow(format!("run {} was cancelled by {by}", self.run)));
        }
        Err(match open {
            Some((Gate::Plan, now)) if gate == Gate::Plan => Refusal::NotNow(format!(
                "the answer names plan {}, and the plan in force is {}; look at it with `interlock show {}` and answer again",
                about.short(),
                now.short(),
                self.run
            )),
            Some((other, now)) => Refusal::NotNow(format!(
                "the answer is for the {} gate about {}, and the open question is the {} gate about {}",
                gate.name(),
                about.short(),
                other.name(),
                now.short()
            )),
            None => Refusal::NotNow(format!(
                "no gate of run {} is open: it is {} ({})",
                self.run,
                status(run),
                run.summary.phase
            )),
        })
    }
}

impl Gateway {
    /// Puts an answer on record if the question is still open. The stream decides between two that
    /// come at once, wherever they came in.
    pub(crate) async fn answer(&self, word: Word) -> Result<wire::RunView, Refusal> {
        let run = word.run;
        let _turn = self.turn_at(run).await?;
        let (state, stuck) = self.view.look(run, |known| {
            word.fits(known)?;
            Ok::<_, Refusal>((known.state.clone(), known.stuck().map(str::to_owned)))
        })??;
        if let Some(why) = stuck {
            return Err(Refusal::Stuck { run, why });
        }
        let span = self.span_at(run, word.answer.decision.name()).await;
        let payload = Payload::Answer(word.answer.clone());
        match self.append(state, payload).instrument(span).await {
            Ok(()) => self.view.show(run),
            Err(WorkError::Superseded) => {
                self.view.refresh(run).await?;
                self.view.look(run, |known| word.fits(known))??;
                Err(of_append(run, WorkError::Superseded))
            }
            Err(error) => Err(of_append(run, error)),
        }
    }
}

/// The last answer to this question, if there is one.
fn given(run: &Run, gate: Gate, about: Digest) -> Option<&(Answer, i64)> {
    let same = |(answer, _): &&(Answer, i64)| answer.gate == gate && answer.about == about;
    run.answers.iter().rev().find(same)
}

fn invalid(why: impl ToString) -> Refusal {
    Refusal::Invalid(why.to_string())
}
