//! What a run looks like to people and to programs, station by station.

use crate::chain::Chain;
use crate::moves::{self, TASK};
use crate::samples::{doubt, finding, refused_answer};
use crate::standing::{records, run};
use crate::stations;
use interlock_cli::commands::standing;
use interlock_cli::exit::Exit;
use interlock_cli::view::{Run, cause, gate, json, line, report, show, status};
use interlock_domain::FailureClass;
use interlock_domain::doubt::DoubtKind;
use interlock_domain::payload::{Decision as Decided, Execution, Payload, PlanProposal};
use interlock_proto::v1::control::Action;
use interlock_proto::v1::{Cancel, Control, Decision};

/// A run that was planned twice, repaired once, and accepted.
fn mended() -> Chain {
    let mut chain = Chain::new();
    chain
        .push(moves::request(TASK))
        .then(|state| {
            Payload::PlanProposal(PlanProposal {
                attempt: 2,
                refused: vec![refused_answer("plan", 1)],
                ..moves::proposal(state)
            })
        })
        .then(|state| Payload::Answer(moves::answer(state, Decided::Approve)))
        .then(|state| Payload::Candidate(moves::expected_candidate(state)))
        .then(|state| {
            let found = vec![finding("imports/relative", "src/data.py", 4)];
            Payload::Verdict(moves::fail(state, FailureClass::Code, found))
        })
        .then(|state| Payload::Candidate(moves::expected_candidate(state)))
        .then(|state| Payload::Verdict(moves::pass(state)))
        .then(|state| Payload::Candidate(moves::expected_candidate(state)))
        .then(|state| Payload::Verdict(moves::pass(state)))
        .then(|state| Payload::ExecutionStarted(moves::started(state)))
        .then(|state| Payload::Execution(moves::accepted(state)))
        .then(|state| Payload::Outcome(moves::outcome(state)));
    chain
}

fn lines(chain: &Chain) -> Vec<String> {
    records(chain).iter().map(line::line).collect()
}

#[test]
fn a_line_for_each_record_says_what_happened() {
    let lines = lines(&mended());
    let told = [
        "[gateway] task submitted by ada: 2 inputs, sealed truth",
        "[planner] plan: 3 files in 2 levels, answer 2; plan answer 1 refused: plan:",
        "[gateway] plan approved by ada: as I say",
        "[generator] level 1: wrote src/data.py, src/model.py",
        "[verifier] level 1: failed (code): src/data.py:4",
        "[generator] level 1: repaired src/data.py",
        "[verifier] level 1: passed 2 checks in 5 ms",
        "[generator] level 2: wrote src/experiment.py",
        "[verifier] workspace: passed 2 checks in 5 ms",
        "[executor] program started (execution 1)",
        "[executor] program: exit 0 after 1.0 s, 8192 MiB at most, no survivors: every criterion is met",
        "[gateway] outcome: accepted",
    ];
    assert_eq!(lines.len(), told.len());
    for (line, told) in lines.iter().zip(told) {
        assert!(line.starts_with(told), "{line}\nis not\n{told}");
    }
}

#[test]
fn the_account_has_the_outcome_its_evidence_and_what_went_wrong_on_the_way() {
    let text = report::report(&run(&mended(), "accepted")).text();
    for told in [
        "(small): accepted",
        "met         test accuracy",
        "scored      test accuracy = 0.97 fraction",
        "exit 0 after 1.0 s",
        "Testimony (what the program says of itself; it proves nothing)",
        "On the way (4)",
        "plan answer 1 refused",
        "check refused src/data.py:4",
        "src/data.py was repaired with answer 2",
    ] {
        assert!(text.contains(told), "{told}\nis not in\n{text}");
    }
}

#[test]
fn every_station_can_be_shown() {
    for station in stations::ALL {
        let run = run(&stations::at(station), "active");
        let text = show::show(&run).text();
        assert!(text.contains("(small): "), "{station}: {text}");
        assert!(!status::status(&run).is_empty());
        assert_eq!(run.unread, Vec::<String>::new());
    }
    let text = show::show(&run(&mended(), "accepted")).text();
    for told in [
        "level 2  src/experiment.py: ",
        "needs src/data.py, src/model.py",
        "model-1 (answer 2, a repair)",
        "src/recorder.py",
        "harness",
        "passed     compile v3: 2 files",
        "Checks of the last candidate (whole workspace, Python 3.11.7, tier namespaces)",
        "stdout.log  5 B",
        " 12  [gateway] outcome: accepted",
    ] {
        assert!(text.contains(told), "{told}\nis not in\n{text}");
    }
}

