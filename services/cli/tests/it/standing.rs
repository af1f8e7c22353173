//! A domain chain as the gateway would show and hand it over.

use crate::chain::{Chain, Stored};
use interlock_cli::view::Run;
use interlock_domain::record::{control_subject, subject};
use interlock_domain::{Record, codec};
use interlock_proto::v1::{ChainResponse, RunSummary, RunView, StoredRecord};

/// Every record that the chain holds, opened with its own keys.
pub(crate) fn records(chain: &Chain) -> Vec<Record> {
    let bytes = chain.stored.iter().filter_map(|stored| match stored {
        Stored::Record(bytes) => Some(bytes),
        Stored::Control(_) => None,
    });
    bytes
        .map(|bytes| chain.keys.keyring.open_record(bytes).unwrap().value)
        .collect()
}

/// As the Chain call answers.
pub(crate) fn handed_over(chain: &Chain) -> ChainResponse {
    let mut response = ChainResponse::default();
    for stored in &chain.stored {
        match stored {
            Stored::Record(bytes) => {
                let opened = chain.keys.keyring.open_record(bytes).unwrap().value;
                response.records.push(StoredRecord {
                    subject: subject(opened.stage, opened.run, opened.seq),
                    signed: bytes.clone(),
                });
            }
            Stored::Control(bytes) => {
                let opened = chain.keys.keyring.open_control(bytes).unwrap().value;
                response.controls.push(StoredRecord {
                    subject: control_subject(opened.run, opened.k),
                    signed: bytes.clone(),
                });
            }
        }
    }
    response
}

/// As the Show call answers, with this status.
pub(crate) fn view(chain: &Chain, status: &str) -> RunView {
    RunView {
        summary: Some(RunSummary {
            run_id: chain.state.run.to_string(),
            task: "small".to_owned(),
            status: status.to_owned(),
            ..RunSummary::default()
        }),
        records: records(chain).iter().map(codec::to_wire).collect(),
        ..RunView::default()
    }
}

/// The same, decoded.
pub(crate) fn run(chain: &Chain, status: &str) -> Run {
    Run::new(view(chain, status))
}
