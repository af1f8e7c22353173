//! Verdicts and executions that claim more than they show (faults A7, D3, I1).

use crate::chain::Chain;
use crate::illegal::refused;
use crate::moves::{self, accepted, fail, pass, started};
use crate::samples::{digest, doubt, failed, finding, metric, observed, passed};
use crate::stations;
use interlock_domain::FailureClass;
use interlock_domain::check::{CheckAnswer, CheckResult};
use interlock_domain::criteria::{CriterionStatus, Evidence};
use interlock_domain::doubt::DoubtKind;
use interlock_domain::payload::{End, Execution, ExecutionStarted, Judgement, Payload, Verdict};
use interlock_domain::state::Phase;

#[test]
fn a_verdict_is_about_the_candidate_that_is_there() {
    for station in ["verifying 1", "verifying 2"] {
        let mut chain = stations::at(station);
        let good = pass(&chain.state);
        let other = Verdict {
            manifest: digest("other"),
            ..good.clone()
        };
        refused(&mut chain, Payload::Verdict(other), "another manifest");
        let level = Verdict {
            level: good.level + 1,
            ..good.clone()
        };
        refused(&mut chain, Payload::Verdict(level), "another level");
        // A part of the workspace is never passed off as the whole, nor the whole as a part.
        let complete = Verdict {
            complete: !good.complete,
            ..good.clone()
        };
        refused(&mut chain, Payload::Verdict(complete), "another level");
        chain.push(Payload::Verdict(good));
    }
}

#[test]
fn a_verdict_of_an_older_candidate_is_refused() {
    let mut chain = stations::at("verifying 1");
    let old = pass(&chain.state);
    chain.then(|s| Payload::Verdict(fail(s, FailureClass::Code, vec![finding("x", "src/data.py", 1)])));
    chain.then(|s| Payload::Candidate(moves::expected_candidate(s)));
    refused(&mut chain, Payload::Verdict(old), "another manifest");
}

#[test]
fn no_verdict_passes_without_checks_that_ran() {
    let mut chain = stations::at("verifying 2");
    let good = pass(&chain.state);
    let with = |answer: CheckAnswer| {
        let check = CheckResult {
            check: "preflight".to_owned(),
            version: 1,
            answer,
        };
        Verdict {
            checks: vec![passed("compile"), check],
            ..good.clone()
        }
    };
    let not_run = with(CheckAnswer::NotRun {
        reason: "no time".to_owned(),
    });
    let timed_out = with(CheckAnswer::TimedOut {
        reason: "30 s".to_owned(),
        findings: vec![],
    });
    let found = Verdict {
        checks: vec![failed("x", vec![finding("x", "x", 1)])],
        ..good.clone()
    };
    let nothing = Verdict { checks: vec![], ..good };
    for verdict in [not_run, timed_out, found, nothing] {
        assert!(!verdict.passed());
        refused(
            &mut chain,
            Payload::Verdict(verdict.clone()),
            "neither passes nor names a failure",
        );
        // With a class it is legal, and a failure.
        let class = Some(FailureClass::Harness);
        let mut chain = stations::at("verifying 2");
        chain.push(Payload::Verdict(Verdict {
            failure: class,
            ..verdict
        }));
        assert!(matches!(chain.phase(), Phase::Guidance { .. }));
    }
    // A failure stays one, whatever its checks say.
    let mut chain = stations::at("verifying 2");
    let contradicts = Verdict {
        failure: Some(FailureClass::Harness),
        ..pass(&chain.state)
    };
    chain.push(Payload::Verdict(contradicts));
    assert!(matches!(chain.phase(), Phase::Guidance { .. }));
}

#[test]
fn only_what_was_verified_is_started_and_each_start_has_its_number() {
    let mut chain = stations::at("ready");
    let good = started(&chain.state);
    let other = ExecutionStarted {
        manifest: digest("other"),
        ..good
    };
    refused(&mut chain, Payload::ExecutionStarted(other), "another manifest");
    for attempt in [0, 2, u32::MAX] {
        let other = ExecutionStarted { attempt, ..good };
        refused(&mut chain, Payload::ExecutionStarted(other), "another execution");
    }
    // No result without a start on record.
    let result = accepted(&chain.state);
    refused(&mut chain, Payload::Execution(result), "cannot come in this phase");
}

/// That an execution with a change made to it is refused.
fn refused_with(chain: &mut Chain, why: &str, change: impl FnOnce(&mut Execution)) {
    let mut execution = accepted(&chain.state);
    change(&mut execution);
    refused(chain, Payload::Execution(execution), why);
}

