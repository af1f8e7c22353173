//! What is said between the verifier and a fork server, a JSON object a line. See `fork_server.py`.

use crate::import::Report;
use serde::{Deserialize, Serialize};

/// A word to the server.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Word<'a> {
    /// Files to import.
    Ask {
        id: u64,
        #[serde(flatten)]
        request: &'a Request,
    },
    /// Modules to load, for whoever asks later.
    Load { id: u64, load: &'a [String] },
    /// A request that nobody waits for any more.
    Cancel { cancel: u64 },
}

/// Files of one workspace that are to be imported.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    /// The workspace's folder, below the folder of all checks of the environment.
    pub folder: String,
    /// Files to import.
    pub files: Vec<String>,
    /// Files to compile, all in one child; a request is about these or those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compile: Vec<String>,
    /// Longest time for one file in seconds.
    pub timeout: u64,
    /// Most memory of one import in bytes.
    pub memory: u64,
}

/// What the server says.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Said {
    /// At its start: whether it serves.
    Start {
        ready: bool,
        python: Option<String>,
        why: Option<String>,
    },
    /// A fresh interpreter has to be asked about this workspace.
    Cold { id: u64, cold: String },
    /// This module must not be loaded there, and with that the server ends.
    Spoiled { id: u64, spoiled: String },
    /// A request is over.
    Done { id: u64, done: bool },
    /// The report on one file.
    File {
        id: u64,
        #[serde(flatten)]
        report: Report,
    },
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_the_server_reads() {
        let request = Request {
            folder: "a/work".to_owned(),
            files: vec!["src/a.py".to_owned()],
            compile: Vec::new(),
            timeout: 3,
            memory: 9,
        };
        let ask = serde_json::to_value(Word::Ask {
            id: 1,
            request: &request,
        });
        let expected = r#"{"id":1,"folder":"a/work","files":["src/a.py"],"timeout":3,"memory":9}"#;
        assert_eq!(
            ask.unwrap(),
            serde_json::from_str::<serde_json::Value>(expected).unwrap()
        );
        let load = serde_json::to_string(&Word::Load {
            id: 2,
            load: &["numpy".to_owned()],
        });
        assert_eq!(load.unwrap(), r#"{"id":2,"load":["numpy"]}"#);
        let cancel = serde_json::to_string(&Word::Cancel { cancel: 4 });
        assert_eq!(cancel.unwrap(), r#"{"cancel":4}"#);
    }

    #[test]
    fn every_answer_is_told_from_the_others() {
        let read = |text: &str| serde_json::from_str::<Said>(text).unwrap();
        assert!(matches!(
            read(r#"{"ready": true, "python": "3.11.2"}"#),
            Said::Start { ready: true, .. }
        ));
        assert!(matches!(read(r#"{"id": 1, "cold": "json"}"#), Said::Cold { id: 1, .. }));
        assert!(matches!(
            read(r#"{"id": 1, "spoiled": "torch"}"#),
            Said::Spoiled { id: 1, .. }
        ));
        assert!(matches!(
            read(r#"{"id": 2, "done": true}"#),
            Said::Done { id: 2, done: true }
        ));
        let file = r#"{"id": 3, "path": "src/a.py", "outcome": "passed", "exception": null, "traceback": []}"#;
        assert!(matches!(read(file), Said::File { id: 3, .. }));
        assert!(serde_json::from_str::<Said>(r#"{"id": 3, "path": "src/a.py", "outcome": "fine"}"#).is_err());
    }
}
