//! Makes identities, the broker's configuration, and its streams and consumers.
//!
//! The only program that holds the bootstrap identity. It writes no record and stays no longer
//! than its work takes.

use interlock_stage::broker::{self, Identities};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str =
    "usage: interlock-bootstrap config DIR PORT STORE_DIR PORTS_DIR   write identities and DIR/nats.conf
       interlock-bootstrap apply DIR URL                       make streams and consumers";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["config", dir, port, store, ports] => write_config(dir, port, store, ports),
        ["apply", dir, url] => apply(dir, url).await,
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interlock-bootstrap: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_config(dir: &str, port: &str, store: &str, ports: &str) -> Result<(), Box<dyn Error>> {
    let dir = PathBuf::from(dir);
    let identities = Identities::ensure(&dir)?;
    let port = port.parse().map_err(|e| format!("{port:?} is no port: {e}"))?;
    let text = broker::server_config(&identities, "127.0.0.1", port, store, Some(ports));
    std::fs::write(dir.join("nats.conf"), text)?;
    Ok(())
}

async fn apply(dir: &str, url: &str) -> Result<(), Box<dyn Error>> {
    let identities = Identities::ensure(&PathBuf::from(dir))?;
    // The server may be a moment younger than we are.
    let mut tries = 0;
    loop {
        match broker::apply(url, &identities).await {
            Err(broker::BootstrapError::Unreachable { .. }) if tries < 100 => {
                tries += 1;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            done => return Ok(done?),
        }
    }
}
