//! What depends on the environment of the process: proxies and trusted certificates. Each test runs
//! itself once more as a process with that environment.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use interlock_model::{Client, ConfigError, ModelError, Protocol};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::scripts::{Scripted, ask, exhausted, quick};

const INNER: &str = "INTERLOCK_TEST_INNER";

/// In the outer process: runs the test of this name in an inner one, and returns `false`.
fn is_inner(test: &str, environment: &[(&str, &Path)]) -> bool {
    if std::env::var_os(INNER).is_some() {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        // Else the machine's own certificates would be trusted beside the given ones.
        .env_remove("SSL_CERT_DIR")
        .env(INNER, "1")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("1 passed"), "{shown}");
    false
}

fn tls(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(file)
}

#[tokio::test]
async fn no_proxy_stands_between_this_machine_and_itself() {
    // The discard port: a proxy that nobody could get through.
    let proxy = Path::new("http://127.0.0.1:9");
    let environment = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map(|name| (name, proxy));
    if is_inner(
        "environment::no_proxy_stands_between_this_machine_and_itself",
        &environment,
    ) {
        let scripted = Scripted::new("fine").await;
        assert_eq!(scripted.ask(Protocol::OpenAi).await.unwrap().text, "fine");
    }
}

#[tokio::test]
async fn tls_works_with_a_trusted_certificate() {
    let ca = tls("ca.pem");
    if is_inner(
        "environment::tls_works_with_a_trusted_certificate",
        &[("SSL_CERT_FILE", &ca)],
    ) {
        let answer = ask(quick(&tls_server(), Protocol::OpenAi)).await.unwrap();
        assert_eq!(answer.text, "safe");
    }
}

#[tokio::test]
async fn tls_refuses_a_certificate_that_nobody_trusts() {
    let other = tls("other-ca.pem");
    if is_inner(
        "environment::tls_refuses_a_certificate_that_nobody_trusts",
        &[("SSL_CERT_FILE", &other)],
    ) {
        let last = exhausted(ask(quick(&tls_server(), Protocol::OpenAi)).await);
        assert!(matches!(last, ModelError::Unreachable(_)), "{last:?}");
    }
}

#[tokio::test]
async fn certificates_are_needed_for_tls_and_for_nothing_else() {
    if is_inner(
        "environment::certificates_are_needed_for_tls_and_for_nothing_else",
        &[("SSL_CERT_FILE", Path::new("/dev/null"))],
    ) {
        let scripted = Scripted::new("fine").await;
        assert_eq!(scripted.ask(Protocol::OpenAi).await.unwrap().text, "fine");
        let error = Client::new(quick("https://127.0.0.1:1/v1", Protocol::OpenAi)).unwrap_err();
        assert!(matches!(error, ConfigError::Http(_)), "{error:?}");
    }
}

/// An HTTPS server that says "safe" to everybody; lives as long as the process.
fn tls_server() -> String {
    let chain = vec![CertificateDer::from(&include_bytes!("../tls/server.der")[..])];
    let key = PrivateKeyDer::try_from(&include_bytes!("../tls/server.key.der")[..]).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(session, socket.unwrap()));
            let mut line = String::new();
            // The head is enough to answer; a client that does not trust us sends none.
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let reply = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
                data: {\"choices\":[{\"delta\":{\"content\":\"safe\"},\"finish_reason\":\"stop\"}]}\n\n\
                data: [DONE]\n\n";
            stream.get_mut().write_all(reply.as_bytes()).ok();
            stream.get_mut().flush().ok();
            // Drain until the client closes, so that no reset overtakes the reply.
            while stream.read_line(&mut line).is_ok_and(|read| read > 0) {}
        }
    });
    url
}