#[test]
fn a_refused_run_is_told_as_one() {
    let mut chain = stations::at("running");
    chain
        .then(|state| {
            Payload::Execution(Execution {
                doubts: vec![doubt(DoubtKind::ConfigDiffers, &[], false)],
                ..moves::poor(state)
            })
        })
        .then(|state| Payload::Outcome(moves::outcome(state)));
    let run = run(&chain, "refused");
    let text = report::report(&run).text();
    assert!(
        text.contains("Speaks against the numbers\n  evidence/config-differs: "),
        "{text}"
    );
    assert!(text.contains("(small): refused"), "{text}");
    assert!(text.contains("missed      test accuracy"), "{text}");
    assert!(text.contains("accuracy 0.5 is less than 0.9"), "{text}");
    let result = json::result(&run, standing(&run).code());
    assert_eq!(
        (result["status"].as_str(), result["exit"].as_u64()),
        (Some("refused"), Some(1))
    );
    assert_eq!(result["criteria"][0]["answer"], "missed");
    assert_eq!(result["metrics"][0]["evidence"], "scored");
}

#[test]
fn a_cancelled_run_says_by_whom_and_why() {
    let mut chain = stations::at("plan gate");
    chain.cancel("grace");
    let mut run = run(&chain, "cancelled");
    run.view.cancelled_by = "grace".to_owned();
    assert_eq!(cause::sentence(&run).1, "cancelled by grace");
    run.view.controls = vec![Control {
        action: Some(Action::Cancel(Cancel {
            by: "grace".to_owned(),
            reason: "enough".to_owned(),
        })),
        ..Control::default()
    }];
    assert_eq!(cause::sentence(&run).1, "cancelled by grace: enough");
}

#[test]
fn an_open_gate_says_what_it_is_about_and_how_it_is_answered() {
    let at_gate = stations::at("plan gate");
    let asked = |decisions: &[Decision]| {
        let mut run = run(&at_gate, "waiting");
        run.view.gate = "plan".to_owned();
        run.view.gate_decisions = decisions.iter().map(|d| i32::from(*d)).collect();
        run
    };
    let all = [Decision::Approve, Decision::Revise, Decision::Reject];
    let waiting = asked(&all);
    assert!(gate::is_open(&waiting));
    let text = gate::question(&waiting).text();
    let id = waiting.id();
    for told in [
        "level 1  src/data.py".to_owned(),
        format!("interlock approve {id}"),
        format!("interlock revise {id} --text '…'"),
        format!("interlock reject {id}"),
    ] {
        assert!(text.contains(&told), "{told}\nis not in\n{text}");
    }
    let last = gate::question(&asked(&[Decision::Approve, Decision::Reject])).text();
    assert!(!last.contains("interlock revise"), "no revision is left: {last}");
    assert_eq!(standing(&waiting), Exit::Waiting);
    assert!(!gate::is_open(&run(&at_gate, "active")));
}

#[test]
fn how_a_run_stands_is_an_exit_code() {
    let chain = stations::at("finished");
    for (status, exit, code) in [
        ("accepted", Exit::Done, 0),
        ("refused", Exit::NotAccepted, 1),
        ("failed", Exit::NotAccepted, 1),
        ("cancelled", Exit::NotAccepted, 1),
        ("stuck", Exit::NotAccepted, 1),
    ] {
        let run = run(&chain, status);
        assert_eq!(standing(&run), exit, "{status}");
        assert_eq!(exit.code(), code);
        assert!(run.ended(), "{status}");
    }
    assert_eq!((Exit::Setup.code(), Exit::Waiting.code()), (2, 3));
    assert!(!run(&chain, "active").ended());
}

#[test]
fn programs_get_one_object_for_each_record() {
    let chain = mended();
    for record in records(&chain) {
        let object = json::record(&record);
        for field in ["seq", "kind", "stage", "time_unix_ms", "said"] {
            assert!(object.get(field).is_some(), "{field}: {object}");
        }
        assert!(!object.to_string().contains('\n'));
        assert_eq!(object["kind"], record.payload.name());
    }
    let run: Run = run(&chain, "accepted");
    let result = json::result(&run, 0);
    assert_eq!((&result["kind"], &result["records"]), (&"result".into(), &12.into()));
    assert_eq!(result["on_the_way"].as_array().map(Vec::len), Some(4));
}

#[test]
fn open_findings_are_shown_with_their_lines() {
    let mut run = run(&mended(), "active");
    run.state.as_mut().unwrap().findings = vec![finding("contracts/call", "src/data.py", 2)];
    let before = show::show(&run).text();
    run.sources
        .insert("src/data.py".to_owned(), "first\nsecond = 0\n".to_owned());
    let after = show::show(&run).text();
    let line = "    2 | second = 0\n        |   ^\n";
    assert!(!before.contains("second = 0") && after.contains(line), "{after}");
}
