//! What is written can be read, and nothing else can.

use crate::samples::{self, control, digest, metric, payloads, record, request};
use interlock_domain::blob::{CHUNK_BYTES, MAX_BLOB_BYTES};
use interlock_domain::check::{CheckAnswer, CheckError, Findings, Ran};
use interlock_domain::codec::{DecodeError, decode_control, decode_record, encode_control, encode_record};
use interlock_domain::criteria::Evidence;
use interlock_domain::payload::{Answer, Decision, End, Gate, Judgement, Payload};
use interlock_domain::{Record, Stage};
use proptest::prelude::*;

#[test]
fn every_kind_of_record_survives_the_way_there_and_back() {
    for payload in payloads() {
        let record = record(payload);
        let body = encode_record(&record);
        assert_eq!(decode_record(&body).as_ref(), Ok(&record));
        assert_eq!(encode_record(&record), body, "one value has one body");
    }
    let first = Record {
        seq: 1,
        parent: None,
        ..record(Payload::Request(request()))
    };
    assert_eq!(decode_record(&encode_record(&first)), Ok(first));
    assert_eq!(decode_control(&encode_control(&control(3))), Ok(control(3)));
}

#[test]
fn no_two_values_have_one_body() {
    let bodies: std::collections::BTreeSet<Vec<u8>> =
        payloads().into_iter().map(|p| encode_record(&record(p))).collect();
    assert_eq!(bodies.len(), payloads().len());
}

#[test]
fn a_number_that_is_none_survives_as_it_is() {
    let mut execution = samples::execution(Judgement::Refused(vec![]), None);
    let odd = [
        f64::NAN,
        -f64::NAN,
        f64::from_bits(0x7ff0_0000_0000_0001),
        f64::NEG_INFINITY,
    ];
    execution.metrics = odd
        .iter()
        .map(|value| metric(*value, "fraction", Evidence::Claimed))
        .collect();
    let body = encode_record(&record(Payload::Execution(execution)));
    let read = decode_record(&body).unwrap();
    let Payload::Execution(execution) = read.payload else {
        panic!("another kind")
    };
    let bits: Vec<u64> = execution.metrics.iter().map(|m| m.value.to_bits()).collect();
    assert_eq!(bits, odd.map(f64::to_bits));
}

#[test]
fn a_pass_needs_something_that_ran_and_a_failure_something_found() {
    for nothing in ["", " ", "\n\t"] {
        assert_eq!(Ran::new(nothing, 0), Err(CheckError::PassedWithoutRunning));
    }
    assert_eq!(Findings::new(vec![]), Err(CheckError::FailedWithoutFinding));
    let one = || samples::finding("a", "src/a.py", 1);
    let findings = Findings::new(vec![samples::finding("a", "src/b.py", 1), one(), one()]).unwrap();
    assert_eq!(findings.as_slice(), [one(), samples::finding("a", "src/b.py", 1)]);
    let result = samples::failed("x", vec![one()]);
    assert!(!result.passed() && result.findings().len() == 1);
    let timed_out = CheckAnswer::TimedOut {
        reason: String::new(),
        findings: vec![],
    };
    let not_run = CheckAnswer::NotRun { reason: String::new() };
    for answer in [timed_out, not_run] {
        assert!(
            !interlock_domain::CheckResult {
                answer,
                ..samples::passed("x")
            }
            .passed()
        );
    }
}

#[test]
fn blobs_are_cut_in_one_way() {
    use interlock_domain::blob::{BlobRef, chunk_count};
    let chunk = CHUNK_BYTES as u64;
    for (size, chunks) in [
        (0, 0),
        (1, 1),
        (chunk - 1, 1),
        (chunk, 1),
        (chunk + 1, 2),
        (MAX_BLOB_BYTES, 1024),
    ] {
        assert_eq!(chunk_count(size), chunks, "{size}");
    }
    let blob = BlobRef::of(&vec![1; CHUNK_BYTES + 1], Stage::Executor, false);
    assert_eq!((blob.size, blob.chunks), (chunk + 1, 2));
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,12}", any::<String>()]
}

