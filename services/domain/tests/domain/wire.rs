//! Messages that this build would never write: a zero is never a success, and what is newer is unknown.

use crate::samples::{control, payloads, record};
use interlock_domain::codec::{
    DecodeError, decode_control, decode_record, encode_control, encode_record, from_wire, to_wire,
};
use interlock_domain::payload::Payload;
use interlock_proto::v1 as wire;
use interlock_proto::v1::record::Payload as P;
use prost::Message as _;

/// The first sample of a kind, as the wire type.
fn sample(kind: &str) -> wire::Record {
    let payload = payloads().into_iter().find(|p| p.name() == kind).expect(kind);
    to_wire(&record(payload))
}

/// That a sample with `change` made to it is refused, naming `field`.
fn refused(kind: &str, field: &str, change: impl FnOnce(&mut wire::Record)) {
    let mut raw = sample(kind);
    assert!(from_wire(raw.clone()).is_ok(), "{kind}");
    change(&mut raw);
    for outcome in [from_wire(raw.clone()), decode_record(&raw.encode_to_vec())] {
        match outcome {
            Err(DecodeError::Field { field: named, .. }) => assert_eq!(named, field, "{kind}"),
            other => panic!("{kind} {field}: {other:?}"),
        }
    }
}

macro_rules! change {
    ($kind:literal, $variant:ident, $field:literal, |$x:ident| $change:expr) => {
        refused($kind, $field, |raw| {
            let Some(P::$variant($x)) = &mut raw.payload else {
                panic!("another kind")
            };
            $change
        });
    };
}

#[test]
fn a_word_that_is_not_said_is_refused() {
    refused("request", "stage", |raw| raw.stage = 0);
    refused("request", "stage", |raw| raw.stage = 6);
    refused("request", "seq", |raw| raw.seq = 0);
    refused("request", "run_id", |raw| raw.run_id = String::new());
    refused("request", "run_id", |raw| raw.run_id = raw.run_id.to_lowercase());
    refused("request", "parent", |raw| raw.parent = vec![1; 31]);
    change!("answer", Answer, "decision", |x| x.decision = 0);
    change!("answer", Answer, "decision", |x| x.decision = 4);
    change!("answer", Answer, "decision", |x| x.decision = -1);
    change!("answer", Answer, "gate", |x| x.gate = 0);
    change!("answer", Answer, "about", |x| x.about.clear());
    change!("execution", Execution, "execution.judgement", |x| x.judgement = 0);
    change!("execution", Execution, "execution.judgement", |x| x.judgement = 9);
    change!("stage-failure", StageFailure, "failure", |x| x.failure = 0);
    change!("stage-failure", StageFailure, "failure", |x| x.failure = 99);
    change!("outcome", Outcome, "outcome.kind", |x| x.kind = 0);
    change!("verdict", Verdict, "verdict.failure", |x| x.failure = 99);
    change!("candidate", Candidate, "manifest.owner", |x| x
        .manifest
        .as_mut()
        .unwrap()
        .entries[0]
        .owner = 0);
    change!("candidate", Candidate, "dependency.form", |x| x.written[0]
        .dependencies[0]
        .form = 0);
    change!("execution", Execution, "metric.evidence", |x| x.metrics[0].evidence = 0);
    change!("execution", Execution, "observed.end", |x| x
        .observed
        .as_mut()
        .unwrap()
        .end = 0);
    change!("execution", Execution, "blob.writer", |x| x.artifacts[0]
        .blob
        .as_mut()
        .unwrap()
        .writer = 0);
}

#[test]
fn what_contradicts_itself_is_refused() {
    // Accepted, and of a class of failure; failed, and of none.
    change!("execution", Execution, "execution.judgement", |x| x.failure =
        wire::FailureClass::Code as i32);
    change!("execution", Execution, "execution.judgement", |x| x.judgement =
        wire::Judgement::Failed as i32);
    change!("outcome", Outcome, "outcome.kind", |x| x.failure =
        wire::FailureClass::Code as i32);
    change!("outcome", Outcome, "outcome.kind", |x| x.kind =
        wire::OutcomeKind::Failed as i32);
    change!("verdict", Verdict, "check.ran", |x| x.checks[0].ran.clear());
    change!("verdict", Verdict, "check.ran", |x| x.checks[0].ran = " ".to_owned());
    change!("verdict", Verdict, "check.status", |x| x.checks[0].status = 4);
    change!("verdict", Verdict, "check.findings", |x| x.checks[0].findings =
        x.checks[1].findings.clone());
    change!("verdict", Verdict, "check.findings", |x| x.checks[1].findings.clear());
}

#[test]
fn a_check_whose_status_is_not_said_did_not_run() {
    let mut raw = sample("verdict");
    let Some(P::Verdict(x)) = &mut raw.payload else {
        panic!("another kind")
    };
    x.checks.truncate(1);
    x.failure = 0;
    x.checks[0] = wire::CheckResult {
        check: "compile".to_owned(),
        version: 1,
        ..Default::default()
    };
    let read = decode_record(&raw.encode_to_vec()).unwrap();
    let Payload::Verdict(verdict) = read.payload else {
        panic!("another kind")
    };
    assert!(!verdict.checks[0].passed() && !verdict.passed());
}

