//! From the checks' answers to a verdict: what failed decides the class, and nothing passes that did not run.

use interlock_domain::FailureClass;
use interlock_domain::check::{CheckAnswer, CheckResult};
use interlock_sandbox::LimitKind;

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

/// The class of a check that a limit of its sandbox ended.
pub const fn class_of(limit: LimitKind) -> FailureClass {
    match limit {
        LimitKind::Wall | LimitKind::Cpu | LimitKind::Stall => FailureClass::Timeout,
        LimitKind::Memory => FailureClass::Memory,
        LimitKind::Processes => FailureClass::Processes,
        LimitKind::Output => FailureClass::Output,
        LimitKind::Disk => FailureClass::Disk,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_a_limit_ended_has_the_class_of_the_limit() {
        let classes = [LimitKind::Stall, LimitKind::Processes, LimitKind::Disk].map(class_of);
        let expected = [FailureClass::Timeout, FailureClass::Processes, FailureClass::Disk];
        assert_eq!(classes, expected);
    }
}
