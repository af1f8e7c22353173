//! The ways that a run may go, with real keys and stored bytes.

use crate::chain::Chain;
use crate::moves::{self, answer, broken, candidate, expected_candidate, fail, pass, stage_failure, started};
use crate::samples::{failed, finding, path, refused_answer};
use crate::stations;
use interlock_domain::payload::{Candidate, Decision, Gate, Payload, Verdict};
use interlock_domain::state::{MAX_REVISIONS, Phase, SAME_FAULT_LIMIT, Status};
use interlock_domain::{FailureClass, Finding, Stage};

/// A verdict of these findings, and the repair that answers it.
fn fault(chain: &mut Chain, findings: Vec<Finding>) {
    chain.then(|s| Payload::Verdict(fail(s, FailureClass::Code, findings)));
}

fn repair(chain: &mut Chain) {
    chain.then(|s| Payload::Candidate(expected_candidate(s)));
}

#[test]
fn a_run_comes_to_its_acceptance() {
    let stages = [
        Stage::Gateway,
        Stage::Planner,
        Stage::Gateway,
        Stage::Generator,
        Stage::Verifier,
        Stage::Generator,
        Stage::Verifier,
        Stage::Executor,
        Stage::Executor,
        Stage::Gateway,
    ];
    for (station, stage) in stations::ALL.iter().zip(stages) {
        let chain = stations::at(station);
        assert_eq!(chain.state.chain_actor(), Some(stage), "{station}");
        assert_eq!(chain.state.next_actor(), Some(stage), "{station}");
        let status = match *station {
            "plan gate" => Status::Waiting(Gate::Plan),
            _ => Status::Active(stage),
        };
        assert_eq!(chain.state.status(), status, "{station}");
    }
    let chain = stations::at("finished");
    assert_eq!((chain.state.seq, chain.state.chain_actor()), (10, None));
    assert_eq!(chain.phase(), &Phase::Finished);
    assert_eq!(chain.state.repairs, 0);
    assert_eq!(chain.state.executions, 1);
    assert!(chain.state.outcome.is_some() && !chain.state.is_cancelled());
    assert_eq!(format!("{:?}", chain.replayed()), format!("{:?}", chain.state));
}

#[test]
fn what_is_found_is_mended_and_checked_again() {
    let mut chain = stations::at("verifying 1");
    let wrong = finding("imports/relative", "src/data.py", 1);
    fault(&mut chain, vec![wrong.clone()]);
    assert_eq!(chain.phase(), &Phase::Repairing { level: 1 });
    assert_eq!(chain.state.findings, [wrong]);
    assert_eq!((chain.state.repairs, chain.state.worst_repetition()), (1, 1));
    // The repair of one file leaves the others alone, and is checked like any other candidate.
    chain.then(|s| Payload::Candidate(candidate(s, &["src/model.py"])));
    assert_eq!(chain.phase(), &Phase::Verifying { level: 1 });
    chain.then(|s| Payload::Verdict(pass(s)));
    assert_eq!(chain.phase(), &Phase::Writing { level: 2 });
    assert!(chain.state.findings.is_empty());
    assert_eq!(chain.state.attempts[&path("src/model.py")], 2);
    assert_eq!(chain.state.attempts[&path("src/data.py")], 1);
}

#[test]
fn a_program_that_fails_by_its_code_is_mended_and_runs_again() {
    let mut chain = stations::at("running");
    chain.then(|s| Payload::Execution(broken(s, FailureClass::Code)));
    assert_eq!(chain.phase(), &Phase::Repairing { level: 2 });
    assert_eq!(chain.state.findings.len(), 1);
    // Any file of the workspace may be the one at fault.
    chain.then(|s| Payload::Candidate(candidate(s, &["src/data.py", "src/experiment.py"])));
    chain.then(|s| Payload::Verdict(pass(s)));
    chain.then(|s| Payload::ExecutionStarted(started(s)));
    assert_eq!(chain.state.executions, 2);
    chain.then(|s| Payload::Execution(moves::accepted(s)));
    chain.then(|s| Payload::Outcome(moves::outcome(s)));
    assert_eq!(chain.phase(), &Phase::Finished);
}

