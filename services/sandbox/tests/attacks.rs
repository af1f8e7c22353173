//! What a hostile program tries gets it nowhere, in both tiers and both profiles; and the service's things are as they
//! were afterwards.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

mod lab;

use std::collections::BTreeMap;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process};
use std::time::{Duration, Instant};

use interlock_sandbox::{Arg, End, Profile, Tier};
use lab::Bench;
use tokio_util::sync::CancellationToken;

/// A process of the host with a secret in its environment, that makes a file when it gets a signal. Ended when dropped.
struct Service(Child, PathBuf);

impl Service {
    fn start(folder: &Path) -> Service {
        let (ready, hit) = (folder.join("ready"), folder.join("hit"));
        let script = "trap 'echo > \"$HIT\"' WINCH; echo > \"$READY\"; while :; do sleep 0.05; done";
        let child = Process::new("/bin/sh")
            .args(["-c", script])
            .env("KEY", "interlock_test_secret")
            .env("READY", &ready)
            .env("HIT", &hit)
            .spawn()
            .unwrap();
        wait_for(&ready);
        Service(child, hit)
    }

    /// Whether a signal has reached it so far. Then sends one, to see that it would have been noticed.
    fn was_hit(&self) -> bool {
        let hit = self.1.exists();
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.0.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::WINCH).unwrap();
        wait_for(&self.1);
        hit
    }
}

fn wait_for(path: &Path) {
    let begun = Instant::now();
    while !path.exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
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

/// What gets through and is known to: see README.md, "What is left open".
fn known(tier: Tier, profile: Profile) -> &'static [&'static str] {
    match (tier, profile) {
        (Tier::Namespaces, Profile::Strict | Profile::Work) => &[],
        (Tier::Landlock, Profile::Strict) => &["metadata_outside", "service_command_line"],
        // Landlock confines pathname sockets from ABI 9 on.
        (Tier::Landlock, Profile::Work) => &["metadata_outside", "service_command_line", "path_socket"],
    }
}

#[tokio::test]
async fn nothing_gets_through() {
    for tier in Tier::ALL {
        for profile in [Profile::Strict, Profile::Work] {
            let bench = Bench::new(tier).await;
            let service = Service::start(bench.folder.path());
            let outside = bench.folder.path().join("outside");
            std::fs::create_dir(&outside).unwrap();
            std::fs::write(outside.join("secret"), "secret").unwrap();
            let before = std::fs::metadata(outside.join("secret")).unwrap();
            let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
            let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
            udp.set_nonblocking(true).unwrap();
            let name = bench.marker();
            let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
            let abstract_datagrams =
                UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(format!("{name}-datagram")).unwrap()).unwrap();
            abstract_datagrams.set_nonblocking(true).unwrap();
            let _path = UnixListener::bind(outside.join("socket")).unwrap();
            let datagrams = UnixDatagram::bind(outside.join("datagram")).unwrap();
            datagrams.set_nonblocking(true).unwrap();

            let mut command = bench.program("attacks.py");
            command.profile = profile;
            command.stdin = Some(
                serde_json::json!({
                    "launcher": env!("CARGO_BIN_EXE_interlock-launcher"), "service": service.0.id(), "secret": outside.join("secret"), "outside": outside,
                    "home": std::env::var("HOME").unwrap_or("/root".into()),
                    "tcp": tcp.local_addr().unwrap().port(), "udp": udp.local_addr().unwrap().port(),
                    "abstract": name, "socket": outside.join("socket"), "datagram": outside.join("datagram"),
                })
                .to_string()
                .into_bytes(),
            );
            let seen = bench.run(command).await;
            assert_eq!(seen.end, End::Exited(0), "{seen:?}");
            let answers: BTreeMap<String, String> = serde_json::from_str(&seen.stdout.to_text()).unwrap();
            assert!(answers.len() > 40, "{answers:?}");
            let through: Vec<&String> = answers
                .iter()
                .filter(|(_, answer)| *answer == "through")
                .map(|(name, _)| name)
                .collect();
            let unknown: Vec<_> = through
                .iter()
                .filter(|name| !known(tier, profile).contains(&name.as_str()))
                .collect();
            assert!(
                unknown.is_empty(),
                "{tier} {profile:?}: {unknown:?} got through; all: {answers:?}"
            );

            let after = std::fs::metadata(outside.join("secret")).unwrap();
            assert_eq!(std::fs::read_to_string(outside.join("secret")).unwrap(), "secret");
            assert_eq!(
                (before.permissions(), before.modified().unwrap()),
                (after.permissions(), after.modified().unwrap())
            );
            assert!(!outside.join("planted").exists());
            assert!(!service.was_hit(), "{tier} {profile:?}: the service got a signal");
            assert!(udp.recv(&mut [0; 8]).is_err() && datagrams.recv(&mut [0; 8]).is_err());
            assert!(abstract_datagrams.recv(&mut [0; 8]).is_err());
            let names: Vec<_> = std::fs::read_dir(bench.folder.path().join("src")).unwrap().collect();
            assert_eq!(names.len(), 1, "the sources are as they were");
        }
    }
}

