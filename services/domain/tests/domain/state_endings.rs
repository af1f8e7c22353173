//! How a run ends: accepted, refused, failed or cancelled, and never as something else.

use crate::chain::{Chain, next_control};
use crate::moves::{self, answer, automatic_task, broken, stage_failure};
use crate::samples::path;
use crate::stations;
use interlock_domain::payload::{Answer, Decision, Execution, OutcomeKind, Payload};
use interlock_domain::state::{Illegal, Phase, Status};
use interlock_domain::{FailureClass, Stage};

fn concluded(chain: &mut Chain) -> OutcomeKind {
    chain.then(|s| Payload::Outcome(moves::outcome(s)));
    assert_eq!(chain.phase(), &Phase::Finished);
    let Status::Ended(kind) = chain.state.status() else {
        panic!("{:?}", chain.state.status())
    };
    assert_eq!(format!("{:?}", chain.replayed()), format!("{:?}", chain.state));
    kind
}

#[test]
fn a_plan_that_is_rejected_ends_the_run() {
    let mut chain = stations::at("plan gate");
    chain.then(|s| Payload::Answer(answer(s, Decision::Reject)));
    let Phase::Concluding { reasons, .. } = chain.phase() else {
        panic!("{:?}", chain.phase())
    };
    assert!(
        reasons[0].contains("ada") && reasons[0].contains("as I say"),
        "{reasons:?}"
    );
    assert_eq!(concluded(&mut chain), OutcomeKind::Refused);
    assert_eq!(chain.state.manifest(), None);
}

#[test]
fn a_result_that_is_not_good_enough_is_refused() {
    let mut chain = stations::at("running");
    chain.then(|s| Payload::Execution(moves::poor(s)));
    assert_eq!(concluded(&mut chain), OutcomeKind::Refused);
    assert!(chain.state.outcome.unwrap().reasons[0].contains("less than"));
}

#[test]
fn a_run_that_a_human_gives_up_has_failed_by_its_class() {
    for class in FailureClass::ALL {
        let mut chain = stations::at("writing 1");
        chain.push(Payload::StageFailure(stage_failure(class, "src/data.py", 1)));
        chain.then(|s| Payload::Answer(answer(s, Decision::Reject)));
        assert_eq!(concluded(&mut chain), OutcomeKind::Failed(class));
    }
    let mut chain = stations::at("running");
    chain.then(|s| Payload::Execution(broken(s, FailureClass::Timeout)));
    chain.then(|s| Payload::Answer(answer(s, Decision::Reject)));
    assert_eq!(concluded(&mut chain), OutcomeKind::Failed(FailureClass::Timeout));
}

#[test]
fn a_policy_answers_only_what_the_task_lets_it() {
    let automatic = |chain: &Chain, decision| {
        Payload::Answer(Answer {
            automatic: true,
            by: "policy".to_owned(),
            ..answer(&chain.state, decision)
        })
    };
    let guidance = |task: &str| {
        let mut chain = stations::at_with(task, "writing 1");
        chain.push(Payload::StageFailure(stage_failure(
            FailureClass::Model,
            "src/data.py",
            1,
        )));
        chain
    };
    for decision in [Decision::Approve, Decision::Revise, Decision::Reject] {
        for (task, approves, stops) in [(moves::TASK.to_owned(), false, false), (automatic_task(), true, true)] {
            let mut chain = stations::at_with(&task, "plan gate");
            let allowed = approves && decision == Decision::Approve;
            assert_eq!(
                chain.attempt(automatic(&chain, decision)).is_ok(),
                allowed,
                "plan {decision:?}"
            );
            let mut chain = guidance(&task);
            let allowed = stops && decision == Decision::Reject;
            assert_eq!(
                chain.attempt(automatic(&chain, decision)).is_ok(),
                allowed,
                "guidance {decision:?}"
            );
        }
    }
    // A policy is no bar to a human.
    let mut chain = stations::at_with(&automatic_task(), "plan gate");
    chain.then(|s| Payload::Answer(answer(s, Decision::Revise)));
    let mut chain = guidance(&automatic_task());
    chain.then(|s| Payload::Answer(answer(s, Decision::Approve)));
}