prop_compose! {
    fn any_answer()(
        gate in prop::sample::select(vec![Gate::Plan, Gate::Guidance]),
        about in text(),
        decision in prop::sample::select(vec![Decision::Approve, Decision::Revise, Decision::Reject]),
        by in text(),
        automatic in any::<bool>(),
        text in text(),
    ) -> Payload {
        Payload::Answer(Answer { gate, about: digest(&about), decision, by, automatic, text })
    }
}

prop_compose! {
    fn any_execution()(
        end in prop_oneof![
            any::<i32>().prop_map(End::Exited),
            any::<i32>().prop_map(End::Signaled),
            text().prop_map(End::Limit),
            Just(End::Cancelled),
        ],
        started in any::<bool>(),
        numbers in proptest::collection::vec((any::<f64>(), text(), any::<bool>()), 0..5),
        tampered in proptest::collection::vec(text(), 0..3),
        testimony in text(),
        reasons in proptest::collection::vec(text(), 0..3),
        survivors in any::<u32>(),
        cpu_ms in any::<u64>(),
    ) -> Payload {
        let mut seen = samples::observed(end);
        seen.survivors = survivors;
        seen.cpu_ms = cpu_ms;
        let mut execution = samples::execution(Judgement::Refused(reasons), started.then_some(seen));
        execution.metrics = numbers
            .into_iter()
            .map(|(value, unit, scored)| metric(value, &unit, if scored { Evidence::Scored } else { Evidence::Claimed }))
            .collect();
        execution.tampered = tampered;
        execution.testimony_json = testimony;
        Payload::Execution(execution)
    }
}

fn any_record() -> impl Strategy<Value = Record> {
    let payload = prop_oneof![any_answer(), any_execution(), prop::sample::select(payloads())];
    (payload, 1u64.., any::<i64>(), any::<bool>()).prop_map(|(payload, seq, time_unix_ms, first)| Record {
        seq,
        time_unix_ms,
        parent: (!first).then(|| digest("before")),
        ..record(payload)
    })
}

/// Whatever these bytes are: an error, or a value that has exactly these bytes.
fn refused_or_whole(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(record) = decode_record(bytes) {
        prop_assert_eq!(encode_record(&record), bytes);
    }
    if let Ok(control) = decode_control(bytes) {
        prop_assert_eq!(encode_control(&control), bytes);
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_record_survives(record in any_record()) {
        let body = encode_record(&record);
        let read = decode_record(&body);
        prop_assert!(read.is_ok(), "{:?}", read);
        prop_assert_eq!(encode_record(&read.unwrap()), body);
    }

    #[test]
    fn random_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        refused_or_whole(&bytes)?;
    }

    #[test]
    fn a_cut_record_is_refused(record in any_record(), at in any::<prop::sample::Index>()) {
        let body = encode_record(&record);
        let cut = &body[..at.index(body.len())];
        refused_or_whole(cut)?;
        prop_assert!(decode_record(cut).is_err());
    }

    #[test]
    fn changed_bits_never_pass_for_what_was_written(
        record in any_record(),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), 0..8u8), 1..4),
    ) {
        let mut body = encode_record(&record);
        for (at, bit) in flips {
            let at = at.index(body.len());
            body[at] ^= 1 << bit;
        }
        refused_or_whole(&body)?;
    }

    #[test]
    fn spliced_records_are_refused(one in any_record(), other in any_record(), at in any::<prop::sample::Index>()) {
        let (mut body, tail) = (encode_record(&one), encode_record(&other));
        body.extend_from_slice(&tail[at.index(tail.len())..]);
        refused_or_whole(&body)?;
    }
}

#[test]
fn the_error_says_which_field() {
    let body = encode_record(&Record {
        seq: 0,
        ..record(Payload::Request(request()))
    });
    assert!(matches!(
        decode_record(&body),
        Err(DecodeError::Field { field: "seq", .. })
    ));
    let body = encode_control(&control(0));
    assert!(matches!(
        decode_control(&body),
        Err(DecodeError::Field { field: "k", .. })
    ));
}