/// Two programs in sandboxes of their own, of the same service: to each other they are strangers.
#[tokio::test]
async fn a_program_gets_nowhere_with_another_one() {
    for tier in Tier::ALL {
        let (theirs, ours) = (Bench::new(tier).await, Bench::new(tier).await);
        let mut command = theirs.program("stubborn.py");
        let secret = Arg::text("interlock_test_secret");
        command.env.insert("KEY".to_owned(), secret);
        let cancel = CancellationToken::new();
        let attack = async {
            let program = alive(&theirs).await;
            std::fs::write(theirs.out().join("secret"), "secret").unwrap();
            let mut command = ours.program("attacks.py");
            command.stdin = Some(
                serde_json::json!({
                    "service": program, "secret": theirs.out().join("secret"), "outside": theirs.out(),
                    "home": theirs.folder.path().join("src"), "launcher": env!("CARGO_BIN_EXE_interlock-launcher"),
                    "tcp": 1, "udp": 1, "abstract": "none", "socket": "none", "datagram": "none",
                })
                .to_string()
                .into_bytes(),
            );
            let seen = ours.run(command).await;
            cancel.cancel();
            seen
        };
        let (other, seen) = tokio::join!(theirs.sandbox.run(command, cancel.clone()), attack);
        assert_eq!(other.unwrap().end, End::Cancelled, "it lived until it was cancelled");
        let answers: BTreeMap<String, String> = serde_json::from_str(&seen.stdout.to_text()).unwrap();
        let known = known(tier, Profile::Work);
        let through = answers
            .iter()
            .filter(|(name, answer)| *answer == "through" && !known.contains(&name.as_str()));
        assert_eq!(through.count(), 0, "{tier}: {answers:?}");
        assert_eq!(std::fs::read_dir(theirs.out()).unwrap().count(), 1);
    }
}

