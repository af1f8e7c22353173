//! What a hostile program would try first, tried by ourselves inside the sandbox at boot. Answers with what happened;
//! what should have happened is the prober's business (`policy/canaries.json`).

use std::fs::{self, File};
use std::io::{self, Read};
use std::net::{TcpStream, UdpSocket};
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

/// What there is to attack. Written to the canary's stdin.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Targets {
    /// A file that is mounted, as the sandbox sees it.
    pub(crate) mounted: PathBuf,
    /// A folder that is mounted writable, as the sandbox sees it.
    pub(crate) writable: PathBuf,
    /// A file of the host that is not mounted.
    pub(crate) secret: PathBuf,
    /// A folder of the host that is not mounted.
    pub(crate) outside: PathBuf,
    /// A process of the host.
    pub(crate) service: i32,
    /// A UDP port of the host's loopback.
    pub(crate) udp: u16,
    /// A TCP port of the host's loopback.
    pub(crate) tcp: u16,
}

/// One attempt: its name, and the error if it was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) name: String,
    pub(crate) refused: Option<String>,
}

/// Makes every attempt and prints the answers as one JSON list.
pub(super) fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let targets: Targets = serde_json::from_str(&text)?;
    let attempts: Vec<Attempt> = all(&targets)
        .into_iter()
        .map(|(name, result)| Attempt {
            name: name.to_owned(),
            refused: result.err().map(|e| e.to_string()),
        })
        .collect();
    println!("{}", serde_json::to_string(&attempts)?);
    Ok(())
}

fn all(targets: &Targets) -> Vec<(&'static str, io::Result<()>)> {
    let read_only = targets.mounted.with_file_name("planted");
    vec![
        ("read_mounted", read(&targets.mounted)),
        ("write_mounted", write(targets.writable.join("written"))),
        ("secret_file", read(&targets.secret)),
        ("write_outside", write(targets.outside.join("planted"))),
        ("write_read_only", write(read_only)),
        (
            "service_environment",
            read(&PathBuf::from(format!("/proc/{}/environ", targets.service))),
        ),
        ("signal_service", signal(targets.service)),
        ("udp", udp(targets.udp)),
        (
            "tcp",
            TcpStream::connect_timeout(&([127, 0, 0, 1], targets.tcp).into(), Duration::from_secs(2)).map(drop),
        ),
        ("nested_user_namespace", nested()),
    ]
}

fn read(path: &PathBuf) -> io::Result<()> {
    let mut byte = [0; 1];
    File::open(path)?.read_exact(&mut byte)
}

fn write(path: PathBuf) -> io::Result<()> {
    fs::write(path, "canary")
}

/// Signal zero: permission without effect.
fn signal(pid: i32) -> io::Result<()> {
    let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(rustix::process::test_kill_process(pid)?)
}

fn udp(port: u16) -> io::Result<()> {
    UdpSocket::bind(("127.0.0.1", 0))?
        .send_to(b"canary", ("127.0.0.1", port))
        .map(drop)
}

#[expect(
    unsafe_code,
    reason = "unshare has no safe form: other flags would divide descriptors between threads"
)]
fn nested() -> io::Result<()> {
    // SAFETY: only namespaces are divided, and this process has a single thread that exits afterwards.
    Ok(unsafe { rustix::thread::unshare_unsafe(rustix::thread::UnshareFlags::NEWUSER) }?)
}