#[test]
fn a_plan_is_revised_so_often_and_not_more() {
    let mut chain = stations::at("plan gate");
    for revision in 1..=MAX_REVISIONS {
        chain.then(|s| Payload::Answer(answer(s, Decision::Revise)));
        assert_eq!(chain.phase(), &Phase::Planning);
        assert_eq!(
            (chain.state.revisions, chain.state.hint.as_str()),
            (revision, "as I say")
        );
        chain.then(|s| Payload::PlanProposal(moves::proposal(s)));
        assert_eq!(chain.state.plan_attempts, revision + 1);
    }
    let more = Payload::Answer(answer(&chain.state, Decision::Revise));
    assert!(chain.attempt(more).is_err());
    // Nor is it carried out unapproved: the gate is still shut.
    assert_eq!(chain.phase(), &Phase::PlanGate);
    assert_eq!(chain.state.status(), Status::Waiting(Gate::Plan));
    chain.then(|s| Payload::Answer(answer(s, Decision::Approve)));
    assert_eq!(chain.phase(), &Phase::Writing { level: 1 });
    assert_eq!(chain.state.hint, "", "feedback on a plan is no hint for its files");
}

#[test]
fn the_same_fault_three_times_goes_to_a_human() {
    let mut chain = stations::at("verifying 1");
    for time in 1..=SAME_FAULT_LIMIT {
        // The line moves with every edit, and so does the traceback; other faults come and go.
        let mut again = finding("imports/relative", "src/data.py", time);
        again.message.push_str(&format!("\n  at src/data.py:{time} in load"));
        let other = finding("exports", &format!("src/x{time}.py"), 1);
        fault(&mut chain, vec![again, other]);
        assert_eq!(chain.state.worst_repetition(), time);
        if time < SAME_FAULT_LIMIT {
            assert_eq!(chain.phase(), &Phase::Repairing { level: 1 }, "time {time}");
            repair(&mut chain);
        }
    }
    let Phase::Guidance {
        about, class, reasons, ..
    } = chain.phase()
    else {
        panic!("{:?}", chain.phase())
    };
    assert_eq!((Some(*about), *class), (chain.state.head, FailureClass::Code));
    assert!(reasons.iter().any(|r| r.contains("same fault")), "{reasons:?}");
    // A human's "try again" is a new beginning for the counts, and his words are the hint.
    chain.then(|s| Payload::Answer(answer(s, Decision::Approve)));
    assert_eq!(chain.phase(), &Phase::Repairing { level: 1 });
    assert_eq!((chain.state.repairs, chain.state.worst_repetition()), (0, 0));
    assert_eq!(chain.state.hint, "as I say");
    assert!(!chain.state.findings.is_empty());
}

#[test]
fn one_fault_in_many_lines_was_found_once() {
    let mut chain = stations::at("verifying 1");
    let lines = (1..=5).map(|line| finding("imports/relative", "src/data.py", line));
    let verdict = Verdict {
        checks: vec![
            failed("imports", lines.clone().collect()),
            failed("again", lines.collect()),
        ],
        ..fail(&chain.state, FailureClass::Code, vec![finding("x", "x", 1)])
    };
    chain.push(Payload::Verdict(verdict));
    assert_eq!(chain.phase(), &Phase::Repairing { level: 1 });
    assert_eq!(chain.state.worst_repetition(), 1);
}

#[test]
fn the_budget_of_repairs_is_spent_once() {
    let mut chain = stations::at("verifying 1");
    let budget = chain.state.task().unwrap().limits.repairs;
    for time in 0..budget {
        fault(&mut chain, vec![finding("exports", &format!("src/x{time}.py"), 1)]);
        assert_eq!(chain.phase(), &Phase::Repairing { level: 1 });
        repair(&mut chain);
    }
    fault(&mut chain, vec![finding("exports", "src/last.py", 1)]);
    let Phase::Guidance { reasons, .. } = chain.phase() else {
        panic!("{:?}", chain.phase())
    };
    assert!(reasons.iter().any(|r| r.contains("budget of 4 repairs")), "{reasons:?}");
    // Without a budget the first fault goes to the human.
    let mut chain = stations::at_with(&moves::TASK.replace("repairs = 4", "repairs = 0"), "verifying 1");
    fault(&mut chain, vec![finding("exports", "src/x.py", 1)]);
    assert!(matches!(chain.phase(), Phase::Guidance { .. }));
}

