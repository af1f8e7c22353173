//! The same attacks in an emulated pod (`pod/pod.py`): no capabilities, no new privileges, an ordinary user, the runtimes'
//! default filter. The tier namespaces is refused there, the tier landlock holds as it does elsewhere.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

#[path = "lab/arena.rs"]
mod arena;
#[path = "lab/calls.rs"]
mod calls;

use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use arena::{Arena, Service, assert_refused, known, wait_for};
use interlock_sandbox::{Profile, Tier};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The user that the service and its programs have in the pod, where this test is root.
const USER: u32 = 54_321;

/// What a pod's service has: a folder of its own, with our programs in it.
struct Pod {
    folder: TempDir,
}

impl Pod {
    fn new() -> Pod {
        let pod = Pod {
            folder: TempDir::new().unwrap(),
        };
        for below in ["", "bin", "src", "out"] {
            pod.own_folder(below);
        }
        for (name, path) in [
            ("interlock-launcher", env!("CARGO_BIN_EXE_interlock-launcher")),
            ("interlock-supervisor", env!("CARGO_BIN_EXE_interlock-supervisor")),
            ("interlock-exec", env!("CARGO_BIN_EXE_interlock-exec")),
            ("interlock-sandbox-probe", env!("CARGO_BIN_EXE_interlock-sandbox-probe")),
        ] {
            std::fs::copy(path, pod.path("bin").join(name)).unwrap();
        }
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        for entry in std::fs::read_dir(programs).unwrap().flatten() {
            if entry.path().is_file() {
                std::fs::copy(entry.path(), pod.path("src").join(entry.file_name())).unwrap();
            }
        }
        for name in ["pod.py", "filter.json"] {
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pod").join(name);
            std::fs::copy(from, pod.path(name)).unwrap();
        }
        pod.give_away(pod.folder.path());
        pod
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn own_folder(&self, below: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Everything in the folder belongs to the pod's user, as a service's things do.
    fn give_away(&self, path: &Path) {
        if rustix::process::getuid().is_root() {
            chown(path, Some(USER), Some(USER)).unwrap();
            if path.is_dir() {
                for entry in std::fs::read_dir(path).unwrap().flatten() {
                    self.give_away(&entry.path());
                }
            }
        }
    }

    /// What is put before the words of a program that is to run in the pod.
    fn inside(&self) -> Vec<String> {
        let script = self.path("pod.py").to_string_lossy().into_owned();
        vec!["/usr/bin/python3".to_owned(), "-I".to_owned(), script, USER.to_string()]
    }

    fn command(&self, program: &str, words: &[&str]) -> Command {
        let inside = self.inside();
        let mut command = Command::new(&inside[0]);
        command
            .args(&inside[1..])
            .arg(self.path("bin").join(program))
            .args(words);
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Starts a program of `tests/programs` in the sandbox in the pod. `out` is its folder, one for each.
    fn start(&self, tier: Tier, options: &[&str], out: &str, program: &str, words: &[&str]) -> Child {
        let (bin, script) = (self.path("bin"), format!("/in/src/{program}"));
        let named = ["launcher", "supervisor"].map(|name| bin.join(format!("interlock-{name}")));
        let scratch = format!("scratch-{out}");
        let mut all = vec![
            "--launcher",
            named[0].to_str().unwrap(),
            "--supervisor",
            named[1].to_str().unwrap(),
        ];
        all.extend([
            "--bwrap",
            "/usr/bin/bwrap",
            "--scratch",
            &scratch,
            "--tier",
            tier.name(),
        ]);
        all.extend(["--mount", "src", "--out", out, "--stdin"]);
        all.extend(options);
        all.extend(["--", "/usr/bin/python3", "-I", &script]);
        all.extend(words);
        self.command("interlock-exec", &all).spawn().unwrap()
    }

    fn run(&self, options: &[&str], program: &str, words: &[&str], stdin: &[u8]) -> Value {
        document(&ended(
            self.start(Tier::Landlock, options, "out", program, words),
            stdin,
        ))
    }
}

fn ended(mut child: Child, stdin: &[u8]) -> Output {
    // One that refuses its words does not read.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

#[test]
fn the_tier_namespaces_is_refused_and_the_tier_landlock_holds() {
    let pod = Pod::new();
    let probe = pod.command("interlock-sandbox-probe", &[]).output().unwrap();
    let answer = document(&probe);
    assert_eq!(answer["tier"], "landlock", "{answer}");
    assert_eq!(
        (&answer["tried"][0]["tier"], &answer["tried"][0]["ok"]),
        (&json!("namespaces"), &json!(false))
    );
    let demanded = ended(pod.start(Tier::Namespaces, &[], "out", "sleep.py", &[]), b"");
    let said = String::from_utf8_lossy(&demanded.stderr).into_owned();
    assert_eq!(demanded.status.code(), Some(2), "{said}");
    assert!(said.contains("namespaces") && demanded.stdout.is_empty(), "{said}");
}

#[test]
fn the_pod_is_one() {
    let pod = Pod::new();
    let status = Command::new("/usr/bin/python3")
        .args(&pod.inside()[1..])
        .args(["/bin/cat", "/proc/self/status"])
        .output()
        .unwrap();
    let status = String::from_utf8(status.stdout).unwrap();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(
        (field("NoNewPrivs:"), field("Seccomp:")),
        ("1".to_owned(), "2".to_owned())
    );
    assert_ne!(field("Uid:"), "0");
    for set in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"] {
        assert_eq!(u64::from_str_radix(&field(set), 16).unwrap(), 0, "{set}");
    }
}

#[test]
fn nothing_gets_through() {
    for (profile, name) in [(Profile::Strict, "strict"), (Profile::Work, "work")] {
        let pod = Pod::new();
        let service = Service::start(pod.folder.path(), &pod.inside());
        let marker = format!("pod-{}", pod.folder.path().file_name().unwrap().to_str().unwrap());
        let arena = Arena::new(pod.folder.path(), &marker, service);
        pod.give_away(&pod.path("outside"));
        let home = pod.path("bin");
        let targets = arena.targets(&pod.path("bin/interlock-launcher"), &home);
        let seen = pod.run(&["--profile", name], "attacks.py", &[], &targets);
        assert_eq!(seen["end"], json!({"kind": "exited", "status": 0}), "{seen}");
        assert_eq!(seen["tier"], "landlock");
        let known = known(Tier::Landlock, profile);
        assert_refused(
            &format!("pod, landlock, {name}"),
            known,
            seen["stdout"]["head"].as_str().unwrap(),
        );
        arena.assert_untouched();
    }
}

#[test]
fn a_program_gets_nowhere_with_another_one() {
    let pod = Pod::new();
    pod.own_folder("theirs");
    pod.give_away(&pod.path("theirs"));
    let mut other = pod.start(Tier::Landlock, &[], "theirs", "other.py", &["interlock_test_secret"]);
    drop(other.stdin.take());
    wait_for(&pod.path("theirs/ready"));
    let program: u32 = std::fs::read_to_string(pod.path("theirs/ready"))
        .unwrap()
        .parse()
        .unwrap();
    let theirs = pod.path("theirs");
    let targets = json!({
        "service": program, "secret": theirs.join("secret"), "outside": theirs, "home": pod.path("bin"),
        "launcher": pod.path("bin/interlock-launcher"), "tcp": 1, "udp": 1, "abstract": "none", "socket": "none",
        "datagram": "none",
    });
    let seen = pod.run(&[], "attacks.py", &[], targets.to_string().as_bytes());
    let known = known(Tier::Landlock, Profile::Work);
    assert_refused("pod, another program", known, seen["stdout"]["head"].as_str().unwrap());
    let pid = rustix::process::Pid::from_raw(i32::try_from(other.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let other = document(&other.wait_with_output().unwrap());
    assert_eq!(
        other["end"],
        json!({"kind": "cancelled"}),
        "it lived until it was cancelled: {other}"
    );
    assert_eq!(std::fs::read_to_string(pod.path("theirs/secret")).unwrap(), "secret");
}

#[test]
fn calls_are_answered_as_elsewhere() {
    let pod = Pod::new();
    let seen = pod.run(&[], "native_code.py", &[], b"");
    assert_eq!(
        seen["end"],
        json!({"kind": "signaled", "signal": libc::SIGSYS}),
        "{seen}"
    );
    let calls = calls::refused();
    let numbers: Vec<String> = calls.iter().map(|call| call.number.to_string()).collect();
    let words: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let seen = pod.run(&[], "syscalls.py", &words, b"");
    let answers: Vec<i32> = serde_json::from_str(seen["stdout"]["head"].as_str().unwrap()).unwrap();
    for (call, answer) in calls.iter().zip(answers) {
        assert_eq!(answer, call.errno, "{}", call.name);
    }
}

/// Every program of the other tests that is ended, or should be: by the same limit, with nobody left.
#[test]
fn ends_and_limits_are_the_same() {
    let limit = |name: &str| json!({"kind": "limit", "limit": name});
    let cases = [
        ("sleep.py", "wall=1s,grace=200ms", limit("wall")),
        ("stubborn.py", "wall=1s,grace=200ms", limit("wall")),
        ("spin.py", "cpu=800ms,grace=200ms", limit("cpu")),
        ("memory.py", "memory=512MiB", limit("memory")),
        ("bomb.py", "processes=40", limit("processes")),
        ("worse.py", "wall=1s,grace=30s,processes=40", limit("wall")),
        ("flood.py", "output=64MiB", limit("output")),
        ("stall.py", "stall=800ms,grace=200ms", limit("stall")),
        ("big_files.py", "disk=64MiB", limit("disk")),
        ("many_files.py", "disk-files=1000", limit("disk")),
        ("temporary_files.py", "disk-files=1000", limit("disk")),
        ("deep.py", "wall=60s", limit("disk")),
        ("daemon.py", "wall=60s", json!({"kind": "exited", "status": 7})),
        ("pool.py", "wall=60s", json!({"kind": "exited", "status": 0})),
    ];
    let mut table = format!("{:<20}{:<36}seen\n", "program", "expected");
    let mut good = true;
    for (program, limits, end) in cases {
        let pod = Pod::new();
        let seen = pod.run(&["--limits", limits], program, &["pod-marker"], b"");
        good &= seen["end"] == end && seen["survivors"] == 0;
        table += &format!(
            "{program:<20}{:<36}{} survivors {}\n",
            end.to_string(),
            seen["end"],
            seen["survivors"]
        );
    }
    assert!(good, "{table}");
}
