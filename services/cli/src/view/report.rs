//! The account of a run at its end: the outcome and what it rests on, or why there is none.

use super::page::{Page, plain};
use super::{Run, cause, evidence, line, text};
use crate::console::Tone;
use interlock_domain::payload::{Decision, Gate, Judgement, Payload, RefusedAnswer};
use interlock_domain::{CheckAnswer, Record};

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

/// Run, task, how it stands, and what it would take to go on.
fn headline(run: &Run, page: &mut Page) {
    let (tone, how) = cause::sentence(run);
    page.toned(tone, format!("Run {} ({}): {how}", run.id(), text::line(run.task())));
    let others = reasons(run);
    for reason in others.iter().filter(|_| others.len() > 1) {
        page.toned(tone, format!("  {}", text::line(reason)));
    }
    for what in cause::needed(run) {
        page.line(format!("  needed: {}", text::line(&what)));
    }
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
