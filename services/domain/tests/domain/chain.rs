//! A run's chain with real keys: every record is signed, stored as bytes, opened again and applied.

use crate::samples::run_id;
use interlock_domain::codec::{encode_control, encode_record};
use interlock_domain::payload::Payload;
use interlock_domain::record::ControlAction;
use interlock_domain::state::{Event, Illegal, Phase, apply};
use interlock_domain::{Control, Digest, Keyring, Opened, Record, RunState, Signer, Stage};
use nkeys::KeyPair;
use std::collections::BTreeMap;

/// One key for each stage, and the public halves of all.
pub(crate) struct Keys {
    pub(crate) pairs: BTreeMap<Stage, KeyPair>,
    pub(crate) signers: BTreeMap<Stage, Signer>,
    pub(crate) keyring: Keyring,
}

impl Keys {
    pub(crate) fn new() -> Self {
        let pairs: BTreeMap<Stage, KeyPair> = Stage::ALL.map(|stage| (stage, KeyPair::new_user())).into();
        let signer = |(stage, pair): (&Stage, &KeyPair)| {
            let seed = pair.seed().unwrap();
            (*stage, Signer::from_seed(*stage, &seed).unwrap())
        };
        let signers: BTreeMap<Stage, Signer> = pairs.iter().map(signer).collect();
        let public = signers.iter().map(|(stage, s)| (*stage, s.public_key()));
        let public: Vec<(Stage, String)> = public.collect();
        let keyring = Keyring::new(public.iter().map(|(stage, key)| (*stage, key.as_str())));
        Self {
            pairs,
            signers,
            keyring: keyring.unwrap(),
        }
    }
}

pub(crate) struct Chain {
    pub(crate) keys: Keys,
    pub(crate) state: RunState,
    /// The stored bytes of every record and control, in the order in which they came.
    pub(crate) stored: Vec<Stored>,
}

pub(crate) enum Stored {
    Record(Vec<u8>),
    Control(Vec<u8>),
}

impl Chain {
    pub(crate) fn new() -> Self {
        Self {
            keys: Keys::new(),
            state: RunState::new(run_id()),
            stored: Vec::new(),
        }
    }

    /// The record that would carry `payload` here, by whoever may write it.
    pub(crate) fn record(&self, payload: Payload) -> Record {
        next_record(&self.state, payload)
    }

    /// Signs, opens and applies any record; nothing changes when it is illegal.
    pub(crate) fn try_record(&mut self, record: &Record) -> Result<(), Illegal> {
        let signer = &self.keys.signers[&record.stage];
        let (bytes, digest) = signer.sign_record(record).unwrap();
        let opened = self.keys.keyring.open_record(&bytes).unwrap();
        assert_eq!(opened.digest, digest);
        self.state = apply(self.state.clone(), Event::Record(&opened))?;
        self.stored.push(Stored::Record(bytes));
        Ok(())
    }

    pub(crate) fn attempt(&mut self, payload: Payload) -> Result<(), Illegal> {
        self.try_record(&self.record(payload))
    }

    /// Applies a payload that has to be legal.
    pub(crate) fn push(&mut self, payload: Payload) -> &mut Self {
        let name = payload.name();
        self.attempt(payload)
            .unwrap_or_else(|e| panic!("{name} in {:?}: {e}", self.state.phase));
        self
    }

    /// Applies what `payload` makes of the present state, which has to be legal.
    pub(crate) fn then(&mut self, payload: impl FnOnce(&RunState) -> Payload) -> &mut Self {
        let payload = payload(&self.state);
        self.push(payload)
    }

    pub(crate) fn try_control(&mut self, control: &Control) -> Result<(), Illegal> {
        let signer = &self.keys.signers[&Stage::Gateway];
        let (bytes, _) = signer.sign_control(control).unwrap();
        let opened = self.keys.keyring.open_control(&bytes).unwrap();
        self.state = apply(self.state.clone(), Event::Control(&opened))?;
        self.stored.push(Stored::Control(bytes));
        Ok(())
    }

    pub(crate) fn cancel(&mut self, by: &str) -> &mut Self {
        let control = next_control(&self.state, by);
        self.try_control(&control).unwrap();
        self
    }

    /// What somebody gets who reads the stored bytes from the beginning.
    pub(crate) fn replayed(&self) -> RunState {
        let keyring = &self.keys.keyring;
        self.stored
            .iter()
            .fold(RunState::new(run_id()), |state, stored| match stored {
                Stored::Record(bytes) => {
                    let opened = keyring.open_record(bytes).unwrap();
                    apply(state, Event::Record(&opened)).unwrap()
                }
                Stored::Control(bytes) => {
                    let opened = keyring.open_control(bytes).unwrap();
                    apply(state, Event::Control(&opened)).unwrap()
                }
            })
    }

    pub(crate) fn phase(&self) -> &Phase {
        &self.state.phase
    }
}

pub(crate) fn next_record(state: &RunState, payload: Payload) -> Record {
    let actor = state.chain_actor().unwrap_or(Stage::Gateway);
    Record {
        run: state.run,
        seq: state.seq + 1,
        stage: payload.writer().unwrap_or(actor),
        parent: state.head,
        time_unix_ms: 1_700_000_000_000,
        payload,
    }
}

pub(crate) fn next_control(state: &RunState, by: &str) -> Control {
    Control {
        run: state.run,
        k: state.controls + 1,
        time_unix_ms: 0,
        action: ControlAction::Cancel {
            by: by.to_owned(),
            reason: "enough".to_owned(),
        },
    }
}

/// A record as it looks once it is opened; that only signed ones are is tested elsewhere.
pub(crate) fn opened(record: Record) -> Opened<Record> {
    let digest = Digest::of(&encode_record(&record));
    Opened { value: record, digest }
}

/// A control as it looks once it is opened.
pub(crate) fn opened_control(control: Control) -> Opened<Control> {
    let digest = Digest::of(&encode_control(&control));
    Opened { value: control, digest }
}
