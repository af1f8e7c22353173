//! Every rule proves itself on a workspace that is known to be right and on one that is known to be wrong.
//! A rule without a canary has proved nothing, and counts as one that failed.

use crate::finding::Status;
use crate::rules::{Declared, check_rule, rule_ids};
use crate::workspace::Workspace;
use std::collections::{BTreeMap, BTreeSet};

type Files = &'static [(&'static str, &'static str)];

const GOOD: Files = &[
    ("src/config.py", include_str!("../canaries/good/config.py")),
    ("src/model.py", include_str!("../canaries/good/model.py")),
];

/// What is added to the right workspace to make it wrong, for each rule.
const BAD: &[(&str, Files)] = &[
    (
        "imports/relative",
        &[("src/bad.py", include_str!("../canaries/bad/relative.py"))],
    ),
    (
        "imports/src-prefix",
        &[("src/bad.py", include_str!("../canaries/bad/src_prefix.py"))],
    ),
    (
        "imports/missing-module",
        &[("src/bad.py", include_str!("../canaries/bad/missing_module.py"))],
    ),
    (
        "imports/undefined-name",
        &[("src/bad.py", include_str!("../canaries/bad/undefined_name.py"))],
    ),
    (
        "imports/unbound-name",
        &[("src/bad.py", include_str!("../canaries/bad/unbound_name.py"))],
    ),
    (
        "imports/shadow",
        &[("src/json.py", include_str!("../canaries/bad/shadow.py"))],
    ),
    (
        "imports/cycle",
        &[
            ("src/cycle_a.py", include_str!("../canaries/bad/cycle_a.py")),
            ("src/cycle_b.py", include_str!("../canaries/bad/cycle_b.py")),
        ],
    ),
    (
        "contracts/exports",
        &[("src/bad.py", include_str!("../canaries/bad/exports.py"))],
    ),
    (
        "contracts/call",
        &[("src/bad.py", include_str!("../canaries/bad/call.py"))],
    ),
    (
        "contracts/attribute",
        &[("src/bad.py", include_str!("../canaries/bad/attribute.py"))],
    ),
    (
        "substance/stub",
        &[("src/bad.py", include_str!("../canaries/bad/stub.py"))],
    ),
    (
        "substance/empty",
        &[("src/bad.py", include_str!("../canaries/bad/empty.py"))],
    ),
    (
        "substance/truncated",
        &[("src/bad.py", include_str!("../canaries/bad/truncated.py"))],
    ),
    (
        "substance/result-file",
        &[("src/bad.py", include_str!("../canaries/bad/result_file.py"))],
    ),
    (
        "substance/secret",
        &[("src/bad.py", include_str!("../canaries/bad/secret.py"))],
    ),
];

/// A rule that did not prove itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanaryFailure {
    /// It has no canary.
    #[error("{0} has no canary")]
    Missing(&'static str),
    /// It did not pass what is right.
    #[error("{rule} does not pass what is right: {said}")]
    RefusedTheGood {
        /// The rule.
        rule: &'static str,
        /// Its answer.
        said: String,
    },
    /// It passed what is wrong.
    #[error("{rule} passes what is wrong: {said}")]
    PassedTheBad {
        /// The rule.
        rule: &'static str,
        /// Its answer.
        said: String,
    },
}

/// Runs every rule on its canaries.
///
/// # Errors
/// Every rule that did not answer as it has to; whoever gets one must not judge anything by the rules.
pub fn canaries() -> Result<(), Vec<CanaryFailure>> {
    prove(BAD)
}

fn prove(bad: &[(&str, Files)]) -> Result<(), Vec<CanaryFailure>> {
    let failures: Vec<CanaryFailure> = rule_ids().filter_map(|rule| prove_rule(rule, bad)).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

fn prove_rule(rule: &'static str, bad: &[(&str, Files)]) -> Option<CanaryFailure> {
    let Some((_, added)) = bad.iter().find(|(id, _)| *id == rule) else {
        return Some(CanaryFailure::Missing(rule));
    };
    match answer(rule, &[]) {
        Some(Status::Passed { .. }) => {}
        other => {
            return Some(CanaryFailure::RefusedTheGood {
                rule,
                said: format!("{other:?}"),
            });
        }
    }
    match answer(rule, added) {
        Some(Status::Failed { .. }) => None,
        other => Some(CanaryFailure::PassedTheBad {
            rule,
            said: format!("{other:?}"),
        }),
    }
}

fn answer(rule: &str, added: Files) -> Option<Status> {
    let all = GOOD.iter().chain(added);
    let files: BTreeMap<String, String> = all
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    let targets: Vec<String> = files.keys().cloned().collect();
    let standard = BTreeSet::from(["dataclasses".to_owned(), "json".to_owned()]);
    let promised = |path: &str, name: &str| {
        files
            .contains_key(path)
            .then(|| (path.to_owned(), vec![name.to_owned()]))
    };
    let exports = [promised("src/config.py", "load"), promised("src/bad.py", "VALUE")]
        .into_iter()
        .flatten();
    let declared = Declared {
        exports: exports.collect(),
        unplanned: false,
    };
    let workspace = Workspace::new(files, "src", BTreeSet::new(), standard);
    check_rule(rule, &workspace, &declared, &targets).map(|report| report.status)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_proves_itself() {
        assert_eq!(canaries(), Ok(()));
        assert_eq!(BAD.len(), rule_ids().count(), "a canary without a rule");
    }

    #[test]
    fn a_rule_that_sees_nothing_or_has_no_canary_is_found_out() {
        let harmless: Vec<(&str, Files)> = rule_ids().map(|rule| (rule, &[] as Files)).collect();
        let failures = prove(&harmless).unwrap_err();
        assert_eq!(failures.len(), harmless.len());
        assert!(
            failures
                .iter()
                .all(|failure| matches!(failure, CanaryFailure::PassedTheBad { .. }))
        );
        assert_eq!(prove(&[]).unwrap_err().len(), harmless.len());
    }
}
