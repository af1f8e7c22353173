//! Bootstrap: it makes what was asked for, once, and says so when a server has something else.

use crate::server::Server;
use async_nats::jetstream::stream;
use interlock_domain::Stage;
use interlock_domain::authority::{EDGES, record_stream};
use interlock_stage::broker::{BootstrapError, Identities, apply, unsupported};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

#[tokio::test]
async fn a_second_time_changes_nothing() {
    let server = Server::ready().await;
    let before = everything(&server).await;
    apply(&server.url, &server.identities).await.unwrap();
    assert_eq!(everything(&server).await, before);
    let text = before.to_string();
    assert_eq!(text.matches("\"deny_purge\":true").count(), 11, "{text}");
    assert_eq!(text.matches("\"durable_name\"").count(), EDGES.len(), "{text}");
}

/// Every stream and consumer with its settings and when it was made.
async fn everything(server: &Server) -> Value {
    let admin = server.admin().await;
    let mut all = Vec::new();
    let streams: Value = admin.request("STREAM.LIST", &json!({})).await.unwrap();
    for stream in streams["streams"].as_array().unwrap() {
        let name = stream["config"]["name"].as_str().unwrap();
        let consumers: Value = admin
            .request(format!("CONSUMER.LIST.{name}"), &json!({}))
            .await
            .unwrap();
        let consumers = consumers["consumers"].as_array().unwrap().iter();
        let made: Vec<_> = consumers.map(|c| json!([c["config"], c["created"]])).collect();
        all.push(json!([stream["config"], stream["created"], made]));
    }
    json!(all)
}

#[tokio::test]
async fn nobody_takes_a_record_back() {
    let server = Server::ready().await;
    let admin = server.admin().await;
    admin
        .publish("evt.planner.x.1", "once".into())
        .await
        .unwrap()
        .await
        .unwrap();
    let calls = [
        ("STREAM.MSG.DELETE.EVT_PLANNER", json!({"seq": 1})),
        ("STREAM.PURGE.EVT_PLANNER", json!({})),
    ];
    for (call, body) in calls {
        let answer: Value = admin.request(call, &body).await.unwrap();
        assert!(answer["error"]["description"].is_string(), "{call}: {answer}");
    }
    // Nor can the ban be lifted.
    let mut stream = admin.get_stream("EVT_PLANNER").await.unwrap();
    for field in ["deny_delete", "deny_purge"] {
        let mut config: Value = serde_json::to_value(&stream.cached_info().config).unwrap();
        config[field] = json!(false);
        let answer: Value = admin.request("STREAM.UPDATE.EVT_PLANNER", &config).await.unwrap();
        assert!(answer["error"]["description"].is_string(), "{field}: {answer}");
    }
    assert_eq!(stream.info().await.unwrap().state.messages, 1);
}

/// A stream that somebody made beforehand, with one setting of its own. What the error has to name.
#[tokio::test]
async fn a_stream_that_is_not_as_asked_is_named_with_the_setting() {
    let settings = [
        ("deny_delete", json!(false)),
        ("deny_purge", json!(false)),
        ("discard", json!("old")),
        ("discard_new_per_subject", json!(false)),
        ("max_msgs_per_subject", json!(2)),
        ("allow_direct", json!(false)),
        ("allow_rollup_hdrs", json!(true)),
        ("retention", json!("interest")),
        ("storage", json!("memory")),
        ("subjects", json!(["evt.planner.>"])),
        ("subjects", json!(["evt.planner.*.*", "spy.>"])),
        ("max_age", json!(3_600_000_000_000_u64)),
        ("max_msgs", json!(10)),
        ("max_bytes", json!(1_000_000)),
        ("max_msg_size", json!(1_000)),
        ("no_ack", json!(true)),
        ("duplicate_window", json!(1_000_000_000)),
        ("republish", json!({"src": "evt.planner.>", "dest": "spy.>"})),
        (
            "subject_transform",
            json!({"src": "evt.planner.*.*", "dest": "evt.planner.{{wildcard(1)}}.1"}),
        ),
        ("sources", json!([{"name": "SPY"}])),
        // This build's client does not know these.
        ("allow_msg_ttl", json!(true)),
        ("allow_msg_schedules", json!(true)),
        ("allow_atomic", json!(true)),
    ];
    let server = Server::ready().await;
    let admin = server.admin().await;
    let asked = stream_as_made(&server).await;
    for (field, value) in settings {
        admin.delete_stream("EVT_PLANNER").await.unwrap();
        let mut config = asked.clone();
        config[field] = value;
        if field == "discard" {
            config["discard_new_per_subject"] = json!(false);
        }
        if field.starts_with("allow_rollup") || field == "allow_msg_schedules" {
            config["deny_purge"] = json!(false);
            config["allow_rollup_hdrs"] = json!(true);
        }
        let made: Value = admin.request("STREAM.CREATE.EVT_PLANNER", &config).await.unwrap();
        assert!(made["error"].is_null(), "{field}: {made}");
        let error = apply(&server.url, &server.identities).await.unwrap_err();
        let BootstrapError::Differs { what, difference } = &error else {
            panic!("{field}: {error}");
        };
        assert_eq!(what, "stream EVT_PLANNER");
        assert!(difference.contains(&format!("{field} is ")), "{field}: {difference}");
    }
}

async fn stream_as_made(server: &Server) -> Value {
    let admin = server.admin().await;
    let answer: Value = admin.request("STREAM.INFO.EVT_PLANNER", &json!({})).await.unwrap();
    answer["config"].clone()
}