/// The process id, on this side, of a bench's program, as soon as it runs.
async fn alive(bench: &Bench) -> u32 {
    loop {
        for process in bench.running() {
            let (pid, line) = process.split_once(": ").unwrap();
            if line.starts_with("/usr/bin/python3 ") {
                return pid.parse().unwrap();
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn calls_through_the_32_bit_door_are_fatal() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let seen = bench.run(bench.program("native_code.py")).await;
        assert_eq!(seen.end, End::Signaled(libc::SIGSYS), "{seen:?}");
        assert_eq!(seen.stdout.total_bytes, 0);
    }
}

#[tokio::test]
async fn every_call_on_the_list_is_refused() {
    let list: serde_json::Value = serde_json::from_str(include_str!("../policy/refused.json")).unwrap();
    let listed: Vec<(String, i64)> = list["refused"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry.get("only").is_none_or(|only| only == std::env::consts::ARCH))
        .map(|entry| entry["syscall"].as_str().unwrap().to_owned())
        .map(|name| {
            let number = number(&name);
            (name, number)
        })
        .collect();
    let absent = [
        "clone3",
        "io_uring_setup",
        "io_uring_enter",
        "io_uring_register",
        "userfaultfd",
        "memfd_create",
    ];
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.program("syscalls.py");
        command.args.pop();
        command
            .args
            .extend(listed.iter().map(|(_, number)| Arg::text(number.to_string())));
        command
            .args
            .extend(absent.iter().map(|name| Arg::text(number(name).to_string())));
        let seen = bench.run(command).await;
        let answers: Vec<i32> = serde_json::from_str(&seen.stdout.to_text()).unwrap();
        assert_eq!(answers.len(), listed.len() + absent.len());
        for ((name, _), answer) in listed.iter().zip(&answers) {
            assert_eq!(*answer, libc::EPERM, "{name} in {tier}");
        }
        for (name, answer) in absent.iter().zip(&answers[listed.len()..]) {
            assert_eq!(*answer, libc::ENOSYS, "{name} in {tier}");
        }
    }
}

/// The number of a call on this processor.
fn number(name: &str) -> i64 {
    macro_rules! numbers {
        ($($name:ident => $number:expr),* $(,)?) => {
            match name {
                $(stringify!($name) => $number,)*
                other => panic!("no number for {other}"),
            }
        };
    }
    numbers! {
        ptrace => libc::SYS_ptrace, process_vm_readv => libc::SYS_process_vm_readv, process_vm_writev => libc::SYS_process_vm_writev,
        mq_open => libc::SYS_mq_open, shmget => libc::SYS_shmget, semget => libc::SYS_semget, msgget => libc::SYS_msgget,
        io_setup => libc::SYS_io_setup, name_to_handle_at => libc::SYS_name_to_handle_at,
        open_by_handle_at => libc::SYS_open_by_handle_at, mknod => libc::SYS_mknod, mknodat => libc::SYS_mknodat, chown => libc::SYS_chown,
        fchownat => libc::SYS_fchownat, setuid => libc::SYS_setuid, setgid => libc::SYS_setgid, setgroups => libc::SYS_setgroups,
        setresuid => libc::SYS_setresuid, setxattr => libc::SYS_setxattr, removexattr => libc::SYS_removexattr, sync => libc::SYS_sync,
        syncfs => libc::SYS_syncfs, ioprio_set => libc::SYS_ioprio_set, mlockall => libc::SYS_mlockall, vmsplice => libc::SYS_vmsplice,
        fanotify_mark => libc::SYS_fanotify_mark, listmount => 458, statmount => 457,
        capset => libc::SYS_capset, adjtimex => libc::SYS_adjtimex, clock_adjtime => libc::SYS_clock_adjtime,
        unshare => libc::SYS_unshare, setns => libc::SYS_setns, mount => libc::SYS_mount, umount2 => libc::SYS_umount2,
        pivot_root => libc::SYS_pivot_root, chroot => libc::SYS_chroot, bpf => libc::SYS_bpf, perf_event_open => libc::SYS_perf_event_open,
        keyctl => libc::SYS_keyctl, add_key => libc::SYS_add_key, request_key => libc::SYS_request_key, reboot => libc::SYS_reboot,
        kexec_load => libc::SYS_kexec_load, init_module => libc::SYS_init_module, swapon => libc::SYS_swapon, acct => libc::SYS_acct,
        settimeofday => libc::SYS_settimeofday, sethostname => libc::SYS_sethostname, syslog => libc::SYS_syslog,
        rt_tgsigqueueinfo => libc::SYS_rt_tgsigqueueinfo, remap_file_pages => libc::SYS_remap_file_pages,
        process_madvise => libc::SYS_process_madvise, pidfd_getfd => libc::SYS_pidfd_getfd, kcmp => libc::SYS_kcmp,
        clone3 => libc::SYS_clone3, io_uring_setup => libc::SYS_io_uring_setup, io_uring_enter => libc::SYS_io_uring_enter,
        io_uring_register => libc::SYS_io_uring_register, userfaultfd => libc::SYS_userfaultfd, memfd_create => libc::SYS_memfd_create,
    }
}
