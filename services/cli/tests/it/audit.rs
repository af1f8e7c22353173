//! A sound chain is green; the same chain with one byte changed anywhere is not, and its record is named.

use crate::chain::{Chain, Keys};
use crate::moves;
use crate::samples::{finding, run_id};
use crate::standing::handed_over;
use crate::stations;
use interlock_cli::audit::check_chain;
use interlock_domain::payload::{Decision, Payload};
use interlock_domain::{FailureClass, RunId, Stage};
use interlock_proto::v1::{ChainResponse, StoredRecord};

/// A run with a repair and a human word in it, and a cancellation after its end.
fn chain() -> Chain {
    let mut chain = Chain::new();
    let found = || vec![finding("imports/relative", "src/data.py", 4)];
    chain
        .push(moves::request(moves::TASK))
        .then(|state| Payload::PlanProposal(moves::proposal(state)))
        .then(|state| Payload::Answer(moves::answer(state, Decision::Approve)))
        .then(|state| Payload::Candidate(moves::expected_candidate(state)))
        .then(|state| Payload::Verdict(moves::fail(state, FailureClass::Code, found())))
        .then(|state| Payload::Candidate(moves::expected_candidate(state)))
        .then(|state| Payload::Verdict(moves::pass(state)))
        .cancel("grace")
        .cancel("hopper");
    chain
}

fn fault(chain: &Chain, stored: &ChainResponse) -> Option<String> {
    check_chain(run_id(), stored, &chain.keys.keyring).fault
}

#[test]
fn a_sound_chain_is_green_wherever_it_ends() {
    for station in stations::ALL.into_iter().skip(1) {
        let chain = stations::at(station);
        let checked = check_chain(run_id(), &handed_over(&chain), &chain.keys.keyring);
        assert_eq!(checked.fault, None, "{station}");
        assert_eq!(checked.records, chain.state.seq);
        assert_eq!(checked.parents, chain.state.seq - 1);
        assert_eq!(checked.transitions, chain.state.seq);
    }
    let finished = stations::at("finished");
    let checked = check_chain(run_id(), &handed_over(&finished), &finished.keys.keyring);
    assert_eq!(checked.ends_with, "record 10 (outcome) of gateway");
    assert_eq!(checked.signers.len(), Stage::ALL.len());

    let cancelled = chain();
    let checked = check_chain(run_id(), &handed_over(&cancelled), &cancelled.keys.keyring);
    assert_eq!((checked.fault, checked.records, checked.controls), (None, 7, 2));
}

#[test]
fn every_changed_byte_is_found_and_its_record_named() {
    let chain = chain();
    let sound = handed_over(&chain);
    let lengths = |stored: &[StoredRecord]| stored.iter().map(|one| one.signed.len()).collect::<Vec<_>>();
    let records = lengths(&sound.records).into_iter().enumerate().map(|at| (false, at));
    let controls = lengths(&sound.controls).into_iter().enumerate().map(|at| (true, at));
    for (is_control, (index, length)) in records.chain(controls) {
        for at in 0..length {
            let mut changed = sound.clone();
            let list = if is_control {
                &mut changed.controls
            } else {
                &mut changed.records
            };
            // Another bit at each place, so that lengths, tags and digits are all hit.
            list[index].signed[at] ^= 1 << (at % 8);
            let place = list[index].subject.clone();
            let found = fault(&chain, &changed).unwrap_or_else(|| panic!("byte {at} of {place} is not missed"));
            assert!(found.starts_with(&place), "byte {at} of {place}: {found}");
        }
    }
}

#[test]
fn bytes_that_are_cut_off_or_added_are_found() {
    let chain = chain();
    for index in 0..7 {
        for change in [
            (|signed: &mut Vec<u8>| signed.truncate(signed.len() - 1)) as fn(&mut Vec<u8>),
            |signed| signed.push(0),
            // A field that nobody knows.
            |signed| signed.extend([0xf8, 0x07, 0x01]),
            Vec::clear,
        ] {
            let mut changed = handed_over(&chain);
            change(&mut changed.records[index].signed);
            let place = changed.records[index].subject.clone();
            let found = fault(&chain, &changed).unwrap_or_else(|| panic!("{place} is not missed"));
            assert!(found.starts_with(&place), "{place}: {found}");
        }
    }
}