#[test]
fn what_is_missing_or_malformed_is_refused() {
    change!("plan", PlanProposal, "plan", |x| x.plan = None);
    change!("plan", PlanProposal, "plan", |x| x.plan.as_mut().unwrap().files.clear());
    change!("plan", PlanProposal, "call", |x| x.call = None);
    change!("plan", PlanProposal, "path", |x| x.plan.as_mut().unwrap().files[0]
        .path = "../x".to_owned());
    change!("plan", PlanProposal, "depends_on", |x| x.plan.as_mut().unwrap().files
        [1]
    .depends_on =
        vec!["/x".to_owned()]);
    change!("plan", PlanProposal, "export.kind", |x| x
        .plan
        .as_mut()
        .unwrap()
        .files[1]
        .exports[0]
        .kind = "stage".to_owned());
    change!("candidate", Candidate, "manifest", |x| x.manifest = None);
    change!("candidate", Candidate, "manifest.path", |x| x
        .manifest
        .as_mut()
        .unwrap()
        .entries[0]
        .path =
        "src/a\0".to_owned());
    change!("candidate", Candidate, "written.path", |x| x.written[0].path =
        ".git/hooks/x".to_owned());
    change!("candidate", Candidate, "manifest", |x| {
        let twice = x.manifest.as_ref().unwrap().entries[0].clone();
        x.manifest.as_mut().unwrap().entries.push(twice);
    });
    change!("execution", Execution, "execution.manifest", |x| x.manifest.clear());
    change!("execution", Execution, "finding.at", |x| x.findings[0].at = None);
    change!("request", Request, "harness", |x| x.harness.clear());
    change!("request", Request, "truth", |x| x
        .truth
        .as_mut()
        .unwrap()
        .blob
        .as_mut()
        .unwrap()
        .sealed = false);
}

#[test]
fn a_blob_that_is_cut_otherwise_is_refused() {
    fn change_blob(change: fn(&mut wire::BlobRef)) {
        change!("request", Request, "blob", |x| change(
            x.inputs[0].blob.as_mut().unwrap()
        ));
    }
    change_blob(|blob| blob.chunks += 1);
    change_blob(|blob| blob.chunks = 0);
    change_blob(|blob| blob.size = 1);
    change_blob(|blob| blob.size = u64::MAX);
    // So large that its count of chunks would wrap around to this one.
    change_blob(|blob| {
        blob.size = (1 << 50) + 1;
        blob.chunks = 1;
    });
    change!("request", Request, "blob", |x| x.inputs[0].blob = None);
    change!("request", Request, "blob.digest", |x| x.inputs[0]
        .blob
        .as_mut()
        .unwrap()
        .digest
        .truncate(31));
}

#[test]
fn what_is_newer_is_unknown_and_not_something_else() {
    for version in [0, 2, u32::MAX] {
        let mut raw = sample("outcome");
        raw.version = version;
        assert_eq!(from_wire(raw.clone()), Err(DecodeError::Unknown(version)));
        assert_eq!(decode_record(&raw.encode_to_vec()), Err(DecodeError::Unknown(version)));
    }
    let mut raw = sample("outcome");
    raw.payload = None;
    assert_eq!(decode_record(&raw.encode_to_vec()), Err(DecodeError::Unknown(1)));
    // A payload of a number that this build does not know: field 19 of 3 bytes.
    let mut body = raw.encode_to_vec();
    body.extend_from_slice(&[0x9a, 0x01, 3, 8, 1, 0]);
    assert_eq!(decode_record(&body), Err(DecodeError::Unknown(1)));
    // A newer control.
    let mut raw = wire::Control::decode(encode_control(&control(1)).as_slice()).unwrap();
    raw.action = None;
    assert_eq!(decode_control(&raw.encode_to_vec()), Err(DecodeError::Unknown(1)));
    raw.version = 2;
    assert_eq!(decode_control(&raw.encode_to_vec()), Err(DecodeError::Unknown(2)));
}

#[test]
fn a_field_that_would_be_lost_is_not_passed_over() {
    let unknown: [&[u8]; 2] = [&[0xa0, 0x06, 1], &[0xa2, 0x06, 1, 0]];
    for extra in unknown {
        for payload in payloads() {
            let mut body = encode_record(&record(payload));
            body.extend_from_slice(extra);
            assert_eq!(decode_record(&body), Err(DecodeError::Unknown(1)));
        }
        let mut body = encode_control(&control(1));
        body.extend_from_slice(extra);
        assert_eq!(decode_control(&body), Err(DecodeError::Unknown(1)));
    }
    // Nor are findings of a check that says it did not run.
    let mut raw = sample("verdict");
    let Some(P::Verdict(x)) = &mut raw.payload else {
        panic!("another kind")
    };
    x.checks[1].status = wire::CheckStatus::NotRun as i32;
    assert_eq!(decode_record(&raw.encode_to_vec()), Err(DecodeError::Unknown(1)));
}
