//! That the acts are real and the eyes are open: with the same permissions inside one single account, the
//! confused deputies do as they are told, and the table shows it.

use super::deputies;
use super::world::World;
use crate::server::{SOON, Server};
use interlock_domain::Stage;
use interlock_stage::broker::{API_PREFIX, Identities, rights};
use std::fmt::Write as _;
use std::time::Instant;

#[tokio::test]
async fn inside_one_account_the_deputies_forge() {
    let server = Server::with_config(one_account).await;
    interlock_stage::broker::apply(&server.url, &server.identities)
        .await
        .unwrap();
    let mut world = World::on(server).await;
    // All but the last two: a trace goes nowhere and nothing but the gateway reads by sequence.
    let mut rows = deputies::rows();
    rows.truncate(rows.len() - 2);
    for row in rows {
        let mut changed = world.attempt(Stage::Generator, &row).await.changed;
        let deadline = Instant::now() + SOON;
        while !changed.iter().any(|what| what.starts_with("stream")) {
            assert!(Instant::now() < deadline, "the generator could not {}", row.what);
            changed = world.changes().await;
        }
    }
}

/// The configuration that Interlock must not have: same rights, same keys, one account.
fn one_account(identities: &Identities, host: &str, port: i32, store: &str, ports: Option<&str>) -> String {
    let mut text = format!(
        "host: {host}\nport: {port}\nports_file_dir: {:?}\nserver_name: weak\n\
         jetstream {{ store_dir: {store:?}, sync_interval: always }}\n\
         accounts {{ CORE {{ jetstream: enabled, mappings: {{ {:?}: {:?} }}\n users: [ {{nkey: {}}}\n",
        ports.unwrap(),
        format!("{API_PREFIX}.>"),
        "$JS.API.>",
        identities.admin_public()
    );
    for stage in Stage::ALL {
        let rights = rights(stage);
        // The server asks for the right to the name and to what it is mapped to.
        let names = rights
            .publish
            .iter()
            .flat_map(|import| [&import.local, &import.subject]);
        let publish: Vec<String> = names.map(|name| format!("{name:?}")).collect();
        writeln!(
            text,
            "{{nkey: {}, permissions: {{ publish: [{}], subscribe: {:?} }}}}",
            identities.public(stage),
            publish.join(", "),
            rights.subscribe
        )
        .unwrap();
    }
    text + "] } }\n"
}
