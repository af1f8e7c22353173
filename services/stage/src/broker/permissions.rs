//! The broker's configuration: one account per stage, service imports, and nothing else.
//!
//! Permissions inside one account do not stop forgery through reply subjects, so each stage has an
//! account of its own and reaches the core's subjects only through what is imported here.

use super::Identities;
use interlock_domain::Stage;
use interlock_domain::authority::{self, blob_stream, consumer, record_stream, wakers};
use std::fmt::Write as _;

/// Prefix under which a stage sees the core's JetStream API.
pub const API_PREFIX: &str = "core.API";

/// A service of the core that a stage may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Subject in the core's account.
    pub subject: String,
    /// Subject in the stage's account.
    pub local: String,
    /// Whether one request has more than one answer.
    pub stream: bool,
}

/// Everything that a stage may do on the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    /// What it may publish to, all of it imported from the core.
    pub publish: Vec<Import>,
    /// What it may publish in its own account, for the accounts that import it.
    pub tell: Vec<String>,
    /// What it may subscribe to.
    pub subscribe: Vec<String>,
    /// What comes in from another stage's account: its owner and the subject.
    pub hear: Vec<(Stage, String)>,
}

/// The rights of a stage, from the table.
pub fn rights(stage: Stage) -> Rights {
    let mut publish = Vec::new();
    for from in wakers(stage) {
        let (stream, durable) = (record_stream(from), consumer(stage));
        publish.push(api(&format!("CONSUMER.MSG.NEXT.{stream}.{durable}"), true));
        publish.push(api(&format!("CONSUMER.INFO.{stream}.{durable}"), false));
        publish.push(plain(format!("$JS.ACK.{stream}.{durable}.>")));
    }
    publish.push(plain(format!("evt.{stage}.*.*")));
    publish.push(plain(format!("blob.{stage}.*.*")));
    if authority::calls_model(stage) {
        publish.push(plain(format!("call.{stage}.*.*")));
        publish.push(api(&format!("DIRECT.GET.{}.call.{stage}.>", blob_stream(stage)), false));
    }
    if authority::writes_controls(stage) {
        publish.push(plain("ctl.*.*".to_owned()));
        // The view is rebuilt by walking every record stream from its beginning.
        for written in authority::reads_records_of(stage) {
            publish.push(api(&format!("DIRECT.GET.{}", record_stream(*written)), false));
        }
    }
    if authority::writes_sealed(stage) {
        publish.push(plain("sealed.gateway.*.*".to_owned()));
    }
    if authority::reads_sealed(stage) {
        publish.push(api(
            &format!("DIRECT.GET.{}.sealed.gateway.>", authority::SEALED_STREAM),
            false,
        ));
    }
    for written in authority::reads_records_of(stage) {
        publish.push(api(
            &format!("DIRECT.GET.{}.evt.{written}.>", record_stream(*written)),
            false,
        ));
    }
    publish.push(api(
        &format!("DIRECT.GET.{}.ctl.>", record_stream(Stage::Gateway)),
        false,
    ));
    for written in authority::reads_blobs_of(stage) {
        publish.push(api(
            &format!("DIRECT.GET.{}.blob.{written}.>", blob_stream(*written)),
            false,
        ));
    }
    let hear: Vec<(Stage, String)> = if authority::hears_live(stage) {
        let tellers = Stage::ALL.into_iter().filter(|teller| authority::tells_live(*teller));
        tellers.map(|teller| (teller, live(teller))).collect()
    } else {
        Vec::new()
    };
    let mut subscribe = vec![format!("{}.>", inbox(stage.name()))];
    subscribe.extend(hear.iter().map(|(_, subject)| subject.clone()));
    Rights {
        publish,
        tell: authority::tells_live(stage).then(|| live(stage)).into_iter().collect(),
        subscribe,
        hear,
    }
}

/// What a stage says of the programs that it runs: `live.STAGE.RUN.ATTEMPT`.
fn live(stage: Stage) -> String {
    format!("live.{stage}.*.*")
}

/// The inbox prefix of an identity.
pub fn inbox(name: &str) -> String {
    format!("_INBOX_{name}")
}

fn api(call: &str, stream: bool) -> Import {
    Import {
        subject: format!("$JS.API.{call}"),
        local: format!("{API_PREFIX}.{call}"),
        stream,
    }
}

fn plain(subject: String) -> Import {
    Import {
        local: subject.clone(),
        subject,
        stream: false,
    }
}

/// The whole configuration file of a single server that listens on `host` at `port` (-1: any).
pub fn server_config(
    identities: &Identities,
    host: &str,
    port: i32,
    store_dir: &str,
    ports_dir: Option<&str>,
) -> String {
    let mut text = String::from("# Generated from the authority table. Do not edit: change the table.\n");
    let mut line = |content: String| {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{content}");
    };
    line(format!("host: {host}\nport: {port}"));
    if let Some(dir) = ports_dir {
        line(format!("ports_file_dir: {dir:?}"));
    }
    line("server_name: interlock".to_owned());
    line(format!(
        "jetstream {{ store_dir: {store_dir:?}, sync_interval: always }}"
    ));
    line("system_account: SYS\naccounts {\n  SYS {}".to_owned());
    line(format!(
        "  CORE {{\n    jetstream: enabled\n    users: [{{nkey: {}}}]\n    exports: [",
        identities.admin_public()
    ));
    for (export, accounts) in exports() {
        let kind = if export.stream { "response_type: stream, " } else { "" };
        line(format!(
            "      {{service: {:?}, {kind}accounts: [{}]}}",
            export.subject,
            accounts.join(", ")
        ));
    }
    line("    ]\n  }".to_owned());
    for stage in Stage::ALL {
        let rights = rights(stage);
        line(format!(
            "  {} {{\n    users: [{{nkey: {}, permissions: {{\n      publish: [",
            stage.upper(),
            identities.public(stage)
        ));
        for subject in rights.publish.iter().map(|import| &import.local).chain(&rights.tell) {
            line(format!("        {subject:?}"));
        }
        line(format!(
            "      ]\n      subscribe: {:?}\n    }}}}]\n    exports: [",
            rights.subscribe
        ));
        for subject in &rights.tell {
            let hearers = Stage::ALL.into_iter().filter(|hearer| authority::hears_live(*hearer));
            let accounts: Vec<&str> = hearers.map(Stage::upper).collect();
            line(format!(
                "      {{stream: {subject:?}, accounts: [{}]}}",
                accounts.join(", ")
            ));
        }
        line("    ]\n    imports: [".to_owned());
        for (teller, subject) in &rights.hear {
            line(format!(
                "      {{stream: {{account: {}, subject: {subject:?}}}}}",
                teller.upper()
            ));
        }
        for import in &rights.publish {
            let to = if import.local == import.subject {
                String::new()
            } else {
                format!(", to: {:?}", import.local)
            };
            line(format!(
                "      {{service: {{account: CORE, subject: {:?}}}{to}}}",
                import.subject
            ));
        }
        line("    ]\n  }".to_owned());
    }
    line("}".to_owned());
    text
}

/// Each exported service once, with every account that may call it.
fn exports() -> Vec<(Import, Vec<&'static str>)> {
    let mut exports: Vec<(Import, Vec<&'static str>)> = Vec::new();
    for stage in Stage::ALL {
        for import in rights(stage).publish {
            match exports.iter_mut().find(|(known, _)| known.subject == import.subject) {
                Some((_, accounts)) => accounts.push(stage.upper()),
                None => exports.push((import, vec![stage.upper()])),
            }
        }
    }
    exports
}
