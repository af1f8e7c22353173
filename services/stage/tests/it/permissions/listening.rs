//! What a stage subscribes to. Its own inbox, and nothing else.

use super::act::{Act, Row};
use interlock_domain::Stage;

const SUBJECTS: [&str; 25] = [
    ">",
    "*.>",
    "*",
    "*.*.*",
    "_INBOX.>",
    "_INBOX_*.>",
    "_R_.>",
    "core.>",
    "core.API.>",
    "evt.>",
    "evt.*.*.*",
    "blob.>",
    "call.>",
    "ctl.>",
    "sealed.>",
    "$JS.>",
    "$JS.API.>",
    "$JS.ACK.>",
    "$JS.EVENT.>",
    "$JS.EVENT.ADVISORY.>",
    "$SYS.>",
    "$SYS.ACCOUNT.CORE.>",
    "$KV.>",
    "work.>",
    "live.>",
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for subject in SUBJECTS {
        rows.push(row(format!("listen on {subject}"), &[], move |_| subject.to_owned()));
    }
    rows.push(row(
        "listen on the subject of its own records".to_owned(),
        &[],
        |stage| format!("evt.{stage}.*.*"),
    ));
    rows.push(row(
        "listen to what the executor's programs do".to_owned(),
        &[Stage::Gateway],
        |_| "live.executor.*.*".to_owned(),
    ));
    for owner in Stage::ALL {
        rows.push(row(
            format!("listen on the inbox of the {owner}"),
            &[owner],
            move |_| format!("_INBOX_{owner}.>"),
        ));
    }
    rows
}

fn row(what: String, may: &[Stage], subject: impl Fn(Stage) -> String + 'static) -> Row {
    Row::new("listen", what, may, move |_, stage| {
        let listen = |queue| Act::Listen {
            subject: subject(stage),
            queue,
        };
        vec![listen(false), listen(true)]
    })
}