#[test]
fn a_result_is_about_what_was_verified_where_it_was_verified() {
    let mut chain = stations::at("running");
    refused_with(&mut chain, "another manifest", |e| e.manifest = digest("other"));
    refused_with(&mut chain, "another execution", |e| e.attempt = 0);
    refused_with(&mut chain, "another execution", |e| e.attempt = 2);
    refused_with(&mut chain, "another environment", |e| e.environment = digest("other"));
    // The same holds for a failure that was observed.
    refused_with(&mut chain, "another environment", |e| {
        e.environment = digest("other");
        e.judgement = Judgement::Failed(FailureClass::Code, vec![]);
    });
    // Where nothing was started there may be no environment to speak of.
    let mut execution = accepted(&chain.state);
    execution.environment = digest("none");
    execution.observed = None;
    execution.judgement = Judgement::Failed(FailureClass::Environment, vec![]);
    chain.push(Payload::Execution(execution));
}

#[test]
fn nothing_is_accepted_that_did_not_end_cleanly() {
    let mut chain = stations::at("running");
    let cleanly = "did not end cleanly";
    refused_with(&mut chain, "nothing was observed", |e| e.observed = None);
    let limit = || End::Limit("memory".to_owned());
    for end in [
        End::Exited(1),
        End::Exited(-1),
        End::Signaled(9),
        End::Signaled(0),
        limit(),
        End::Cancelled,
    ] {
        refused_with(&mut chain, cleanly, |e| e.observed = Some(observed(end)));
    }
    refused_with(&mut chain, cleanly, |e| e.observed.as_mut().unwrap().survivors = 1);
    refused_with(&mut chain, cleanly, |e| e.tampered.push("src/recorder.py".to_owned()));
}

#[test]
fn nothing_is_accepted_that_its_metrics_do_not_show() {
    let mut chain = stations::at("running");
    let not_met = "not every criterion is met";
    let metrics = |values: &[(f64, &str, Evidence)]| {
        let all = values
            .iter()
            .map(|(value, unit, evidence)| metric(*value, unit, *evidence));
        all.collect::<Vec<_>>()
    };
    for shown in [
        metrics(&[]),
        metrics(&[(f64::NAN, "fraction", Evidence::Scored)]),
        metrics(&[(f64::INFINITY, "fraction", Evidence::Scored)]),
        metrics(&[(0.89, "fraction", Evidence::Scored)]),
        metrics(&[(68.86, "percent", Evidence::Scored)]),
        metrics(&[(97.0, "points", Evidence::Scored)]),
        metrics(&[(0.97, "fraction", Evidence::Recorded)]),
        metrics(&[(0.97, "fraction", Evidence::Claimed)]),
        metrics(&[
            (0.97, "fraction", Evidence::Scored),
            (0.1, "fraction", Evidence::Scored),
        ]),
    ] {
        // What it says of the criteria is not believed, whether it is honest about them or not.
        let good = accepted(&chain.state);
        let honest: Vec<_> = chain
            .state
            .task()
            .unwrap()
            .criteria
            .iter()
            .map(|c| c.judge(&shown))
            .collect();
        assert_ne!(honest[0].status, CriterionStatus::Met);
        for criteria in [honest, good.criteria.clone(), vec![]] {
            refused_with(&mut chain, not_met, |e| {
                e.metrics = shown.clone();
                e.criteria = criteria;
            });
        }
    }
    // Nor what its own doubts leave open; one that bars nothing is no hindrance.
    for doubt in [
        doubt(DoubtKind::SplitsOverlap, &["test"], false),
        doubt(DoubtKind::Epochs, &[], true),
    ] {
        refused_with(&mut chain, not_met, |e| e.doubts.push(doubt));
    }
    let other = "not those that its metrics give";
    refused_with(&mut chain, other, |e| e.criteria.clear());
    refused_with(&mut chain, other, |e| e.criteria[0].reason.push('!'));
    refused_with(&mut chain, other, |e| e.criteria[0].status = CriterionStatus::Missed);
    refused_with(&mut chain, other, |e| e.criteria.push(e.criteria[0].clone()));
    // A stronger kind of evidence, other metrics beside it and what bars nothing are no hindrance.
    chain.then(|s| {
        let mut execution = accepted(s);
        execution.doubts.push(doubt(DoubtKind::ConfigNotUsed, &[], false));
        Payload::Execution(execution)
    });
}
