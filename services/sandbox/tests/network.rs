//! A program reaches what it is allowed to, through the proxy and in no other way; what else it wanted is reported.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

mod lab;

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use interlock_sandbox::{Arg, Command, End, Profile, Tier};
use lab::Bench;
use tokio_util::sync::CancellationToken;

/// A server of the machine that answers every request with its path. Answers with its port.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let mut bytes = [0; 4096];
            let count = connection.read(&mut bytes).unwrap_or(0);
            let head = String::from_utf8_lossy(&bytes[..count]).into_owned();
            let path = head.split(' ').nth(1).unwrap_or("-").to_owned();
            let body = format!("you asked for {path}");
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            let _ = connection.write_all(answer.as_bytes());
        }
    });
    port
}

fn asking(bench: &Bench, allowed: u16, denied: u16) -> Command {
    let mut command = bench.program("network.py");
    command
        .args
        .extend([allowed, denied].map(|port| Arg::text(port.to_string())));
    // The marker comes first, and the program wants its ports.
    command.args.remove(2);
    command
}

#[tokio::test]
async fn what_is_allowed_is_reached_and_nothing_else() {
    let (allowed, denied) = (server(), server());
    let bench = Bench::new(Tier::Namespaces).await;
    let mut command = asking(&bench, allowed, denied);
    command.limits.network = vec![format!("127.0.0.1:{allowed}").parse().unwrap()];
    let seen = bench.run(command).await;
    assert_eq!(seen.end, End::Exited(0), "{}", seen.stderr.to_text());
    let answers: BTreeMap<String, String> = serde_json::from_str(&seen.stdout.to_text()).unwrap();
    assert_eq!(answers["allowed"], "you asked for /hello?x=1");
    assert_eq!(answers["tunnel"], "you asked for /tunnel");
    let refused = &answers["denied"];
    assert!(
        refused.starts_with("403") && refused.contains(&format!("it allows 127.0.0.1:{allowed}")),
        "{refused}"
    );
    assert!(answers["denied tunnel"].contains(" 403 "), "{answers:?}");
    assert!(answers["garbage"].contains(" 400 "), "{answers:?}");
    for way in ["direct", "datagram"] {
        assert!(answers[way].starts_with("closed"), "{answers:?}");
    }
    assert_eq!(seen.denied, [format!("127.0.0.1:{denied}")]);
}

#[tokio::test]
async fn the_proxy_is_bounded_in_everything() {
    let allowed = server();
    let bench = Bench::new(Tier::Namespaces).await;
    let mut command = bench.program("network_limits.py");
    command.args.push(Arg::text(allowed.to_string()));
    command.args.remove(2);
    command.limits.network = vec![format!("127.0.0.1:{allowed}").parse().unwrap()];
    let seen = bench.run(command).await;
    assert_eq!(seen.end, End::Exited(0), "{}", seen.stderr.to_text());
    let answers: BTreeMap<String, String> = serde_json::from_str(&seen.stdout.to_text()).unwrap();
    let long = answers["long head"].as_str();
    assert!(
        ["", "ConnectionResetError", "BrokenPipeError"].contains(&long),
        "{answers:?}"
    );
    assert!(answers["denied"].contains(" 403 "), "{answers:?}");
    assert_eq!(seen.denied.len(), 32, "{:?}", seen.denied);
    assert_eq!(answers["one too many"], "TimeoutError", "{answers:?}");
    assert!(answers["when there is room"].contains(" 200 "), "{answers:?}");
}

#[tokio::test]
async fn without_a_network_there_is_neither_socket_nor_proxy() {
    let port = server();
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let seen = bench.run(asking(&bench, port, port)).await;
        assert_eq!(seen.end, End::Exited(0), "{}", seen.stderr.to_text());
        let answers: BTreeMap<String, String> = serde_json::from_str(&seen.stdout.to_text()).unwrap();
        assert_eq!(answers.len(), 2, "{answers:?}");
        assert!(
            answers.values().all(|answer| answer.starts_with("closed")),
            "{answers:?}"
        );
        assert!(seen.denied.is_empty());
    }
}

#[tokio::test]
async fn a_network_is_refused_where_hosts_cannot_be_told_apart() {
    for (tier, profile) in [(Tier::Landlock, Profile::Work), (Tier::Namespaces, Profile::Strict)] {
        let bench = Bench::new(tier).await;
        let mut command = asking(&bench, 1, 1);
        command.profile = profile;
        command.limits.network = vec!["example.org:443".parse().unwrap()];
        let error = bench.sandbox.run(command, CancellationToken::new()).await.unwrap_err();
        assert!(error.to_string().contains("network"), "{error}");
    }
}
