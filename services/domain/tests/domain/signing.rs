//! Nothing unsigned, and nothing signed as something else, is ever read.

use crate::chain::Keys;
use crate::moves;
use crate::samples::{self, control, payloads, record, request};
use interlock_domain::codec::{encode_control, encode_record};
use interlock_domain::payload::{Payload, Request};
use interlock_domain::signing::{MAX_SIGNED_BYTES, OpenError, SignError};
use interlock_domain::{Digest, Keyring, Record, Signer, Stage};
use interlock_proto::v1::SignedRecord;
use nkeys::KeyPair;
use prost::Message as _;

const RECORD: &[u8] = b"interlock.record.v1\0";
const CONTROL: &[u8] = b"interlock.control.v1\0";

/// A signed message as an attacker with this key could make it.
fn forge(key: &KeyPair, context: &[u8], body: Vec<u8>) -> Vec<u8> {
    let covered = [context, Digest::of(&body).as_bytes()].concat();
    let signature = key.sign(&covered).unwrap();
    SignedRecord { body, signature }.encode_to_vec()
}

fn answer() -> Record {
    let is_answer = |p: &Payload| p.name() == "answer";
    record(payloads().into_iter().find(is_answer).unwrap())
}

#[test]
fn what_is_signed_can_be_opened_by_everybody() {
    let keys = Keys::new();
    for payload in payloads() {
        let record = record(payload);
        let (bytes, digest) = keys.signers[&record.stage].sign_record(&record).unwrap();
        let opened = keys.keyring.open_record(&bytes).unwrap();
        assert_eq!((opened.value, opened.digest), (record.clone(), digest));
        assert_eq!(digest, Digest::of(&encode_record(&record)));
    }
    let (bytes, digest) = keys.signers[&Stage::Gateway].sign_control(&control(2)).unwrap();
    let opened = keys.keyring.open_control(&bytes).unwrap();
    assert_eq!((opened.value, opened.digest), (control(2), digest));
}

#[test]
fn a_byte_that_is_changed_or_added_anywhere_is_noticed() {
    let keys = Keys::new();
    let candidate = payloads().into_iter().find(|p| p.name() == "candidate").unwrap();
    for record in [answer(), record(candidate)] {
        let (bytes, _) = keys.signers[&record.stage].sign_record(&record).unwrap();
        assert!(keys.keyring.open_record(&bytes).is_ok());
        for at in 0..bytes.len() {
            for change in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff] {
                let mut other = bytes.clone();
                other[at] ^= change;
                let opened = keys.keyring.open_record(&other);
                assert!(opened.is_err(), "byte {at} changed by {change:#x}");
            }
        }
        for cut in 0..bytes.len() {
            assert!(keys.keyring.open_record(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        // A field that no version knows, and that no signature covers.
        let longer = [bytes.as_slice(), &[0x1a, 1, 7]].concat();
        assert!(matches!(
            keys.keyring.open_record(&longer),
            Err(OpenError::Malformed(_))
        ));
    }
    let (bytes, _) = keys.signers[&Stage::Gateway].sign_control(&control(1)).unwrap();
    assert!(keys.keyring.open_control(&bytes).is_ok());
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            assert!(keys.keyring.open_control(&other).is_err(), "byte {at}");
        }
    }
}

#[test]
fn no_stage_signs_for_another() {
    let keys = Keys::new();
    let good = answer();
    for stage in Stage::ALL.into_iter().filter(|stage| *stage != good.stage) {
        let refused = keys.signers[&stage].sign_record(&good);
        assert!(matches!(refused, Err(SignError::NotOurs { holder, named }) if holder == stage && named == good.stage));
        let forged = forge(&keys.pairs[&stage], RECORD, encode_record(&good));
        assert!(matches!(keys.keyring.open_record(&forged), Err(OpenError::Signature(named)) if named == good.stage));
        // In its own name it may sign what it likes: that it may not write here, `apply` says.
        let own = Record { stage, ..good.clone() };
        assert!(
            keys.keyring
                .open_record(&forge(&keys.pairs[&stage], RECORD, encode_record(&own)))
                .is_ok()
        );

        assert!(matches!(
            keys.signers[&stage].sign_control(&control(1)),
            Err(SignError::NotOurs { .. })
        ));
        let forged = forge(&keys.pairs[&stage], CONTROL, encode_control(&control(1)));
        assert!(matches!(
            keys.keyring.open_control(&forged),
            Err(OpenError::Signature(Stage::Gateway))
        ));
    }
}