#[tokio::test]
async fn a_consumer_that_is_not_as_asked_is_put_right_or_named() {
    let server = Server::ready().await;
    let admin = server.admin().await;
    let stream = record_stream(Stage::Gateway);
    // (setting, value, whether a server can change it back)
    let settings = [
        ("ack_wait", json!(1_000_000_000), true),
        ("max_deliver", json!(3), true),
        ("filter_subject", json!("evt.gateway.other.*"), true),
        ("deliver_policy", json!("new"), false),
        ("ack_policy", json!("none"), false),
    ];
    let call = format!("CONSUMER.INFO.{stream}.planner");
    let info: Value = admin.request(call.clone(), &json!({})).await.unwrap();
    let asked = info["config"].clone();
    for (field, value, changeable) in settings {
        let delete = format!("CONSUMER.DELETE.{stream}.planner");
        let _: Value = admin.request(delete, &json!({})).await.unwrap();
        let mut config = asked.clone();
        config[field] = value;
        if field == "ack_policy" {
            for setting in ["ack_wait", "max_ack_pending"] {
                config.as_object_mut().unwrap().remove(setting);
            }
        }
        let create = format!("CONSUMER.DURABLE.CREATE.{stream}.planner");
        let body = json!({"stream_name": stream, "config": config});
        let made: Value = admin.request(create, &body).await.unwrap();
        assert!(made["error"].is_null(), "{field}: {made}");
        match apply(&server.url, &server.identities).await {
            Ok(()) => {
                assert!(changeable, "{field}");
                let info: Value = admin.request(call.clone(), &json!({})).await.unwrap();
                assert_eq!(info["config"][field], asked[field], "{field}");
            }
            Err(error) => {
                assert!(!changeable, "{field}: {error}");
                assert!(error.to_string().contains("consumer planner on EVT_GATEWAY"), "{error}");
            }
        }
    }
}

#[test]
fn versions_are_compared_as_numbers() {
    for old in [
        "2.9.10", "2.9.99", "1.4.1", "0.0.0", "v2.9.0", "2", "", "dev", "2.x", "-2.14.0",
    ] {
        assert!(unsupported(old), "{old}");
    }
    for new in [
        "2.10.0",
        "2.10.0-beta.1",
        "2.14.0",
        "2.100.1",
        "3.0.0",
        "v2.12.1",
        "2.11",
    ] {
        assert!(!unsupported(new), "{new}");
    }
}

#[tokio::test]
async fn an_old_server_is_refused_with_its_version_and_ours() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (read, mut write) = stream.into_split();
        let info = json!({
            "server_id": "OLD", "server_name": "old", "version": "2.9.10", "proto": 1, "go": "go1.19",
            "host": "127.0.0.1", "port": 4222, "headers": true, "max_payload": 1_048_576, "client_id": 1,
            "nonce": "abcdefghijk", "auth_required": true, "jetstream": true
        });
        write.write_all(format!("INFO {info}\r\n").as_bytes()).await.unwrap();
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            assert!(!line.starts_with("PUB") && !line.starts_with("HPUB"), "{line}");
            if line == "PING" {
                write.write_all(b"PONG\r\n").await.unwrap();
            }
        }
    });
    let dir = tempfile::tempdir().unwrap();
    let identities = Identities::ensure(dir.path()).unwrap();
    let error = apply(&url, &identities).await.unwrap_err();
    assert!(matches!(error, BootstrapError::TooOld(_, _)), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("2.9.10") && text.contains("install 2.10.0 or newer"),
        "{text}"
    );
    // Nothing was asked of it.
    server.await.unwrap();
}

#[tokio::test]
async fn no_server_is_an_error_that_names_the_address() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("nats://{}", free.local_addr().unwrap());
    drop(free);
    let dir = tempfile::tempdir().unwrap();
    let identities = Identities::ensure(dir.path()).unwrap();
    let error = apply(&url, &identities).await.unwrap_err();
    assert!(matches!(error, BootstrapError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&url), "{error}");
}

#[tokio::test]
async fn identities_are_kept_and_stay_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = Server::bare().await;
    let dir = server.dir().join("identities");
    let again = Identities::ensure(&dir).unwrap();
    assert_eq!(again.admin_seed(), server.identities.admin_seed());
    for stage in Stage::ALL {
        assert_eq!(again.public(stage), server.identities.public(stage));
        let seed = std::fs::metadata(Identities::seed_file(&dir, stage)).unwrap();
        assert_eq!(seed.permissions().mode() & 0o077, 0, "{stage}");
    }
    let config = std::fs::read_to_string(server.dir().join("nats.conf")).unwrap();
    assert!(!config.contains(again.admin_seed()) && config.contains(again.admin_public()));
    std::fs::write(dir.join("planner.nk"), "no key").unwrap();
    let Err(error) = Identities::ensure(&dir) else {
        panic!("a file without a key was taken for one");
    };
    assert!(error.to_string().contains("planner.nk"), "{error}");
}

#[tokio::test]
async fn the_stream_of_a_stage_takes_nothing_but_its_own_subjects() {
    let server = Server::ready().await;
    let admin = server.admin().await;
    for stage in Stage::ALL {
        let stream = admin.get_stream(record_stream(stage)).await.unwrap();
        let config: &stream::Config = &stream.cached_info().config;
        let mut subjects = vec![format!("evt.{stage}.*.*")];
        if stage == Stage::Gateway {
            subjects.push("ctl.*.*".to_owned());
        }
        assert_eq!(config.subjects, subjects);
    }
}
