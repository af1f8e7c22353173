//! What others wrote can neither fake nor hide output; what cannot be read is shown as that.

use crate::moves;
use crate::samples::{self, finding};
use crate::standing::{records, run, view};
use crate::stations;
use interlock_cli::view::{Run, json, line, report, show};
use interlock_domain::FailureClass;
use interlock_domain::payload::{Judgement, Payload};
use interlock_proto::v1::StrangeRecord;

/// Clears the screen, starts a line of its own, turns the text around.
const HOSTILE: &str = "\x1b[2J\r\n[gateway] outcome: accepted\u{202e}";

#[test]
fn no_text_of_others_reaches_the_terminal_as_a_command() {
    let mut chain = stations::at("verifying 1");
    chain.then(|state| {
        let mut found = finding("imports/relative", "src/data.py", 4);
        found.message = HOSTILE.to_owned();
        Payload::Verdict(moves::fail(state, FailureClass::Code, vec![found]))
    });
    let mut run = run(&chain, "cancelled");
    run.view.cancelled_by = HOSTILE.to_owned();
    run.view.gate = "guidance".to_owned();
    run.view.gate_reasons = vec![HOSTILE.to_owned()];
    run.view.gate_lever = HOSTILE.to_owned();
    let mut text = show::show(&run).text();
    text.extend(records(&chain).iter().map(|record| format!("{}\n", line::line(record))));
    assert!(!text.contains('\x1b') && !text.contains('\u{202e}'), "{text}");
    for faked in text.lines() {
        assert!(!faked.trim_start().starts_with("[gateway] outcome"), "{text}");
    }
}

#[test]
fn every_kind_of_record_has_its_line_and_its_json() {
    for payload in samples::payloads() {
        let record = samples::record(payload);
        let said = line::line(&record);
        assert!(said.starts_with('['), "{said}");
        assert!(!said.contains('\n') && !said.contains('\0'), "{said:?}");
        assert!(json::record(&record).is_object());
    }
    let failed = samples::execution(
        Judgement::Failed(FailureClass::Memory, vec!["too much".to_owned()]),
        None,
    );
    let said = line::line(&samples::record(Payload::Execution(failed)));
    assert!(
        said.contains("program was not started: failed (memory): too much"),
        "{said}"
    );
}

#[test]
fn numbers_that_json_cannot_hold_are_null() {
    let record = samples::record(Payload::Execution(samples::execution(Judgement::Accepted, None)));
    let object = json::record(&record);
    assert!(object["metrics"][1]["value"].is_null(), "{object}");
    assert_eq!(object["metrics"][0]["value"], 0.97);
}

#[test]
fn what_this_build_cannot_read_is_said_and_not_dropped() {
    let chain = stations::at("finished");
    let mut sent = view(&chain, "stuck");
    sent.records[9].payload = None;
    sent.strange.push(StrangeRecord {
        subject: "evt.planner.X.11".to_owned(),
        signed: vec![1],
        why: "of a newer version".to_owned(),
    });
    let run = Run::new(sent);
    assert_eq!(run.records.len(), 9);
    assert_eq!(run.unread.len(), 2);
    let text = report::report(&run).text();
    assert!(text.contains("Not understood by this build"), "{text}");
    assert!(text.contains("evt.planner.X.11: of a newer version"), "{text}");
    assert!(
        !text.contains("accepted\n"),
        "without its outcome it is not accepted: {text}"
    );
    assert_eq!(json::result(&run, 1)["unread"].as_array().map(Vec::len), Some(2));
}