#[test]
fn records_that_are_missing_moved_doubled_or_strange_are_found() {
    let chain = chain();
    let after = |change: &dyn Fn(&mut ChainResponse)| {
        let mut changed = handed_over(&chain);
        change(&mut changed);
        fault(&chain, &changed).expect("it is found")
    };
    let none = after(&|stored| stored.records.clear());
    assert_eq!(none, "there is no record at all", "a cancellation of nothing");
    let empty = fault(&chain, &ChainResponse::default());
    assert_eq!(empty.as_deref(), Some("there is no record at all"));
    for index in 0..6 {
        let gap = after(&|stored| drop(stored.records.remove(index)));
        assert!(gap.contains("no record of the chain leads to it"), "{index}: {gap}");
    }
    let gap = after(&|stored| drop(stored.controls.remove(0)));
    assert!(gap.starts_with("ctl.") && gap.contains(".2:"), "{gap}");
    let swapped = after(&|stored| {
        let (fourth, sixth) = (stored.records[3].signed.clone(), stored.records[5].signed.clone());
        stored.records[3].signed = sixth;
        stored.records[5].signed = fourth;
    });
    assert!(swapped.contains(".4: it says that it belongs to"), "{swapped}");
    let doubled = after(&|stored| stored.records.push(stored.records[2].clone()));
    assert!(doubled.contains(".3: it is stored"), "{doubled}");
    let strange = after(&|stored| {
        stored.records.push(StoredRecord {
            subject: format!("evt.planner.{}.900", run_id()),
            signed: Vec::new(),
        });
    });
    assert!(strange.contains(".900"), "{strange}");
    let as_control = after(&|stored| stored.controls[0].signed = stored.records[0].signed.clone());
    assert!(as_control.starts_with("ctl."), "{as_control}");
}

#[test]
fn keys_and_runs_of_others_prove_nothing() {
    let chain = chain();
    let stored = handed_over(&chain);
    let strangers = Keys::new();
    let found = check_chain(run_id(), &stored, &strangers.keyring).fault.unwrap();
    assert!(found.contains("signature"), "{found}");
    let other = RunId::from_parts(1, 1);
    assert!(check_chain(other, &stored, &chain.keys.keyring).fault.is_some());
}

/// Signed by the right stage, at the right place, with the right parent: and not legal there.
#[test]
fn a_signed_record_that_is_not_legal_is_found() {
    let chain = stations::at("plan gate");
    let mut stored = handed_over(&chain);
    let outcome = Payload::Outcome(moves::outcome(&chain.state));
    let record = chain.record(outcome);
    let (signed, _) = chain.keys.signers[&Stage::Gateway].sign_record(&record).unwrap();
    stored.records.push(StoredRecord {
        subject: record.subject(),
        signed,
    });
    let found = fault(&chain, &stored).unwrap();
    assert!(found.starts_with(&record.subject()), "{found}");
}

/// A record whose parent is another one than the chain's head.
#[test]
fn a_signed_record_with_another_parent_is_found() {
    let chain = stations::at("writing 1");
    let mut stored = handed_over(&chain);
    let mut record = chain.record(Payload::Candidate(moves::expected_candidate(&chain.state)));
    record.parent = Some(crate::samples::digest("elsewhere"));
    let (signed, _) = chain.keys.signers[&Stage::Generator].sign_record(&record).unwrap();
    stored.records.push(StoredRecord {
        subject: record.subject(),
        signed,
    });
    let found = fault(&chain, &stored).unwrap();
    assert!(found.starts_with(&record.subject()), "{found}");
}
