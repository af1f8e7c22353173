//! From the checks' answers to a verdict: what failed decides the class, and nothing passes that did not run.

use interlock_domain::FailureClass;
use interlock_domain::check::{CheckAnswer, CheckResult};

/// The class of the failure, or `None` for a pass; `class` is that of an import or a test that did not pass.
pub fn failure(checks: &[CheckResult], class: Option<FailureClass>) -> Option<FailureClass> {
    let is_bad = |c: &&CheckResult| matches!(c.answer, CheckAnswer::Failed(_) | CheckAnswer::TimedOut { .. });
    let bad: Vec<&CheckResult> = checks.iter().filter(is_bad).collect();
    if bad.is_empty() {
        // What did not run although nothing failed is never the model's fault: ours, where nobody says whose.
        let ran = !checks.is_empty() && checks.iter().all(CheckResult::passed);
        return (!ran).then_some(class.unwrap_or(FailureClass::Harness));
    }
    if class.is_some() {
        return class;
    }
    let all_contracts = bad.iter().all(|c| c.check.starts_with("contracts/"));
    Some(if all_contracts {
        FailureClass::Contract
    } else {
        FailureClass::Code
    })
}
