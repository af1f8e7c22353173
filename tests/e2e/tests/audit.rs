//! A real chain is sound, and the same chain with one byte changed anywhere is not.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use interlock_cli::audit::check_chain;
use interlock_cli::client::Gateway;
use interlock_cli::keyring;
use interlock_domain::{Keyring, RunId};
use interlock_e2e::stack::Up;
use interlock_e2e::{Home, tasks};
use interlock_proto::v1::ChainResponse;

/// Beside both ends, every so-manieth byte of a record is changed.
const STEP: usize = 61;

/// The chain of a run with a repair in it and a control after it, and the keys that prove it.
async fn real_chain() -> (RunId, ChainResponse, Keyring) {
    let home = Home::new().unwrap();
    let stack = Up::start(&home, &tasks().join("stubborn/answers"));
    let waiting = home.run("stubborn").unwrap();
    assert_eq!(waiting.code, Some(3), "{}{}", waiting.stdout, waiting.stderr);
    assert_eq!(home.interlock(&["cancel", "latest"]).unwrap().code, Some(0));
    let gateway = Gateway::at(&stack.address(), &stack.token()).unwrap();
    let run = gateway.list().await.unwrap().remove(0).run_id;
    let chain = gateway.chain(&run).await.unwrap();
    let keyring = keyring::read(&home.path().join("home/identities/keyring.toml")).unwrap();
    (run.parse().unwrap(), chain, keyring)
}

#[tokio::test]
async fn one_byte_anywhere_is_found_and_its_record_named() {
    let (run, chain, keyring) = real_chain().await;
    let sound = check_chain(run, &chain, &keyring);
    assert_eq!(sound.fault, None);
    assert_eq!(sound.records as usize, chain.records.len());
    assert!(sound.records >= 10 && sound.controls == 1, "{sound:?}");
    assert_eq!(
        (sound.parents, sound.transitions),
        (sound.records - 1, sound.records + sound.controls)
    );

    let mut changes = 0;
    for (is_control, count) in [(false, chain.records.len()), (true, chain.controls.len())] {
        for index in 0..count {
            let length = list(&chain, is_control)[index].signed.len();
            for at in (0..length).step_by(STEP).chain([length - 1]) {
                let mut changed = chain.clone();
                let stored = if is_control {
                    &mut changed.controls[index]
                } else {
                    &mut changed.records[index]
                };
                stored.signed[at] ^= 0x01;
                let place = stored.subject.clone();
                let fault = check_chain(run, &changed, &keyring).fault;
                let fault = fault.unwrap_or_else(|| panic!("byte {at} of {place} is not missed"));
                assert!(fault.contains(&place), "byte {at} of {place}: {fault}");
                changes += 1;
            }
        }
    }
    assert!(changes > 100, "{changes}");
}

fn list(chain: &ChainResponse, controls: bool) -> &[interlock_proto::v1::StoredRecord] {
    if controls { &chain.controls } else { &chain.records }
}

#[tokio::test]
async fn what_is_missing_moved_or_added_is_found() {
    let (run, chain, keyring) = real_chain().await;
    let fault = |change: &dyn Fn(&mut ChainResponse)| {
        let mut changed = chain.clone();
        change(&mut changed);
        check_chain(run, &changed, &keyring).fault
    };
    assert!(
        fault(&|chain| drop(chain.records.remove(2))).is_some(),
        "a record in the middle"
    );
    assert!(fault(&|chain| chain.records.clear()).is_some(), "all of them");
    let moved = fault(&|chain| {
        let place = chain.records[1].subject.clone();
        chain.records[1].signed = chain.records[3].signed.clone();
        assert!(!place.is_empty());
    });
    assert!(moved.is_some(), "another record at its place");
    let added = fault(&|chain| {
        let mut stray = chain.records[1].clone();
        stray.subject = format!("evt.planner.{run}.99");
        chain.records.push(stray);
    });
    assert!(
        added.is_some_and(|fault| fault.contains(".99")),
        "one that no record leads to"
    );
    let other = RunId::from_parts(1, 1);
    assert!(
        check_chain(other, &chain, &keyring).fault.is_some(),
        "a chain of another run"
    );
    let none = Keyring::new([]).unwrap();
    assert!(
        check_chain(run, &chain, &none).fault.is_some(),
        "keys that prove nothing"
    );
}
