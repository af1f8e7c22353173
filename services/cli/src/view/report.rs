//! The account of a run at its end: the outcome and what it rests on, or why there is none.

use super::page::{Page, plain};
use super::{Run, evidence, line, text};
use crate::console::Tone;
use interlock_domain::payload::{Decision, Gate, Judgement, OutcomeKind, Payload, RefusedAnswer};
use interlock_domain::{CheckAnswer, Record};
use interlock_proto::v1::RunView;
use interlock_proto::v1::control::Action;

/// The whole account.
pub fn report(run: &Run) -> Page {
    let mut page = Page::default();
    headline(run, &mut page);
    if let Some(execution) = run.state.as_ref().and_then(|state| state.execution.as_ref()) {
        page.section("Criteria", evidence::criteria(&execution.criteria));
        page.section("Speaks against the numbers", evidence::doubts(execution));
        page.section(
            "Numbers, by the strength of their evidence",
            evidence::metrics(&execution.metrics),
        );
        page.section("Observed from outside", evidence::observed(execution));
        page.section(
            "Testimony (what the program says of itself; it proves nothing)",
            evidence::testimony(execution),
        );
    }
    let way = on_the_way(&run.records);
    page.section(&format!("On the way ({})", way.len()), way);
    page.section(
        "Not understood by this build",
        run.unread.iter().map(|why| (Tone::Bad, text::line(why))),
    );
    page
}

/// Run, task, and how it ended.
fn headline(run: &Run, page: &mut Page) {
    let (tone, how) = outcome(run);
    page.toned(tone, format!("Run {} ({}): {how}", run.id(), text::line(run.task())));
    for reason in reasons(run) {
        page.toned(tone, format!("  {}", text::line(&reason)));
    }
}

/// How the run ended, in a few words.
pub fn outcome(run: &Run) -> (Tone, String) {
    let ended = run.state.as_ref().and_then(|state| state.outcome.as_ref());
    match ended.map(|outcome| outcome.kind) {
        Some(OutcomeKind::Accepted) => (Tone::Good, "accepted".to_owned()),
        Some(OutcomeKind::Refused) => (Tone::Bad, "refused".to_owned()),
        Some(OutcomeKind::Failed(class)) => (Tone::Bad, format!("failed ({class}); lever: {}", class.lever())),
        None if run.status() == "cancelled" => (Tone::Bad, cancelled(&run.view)),
        None => (Tone::Warn, run.status().to_owned()),
    }
}

/// By whom, and why if they said so. The first cancellation is the one that stands.
fn cancelled(view: &RunView) -> String {
    let by = text::line(&view.cancelled_by);
    let why = match view.controls.first().and_then(|control| control.action.as_ref()) {
        Some(Action::Cancel(cancel)) if !cancel.reason.trim().is_empty() => {
            format!(": {}", text::line(cancel.reason.trim()))
        }
        Some(Action::Cancel(_)) | None => String::new(),
    };
    format!("cancelled by {by}{why}")
}

fn reasons(run: &Run) -> Vec<String> {
    let ended = run.state.as_ref().and_then(|state| state.outcome.as_ref());
    ended.map(|outcome| outcome.reasons.clone()).unwrap_or_default()
}

/// Everything that did not go straight: refused answers, failed checks, failed executions, and human words.
pub fn on_the_way(records: &[Record]) -> Vec<(Tone, String)> {
    let mut told = Vec::new();
    for record in records {
        match &record.payload {
            Payload::PlanProposal(x) => refused(&x.refused, &mut told),
            Payload::Candidate(x) => {
                refused(&x.refused, &mut told);
                for file in x.written.iter().filter(|file| file.repair) {
                    told.push((
                        Tone::Good,
                        format!("{} was repaired with answer {}", file.path, file.attempt),
                    ));
                }
            }
            Payload::Verdict(x) if !x.passed() => {
                for finding in x.findings() {
                    told.push((
                        Tone::Warn,
                        format!("check refused {}", text::line(&finding.to_string())),
                    ));
                }
                // Beside findings, that a later check had to wait for them is no news.
                let found = x.findings().next().is_some();
                let others = x
                    .checks
                    .iter()
                    .filter(|check| check.findings().is_empty())
                    .filter(|check| !(found && matches!(check.answer, CheckAnswer::NotRun { .. })))
                    .filter_map(line::unfinished);
                told.extend(others.map(|why| (Tone::Warn, format!("check {}", text::line(&why)))));
            }
            Payload::Execution(x) => {
                if let Judgement::Failed(class, reasons) = &x.judgement {
                    let why = text::line(&reasons.join("; "));
                    told.push((Tone::Warn, format!("execution {} failed ({class}): {why}", x.attempt)));
                }
            }
            Payload::StageFailure(x) => {
                refused(&x.refused, &mut told);
                let why = text::line(&x.message);
                told.push((
                    Tone::Warn,
                    format!("{} could not go on ({}): {why}", record.stage, x.failure),
                ));
            }
            Payload::Answer(x) if !(x.automatic && x.gate == Gate::Plan && x.decision == Decision::Approve) => {
                told.push(plain(line::line(record)));
            }
            Payload::Request(_)
            | Payload::Answer(_)
            | Payload::Verdict(_)
            | Payload::ExecutionStarted(_)
            | Payload::Outcome(_) => {}
        }
    }
    told
}

fn refused(answers: &[RefusedAnswer], told: &mut Vec<(Tone, String)>) {
    told.extend(answers.iter().map(|answer| (Tone::Warn, line::refusal(answer))));
}