#[test]
fn a_run_can_be_cancelled_wherever_it_stands() {
    let mut chains: Vec<(&str, Chain)> = stations::ALL.map(|station| (station, stations::at(station))).into();
    let mut guided = stations::at("verifying 1");
    guided.push(Payload::StageFailure(stage_failure(FailureClass::Harness, "x", 0)));
    chains.push(("guidance", guided));
    let mut repairing = stations::at("running");
    repairing.then(|s| Payload::Execution(broken(s, FailureClass::Code)));
    chains.push(("repairing", repairing));
    for (station, mut chain) in chains {
        let (phase, seq, gate) = (chain.phase().clone(), chain.state.seq, chain.state.gate());
        let before = chain.state.status();
        chain.cancel("ada");
        if station == "finished" {
            assert_eq!(chain.state.status(), before, "an outcome on record stands");
            assert!(!chain.state.is_cancelled());
        } else {
            assert_eq!(chain.state.status(), Status::Cancelled, "{station}");
            assert_eq!(chain.state.next_actor(), None, "{station}");
            assert!(chain.state.is_cancelled());
        }
        // The chain itself is left as it was: the lane never races with a stage.
        assert_eq!(
            (chain.phase(), chain.state.seq, chain.state.gate()),
            (&phase, seq, gate)
        );
        assert_eq!(format!("{:?}", chain.replayed()), format!("{:?}", chain.state));
    }
}

#[test]
fn the_first_cancellation_stands() {
    let mut chain = stations::at("running");
    chain.cancel("ada").cancel("grace");
    let cancel = chain.state.cancel.clone().unwrap();
    assert_eq!((cancel.k, chain.state.controls), (1, 2));
    // A lane counts as a chain does, and is one run's.
    let good = next_control(&chain.state, "eve");
    for k in [1, 2, 4, u64::MAX] {
        let mut control = good.clone();
        control.k = k;
        assert_eq!(chain.try_control(&control), Err(Illegal::Sequence { after: 2, got: k }));
    }
    let mut control = good;
    control.run = interlock_domain::RunId::from_parts(1, 1);
    assert_eq!(chain.try_control(&control), Err(Illegal::Run));
}

#[test]
fn a_record_that_was_under_way_does_not_undo_a_cancellation() {
    let mut chain = stations::at("writing 1");
    chain.cancel("ada");
    chain.then(|s| Payload::Candidate(moves::expected_candidate(s)));
    assert_eq!(chain.state.status(), Status::Cancelled);
    assert_eq!(
        (chain.state.next_actor(), chain.state.chain_actor()),
        (None, Some(Stage::Verifier))
    );
}

#[test]
fn an_outcome_has_to_be_the_one_that_the_chain_leads_to() {
    let mut accepted = stations::at("concluding");
    let mut refused = stations::at("running");
    refused.then(|s| Payload::Execution(moves::poor(s)));
    let kinds = FailureClass::ALL.map(OutcomeKind::Failed);
    for kind in [OutcomeKind::Accepted, OutcomeKind::Refused].into_iter().chain(kinds) {
        for (chain, right) in [
            (&mut accepted, OutcomeKind::Accepted),
            (&mut refused, OutcomeKind::Refused),
        ] {
            if kind != right {
                let outcome = interlock_domain::payload::Outcome {
                    kind,
                    ..moves::outcome(&chain.state)
                };
                assert_eq!(chain.attempt(Payload::Outcome(outcome)), Err(Illegal::Names("outcome")));
            }
        }
    }
    for manifest in [None, Some(crate::samples::digest("other"))] {
        let outcome = interlock_domain::payload::Outcome {
            manifest,
            ..moves::outcome(&accepted.state)
        };
        assert_eq!(
            accepted.attempt(Payload::Outcome(outcome)),
            Err(Illegal::Names("manifest"))
        );
    }
}

#[test]
fn nothing_comes_after_the_outcome() {
    let mut chain = stations::at("finished");
    for payload in moves::one_of_each_kind(&chain.state) {
        let record = chain.record(payload);
        for stage in Stage::ALL {
            let mut record = record.clone();
            record.stage = stage;
            assert_eq!(chain.try_record(&record), Err(Illegal::Stage(stage)));
        }
    }
    assert!(
        chain
            .state
            .execution
            .as_ref()
            .is_some_and(|e: &Execution| e.observed.is_some())
    );
    assert!(
        chain
            .state
            .manifest()
            .unwrap()
            .get(&path("src/experiment.py"))
            .is_some()
    );
}
