//! What an attack program aims at: a service with a secret, files outside, listening sockets. And the table of what must
//! come of each attempt against what was seen.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process};
use std::time::{Duration, Instant};

use interlock_sandbox::{Profile, Tier};

/// A process of the host with a secret in its environment, that makes a file when it gets a signal. Ended when dropped.
pub struct Service(Child, PathBuf);

impl Service {
    /// `start` is what is put before the service's own words, such as a program that lowers its rights first.
    pub fn start(folder: &Path, start: &[String]) -> Service {
        let (ready, hit) = (folder.join("ready"), folder.join("hit"));
        let script = "trap 'echo > \"$HIT\"' WINCH; echo > \"$READY\"; while :; do sleep 0.05; done";
        let words = ["/bin/sh", "-c", script].map(str::to_owned);
        let mut words = start.iter().chain(&words);
        let child = Process::new(words.next().unwrap())
            .args(words)
            .env("KEY", "interlock_test_secret")
            .env("READY", &ready)
            .env("HIT", &hit)
            .spawn()
            .unwrap();
        wait_for(&ready);
        Service(child, hit)
    }

    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Whether a signal has reached it so far. Then sends one, to see that it would have been noticed.
    pub fn was_hit(&self) -> bool {
        let hit = self.1.exists();
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.0.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::WINCH).unwrap();
        wait_for(&self.1);
        hit
    }
}

pub fn wait_for(path: &Path) {
    let begun = Instant::now();
    while !path.exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{} did not come",
            path.display()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Everything that is aimed at.
pub struct Arena {
    pub service: Service,
    outside: PathBuf,
    before: std::fs::Metadata,
    tcp: TcpListener,
    udp: UdpSocket,
    name: String,
    _abstract: UnixListener,
    abstract_datagrams: UnixDatagram,
    _path: UnixListener,
    datagrams: UnixDatagram,
}

impl Arena {
    /// In a folder of its own; `name` is for abstract sockets.
    pub fn new(folder: &Path, name: &str, service: Service) -> Arena {
        let outside = folder.join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("secret"), "secret").unwrap();
        let named = |name: String| SocketAddr::from_abstract_name(name).unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        udp.set_nonblocking(true).unwrap();
        let abstract_datagrams = UnixDatagram::bind_addr(&named(format!("{name}-datagram"))).unwrap();
        abstract_datagrams.set_nonblocking(true).unwrap();
        let datagrams = UnixDatagram::bind(outside.join("datagram")).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        Arena {
            service,
            before: std::fs::metadata(outside.join("secret")).unwrap(),
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp,
            name: name.to_owned(),
            _abstract: UnixListener::bind_addr(&named(name.to_owned())).unwrap(),
            abstract_datagrams,
            _path: UnixListener::bind(outside.join("socket")).unwrap(),
            datagrams,
            outside,
        }
    }

    /// What `attacks.py` reads from its stdin.
    pub fn targets(&self, launcher: &Path, home: &Path) -> Vec<u8> {
        let outside = &self.outside;
        serde_json::json!({
            "launcher": launcher, "service": self.service.id(), "secret": outside.join("secret"), "outside": outside,
            "home": home, "tcp": self.tcp.local_addr().unwrap().port(), "udp": self.udp.local_addr().unwrap().port(),
            "abstract": self.name, "socket": outside.join("socket"), "datagram": outside.join("datagram"),
        })
        .to_string()
        .into_bytes()
    }

    /// Nothing of it was touched.
    pub fn assert_untouched(&self) {
        let secret = self.outside.join("secret");
        let after = std::fs::metadata(&secret).unwrap();
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
        assert_eq!(
            (self.before.permissions(), self.before.modified().unwrap()),
            (after.permissions(), after.modified().unwrap())
        );
        assert!(!self.outside.join("planted").exists());
        assert!(!self.service.was_hit(), "the service got a signal");
        assert!(self.udp.recv(&mut [0; 8]).is_err() && self.datagrams.recv(&mut [0; 8]).is_err());
        assert!(self.abstract_datagrams.recv(&mut [0; 8]).is_err());
    }
}

/// What gets through and is known to: see README.md, "What is left open".
pub fn known(tier: Tier, profile: Profile) -> &'static [&'static str] {
    match (tier, profile) {
        (Tier::Namespaces, Profile::Strict | Profile::Work) => &[],
        (Tier::Landlock, Profile::Strict) => &["metadata_outside", "service_command_line"],
        // Landlock confines pathname sockets from ABI 9 on.
        (Tier::Landlock, Profile::Work) => &["metadata_outside", "service_command_line", "path_socket"],
    }
}

/// The attempts of `attacks.py` by name, expected against seen.
///
/// # Panics
/// With the table, if anything got through that is not known to; or if attempts are missing.
pub fn assert_refused(place: &str, known: &[&str], answers: &str) {
    let answers: BTreeMap<String, String> =
        serde_json::from_str(answers).unwrap_or_else(|e| panic!("{place}: {e}: {answers}"));
    let mut table = format!("{place}\n{:<34}{:<12}seen\n", "attack", "expected");
    let mut good = answers.len() > 40;
    for (name, seen) in &answers {
        let open = known.contains(&name.as_str());
        let expected = if open { "known open" } else { "refused" };
        // What is known to be open may be closed by a newer kernel.
        let wrong = seen == "through" && !open;
        good &= !wrong;
        let mark = if wrong { "   <-- WRONG" } else { "" };
        writeln!(table, "{name:<34}{expected:<12}{seen}{mark}").unwrap();
    }
    assert!(good, "{table}{} attempts", answers.len());
}