#[test]
fn a_control_is_no_record_and_a_record_no_control() {
    let keys = Keys::new();
    let gateway = &keys.pairs[&Stage::Gateway];
    let good = answer();
    assert_eq!(good.stage, Stage::Gateway);
    assert!(
        keys.keyring
            .open_record(&forge(gateway, RECORD, encode_record(&good)))
            .is_ok()
    );
    assert!(
        keys.keyring
            .open_control(&forge(gateway, CONTROL, encode_control(&control(1))))
            .is_ok()
    );
    for context in [CONTROL, b"", b"interlock.record.v1", b"interlock.record.v2\0"] {
        let refused = keys.keyring.open_record(&forge(gateway, context, encode_record(&good)));
        assert!(matches!(refused, Err(OpenError::Signature(Stage::Gateway))));
    }
    for context in [RECORD, b""] {
        let refused = keys
            .keyring
            .open_control(&forge(gateway, context, encode_control(&control(1))));
        assert!(matches!(refused, Err(OpenError::Signature(Stage::Gateway))));
    }
    let (stored, _) = keys.signers[&Stage::Gateway].sign_record(&good).unwrap();
    assert!(keys.keyring.open_control(&stored).is_err());
    let (stored, _) = keys.signers[&Stage::Gateway].sign_control(&control(1)).unwrap();
    assert!(keys.keyring.open_record(&stored).is_err());
}

#[test]
fn what_is_not_signed_or_not_understood_is_not_read() {
    let keys = Keys::new();
    let body = encode_record(&answer());
    let unsigned = SignedRecord {
        body: body.clone(),
        signature: vec![],
    }
    .encode_to_vec();
    assert!(matches!(
        keys.keyring.open_record(&unsigned),
        Err(OpenError::Signature(_))
    ));
    let zeros = SignedRecord {
        body: body.clone(),
        signature: vec![0; 64],
    }
    .encode_to_vec();
    assert!(matches!(keys.keyring.open_record(&zeros), Err(OpenError::Signature(_))));
    assert!(keys.keyring.open_record(&body).is_err());
    assert!(keys.keyring.open_record(b"").is_err());
    assert!(matches!(
        keys.keyring.open_record(&[0xff; 20]),
        Err(OpenError::Malformed(_))
    ));
    let newer = forge(&keys.pairs[&Stage::Gateway], RECORD, vec![8, 2]);
    assert!(matches!(keys.keyring.open_record(&newer), Err(OpenError::Decode(_))));
}

#[test]
fn a_key_that_is_not_known_opens_nothing() {
    let keys = Keys::new();
    let (bytes, _) = keys.signers[&Stage::Gateway].sign_record(&answer()).unwrap();
    let nobody = Keyring::new([]).unwrap();
    assert!(matches!(
        nobody.open_record(&bytes),
        Err(OpenError::UnknownKey(Stage::Gateway))
    ));
    let stranger = KeyPair::new_user().public_key();
    let other = Keyring::new([(Stage::Gateway, stranger.as_str())]).unwrap();
    assert!(matches!(
        other.open_record(&bytes),
        Err(OpenError::Signature(Stage::Gateway))
    ));
    assert!(matches!(
        Keyring::new([(Stage::Gateway, "UABC")]),
        Err(SignError::Key(_))
    ));
    assert!(matches!(
        Signer::from_seed(Stage::Gateway, "SUABC"),
        Err(SignError::Key(_))
    ));
}

#[test]
fn a_record_fits_into_a_message() {
    let keys = Keys::new();
    let sized = |bytes: usize| {
        let task_toml = "#".repeat(bytes);
        record(Payload::Request(Request { task_toml, ..request() }))
    };
    let gateway = &keys.signers[&Stage::Gateway];
    let (small, _) = gateway.sign_record(&sized(1_000_000 / 2)).unwrap();
    let room = MAX_SIGNED_BYTES - small.len();
    let (largest, _) = gateway.sign_record(&sized(500_000 + room)).unwrap();
    assert_eq!(largest.len(), MAX_SIGNED_BYTES);
    assert!(keys.keyring.open_record(&largest).is_ok());
    let more = gateway.sign_record(&sized(500_001 + room));
    assert!(matches!(more, Err(SignError::TooLarge(size)) if size == MAX_SIGNED_BYTES + 1));
}

#[test]
fn a_seed_is_never_shown() {
    let pair = KeyPair::new_user();
    let seed = pair.seed().unwrap();
    let signer = Signer::from_seed(Stage::Planner, &format!(" {seed}\n")).unwrap();
    assert_eq!(signer.public_key(), pair.public_key());
    let shown = format!("{signer:?} {:?}", Keys::new().keyring);
    assert!(shown.contains("planner") && !shown.contains(&seed));
}

#[test]
fn the_bytes_of_a_chain_are_the_same_each_time() {
    let state = interlock_domain::RunState::new(samples::run_id());
    let record = crate::chain::next_record(&state, moves::request(moves::TASK));
    let keys = Keys::new();
    let gateway = &keys.signers[&Stage::Gateway];
    assert_eq!(
        gateway.sign_record(&record).unwrap(),
        gateway.sign_record(&record).unwrap()
    );
}