#[test]
fn what_the_model_cannot_mend_goes_to_a_human_at_once() {
    for class in FailureClass::ALL.into_iter().filter(|class| !class.repairable()) {
        let mut verdict = stations::at("verifying 2");
        verdict.then(|s| Payload::Verdict(fail(s, class, vec![finding("x", "src/data.py", 1)])));
        let mut run = stations::at("running");
        run.then(|s| Payload::Execution(broken(s, class)));
        for (chain, resume) in [(verdict, Phase::Verifying { level: 2 }), (run, Phase::Ready)] {
            let mut chain = chain;
            assert_eq!(chain.state.repairs, 0, "{class} spends no repair");
            assert_eq!(chain.state.status(), Status::Waiting(Gate::Guidance));
            let Phase::Guidance { class: named, .. } = chain.phase() else {
                panic!("{class}")
            };
            assert_eq!(*named, class);
            chain.then(|s| Payload::Answer(answer(s, Decision::Approve)));
            assert_eq!(chain.phase(), &resume, "{class}");
        }
    }
}

#[test]
fn a_stage_that_gave_up_goes_on_where_it_stood() {
    let stations = [
        "planning",
        "writing 1",
        "verifying 1",
        "writing 2",
        "verifying 2",
        "ready",
        "running",
    ];
    for station in stations {
        let mut chain = stations::at(station);
        let (mut phase, actor) = (chain.phase().clone(), chain.state.chain_actor());
        if phase == Phase::Running {
            // Its program is gone: a new one is started.
            phase = Phase::Ready;
        }
        chain.push(Payload::StageFailure(stage_failure(FailureClass::Model, "plan", 4)));
        assert_eq!(chain.state.status(), Status::Waiting(Gate::Guidance), "{station}");
        assert_eq!(chain.state.chain_actor(), Some(Stage::Gateway));
        chain.then(|s| Payload::Answer(answer(s, Decision::Approve)));
        assert_eq!((chain.phase(), chain.state.chain_actor()), (&phase, actor), "{station}");
    }
}

#[test]
fn answers_that_could_not_be_used_are_counted() {
    let mut chain = stations::at("planning");
    chain.push(Payload::StageFailure(stage_failure(FailureClass::Model, "plan", 4)));
    assert_eq!(chain.state.plan_attempts, 4);
    assert!(chain.state.attempts.is_empty());
    let mut chain = stations::at("writing 1");
    chain.push(Payload::StageFailure(stage_failure(
        FailureClass::Model,
        "src/data.py",
        4,
    )));
    assert_eq!(chain.state.attempts[&path("src/data.py")], 4);
    assert_eq!(chain.state.plan_attempts, 1);
    let mut chain = stations::at("writing 1");
    let refused = vec![refused_answer("src/data.py", 3), refused_answer("src/data.py", 2)];
    let candidate = Candidate {
        refused,
        ..expected_candidate(&chain.state)
    };
    chain.push(Payload::Candidate(candidate));
    assert_eq!(chain.state.attempts[&path("src/data.py")], 3);
}

#[test]
fn a_program_may_be_started_again_whose_executor_died() {
    let mut chain = stations::at("running");
    chain.then(|s| Payload::ExecutionStarted(started(s)));
    assert_eq!((chain.state.executions, chain.phase()), (2, &Phase::Running));
    let mut late = moves::accepted(&chain.state);
    late.attempt = 1;
    assert!(
        chain.attempt(Payload::Execution(late)).is_err(),
        "the first start is given up"
    );
    chain.then(|s| Payload::Execution(moves::accepted(s)));
}
