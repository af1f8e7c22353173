//! From the checks' answers to a verdict: what failed decides the class, and nothing passes that did not run.

use interlock_domain::FailureClass;
use interlock_domain::check::{CheckAnswer, CheckResult};

/// The class of the failure, or `None` for a pass; `import_class` is the class of a failed import.
pub fn failure(checks: &[CheckResult], import_class: Option<FailureClass>) -> Option<FailureClass> {
    let is_bad = |c: &&CheckResult| matches!(c.answer, CheckAnswer::Failed(_) | CheckAnswer::TimedOut { .. });
    let bad: Vec<&CheckResult> = checks.iter().filter(is_bad).collect();
    if bad.is_empty() {
        // What did not run although nothing failed is our fault, not the model's.
        let ran = !checks.is_empty() && checks.iter().all(CheckResult::passed);
        return (!ran).then_some(FailureClass::Harness);
    }
    if let Some(class) = import_class {
        return Some(class);
    }
    let all_contracts = bad.iter().all(|c| c.check.starts_with("contracts/"));
    Some(if all_contracts {
        FailureClass::Contract
    } else {
        FailureClass::Code
    })
}
