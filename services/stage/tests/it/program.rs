//! The program `interlock-bootstrap`, as the local stack and a deployment start it.

use crate::server::Server;
use std::process::{Command, Output};

fn bootstrap(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_interlock-bootstrap"))
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn it_says_how_it_is_used() {
    let calls: [&[&str]; 4] = [&[], &["apply"], &["config", "dir"], &["destroy", "a", "b"]];
    for args in calls {
        let output = bootstrap(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).starts_with("usage:"),
            "{args:?}"
        );
    }
}

#[test]
fn it_writes_a_configuration_that_holds_no_secret() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().to_str().unwrap();
    let output = bootstrap(&["config", at, "4222", "store", "ports"]);
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read_to_string(dir.path().join("nats.conf")).unwrap();
    assert!(text.contains("host: 127.0.0.1\nport: 4222"), "{text}");
    assert!(text.contains("sync_interval: always"), "{text}");
    for name in ["admin", "planner", "generator", "verifier", "executor", "gateway"] {
        let seed = std::fs::read_to_string(dir.path().join(format!("{name}.nk"))).unwrap();
        assert!(seed.starts_with("SU") && !text.contains(&seed), "{name}");
    }
    let output = bootstrap(&["config", at, "many", "store", "ports"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("\"many\" is no port"),
        "{output:?}"
    );
}

#[tokio::test]
async fn it_makes_streams_and_consumers_and_may_be_started_again() {
    let server = Server::bare().await;
    let identities = server.dir().join("identities");
    for _ in 0..2 {
        let output = bootstrap(&["apply", identities.to_str().unwrap(), &server.url]);
        assert!(output.status.success(), "{output:?}");
    }
    let admin = server.admin().await;
    let mut config = admin
        .get_stream("EVT_GATEWAY")
        .await
        .unwrap()
        .cached_info()
        .config
        .clone();
    admin.delete_stream("EVT_GATEWAY").await.unwrap();
    config.deny_delete = false;
    admin.create_stream(config).await.unwrap();
    let output = bootstrap(&["apply", identities.to_str().unwrap(), &server.url]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("stream EVT_GATEWAY: deny_delete is not set, asked for was true"),
        "{said}"
    );
}
