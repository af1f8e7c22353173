//! An open gate: what it is about, why it is open, and how it is answered.

use super::page::{Page, plain};
use super::{Run, show, text};
use crate::console::Tone;
use interlock_proto::v1::Decision;

/// Whether a human has to answer now.
pub fn is_open(run: &Run) -> bool {
    !run.view.gate.is_empty()
}

/// What a human has to know to answer, as a page of its own.
pub fn question(run: &Run) -> Page {
    let mut page = Page::default();
    if run.view.gate == "plan"
        && let Some((plan, _)) = run.state.as_ref().and_then(|state| state.plan.as_ref())
    {
        page.section("The plan", show::plan_lines(plan));
    }
    section(run, &mut page);
    page
}

/// The gate as a section of a larger page; nothing where none is open.
pub fn section(run: &Run, page: &mut Page) {
    if !is_open(run) {
        return;
    }
    let view = &run.view;
    let mut lines: Vec<_> = view
        .gate_reasons
        .iter()
        .map(|why| (Tone::Warn, text::line(why)))
        .collect();
    if !view.gate_lever.is_empty() {
        lines.push(plain(format!("what may help: {}", text::line(&view.gate_lever))));
    }
    let id = run.id();
    for decision in decisions(run) {
        let (command, meaning) = match (view.gate.as_str(), decision) {
            ("plan", Decision::Approve) => ("approve", "carry this plan out"),
            ("plan", Decision::Revise) => ("revise", "have it changed, as --text says"),
            ("plan", Decision::Reject) => ("reject", "end the run"),
            (_, Decision::Approve) => ("approve", "try again, with --text as a hint"),
            (_, Decision::Revise) => ("revise", "have it changed, as --text says"),
            (_, Decision::Reject) => ("reject", "end the run as failed"),
            (_, Decision::Unspecified) => continue,
        };
        let text = if decision == Decision::Revise {
            " --text '…'"
        } else {
            ""
        };
        lines.push(plain(format!("interlock {command} {id}{text}   {meaning}")));
    }
    page.section(&format!("The {} gate is open; a human has to answer", view.gate), lines);
}

/// The answers that are possible now.
pub fn decisions(run: &Run) -> Vec<Decision> {
    let possible = run.view.gate_decisions.iter();
    possible
        .filter_map(|decision| Decision::try_from(*decision).ok())
        .collect()
}
