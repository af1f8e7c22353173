//! What a hostile program tries gets it nowhere, in both tiers and both profiles; and the service's things are as they
//! were afterwards.
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
mod lab;

use std::time::Duration;

use arena::{Arena, Service, assert_refused, known};
use interlock_sandbox::{Arg, End, Profile, Tier};
use lab::Bench;
use tokio_util::sync::CancellationToken;

const LAUNCHER: &str = env!("CARGO_BIN_EXE_interlock-launcher");

#[tokio::test]
async fn nothing_gets_through() {
    for tier in Tier::ALL {
        for profile in [Profile::Strict, Profile::Work] {
            let bench = Bench::new(tier).await;
            let service = Service::start(bench.folder.path(), &[]);
            let arena = Arena::new(bench.folder.path(), &bench.marker(), service);
            let mut command = bench.program("attacks.py");
            command.profile = profile;
            let home = std::env::var_os("HOME").unwrap_or("/root".into());
            command.stdin = Some(arena.targets(LAUNCHER.as_ref(), home.as_ref()));
            let seen = bench.run(command).await;
            assert_eq!(seen.end, End::Exited(0), "{seen:?}");
            let place = format!("{tier} {profile:?}");
            assert_refused(&place, known(tier, profile), &seen.stdout.to_text());
            arena.assert_untouched();
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
                    "home": theirs.folder.path().join("src"), "launcher": LAUNCHER,
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
        let known = known(tier, Profile::Work);
        assert_refused(&format!("{tier}, another program"), known, &seen.stdout.to_text());
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
    let calls = calls::refused();
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.program("syscalls.py");
        command.args.pop();
        command
            .args
            .extend(calls.iter().map(|call| Arg::text(call.number.to_string())));
        let seen = bench.run(command).await;
        let answers: Vec<i32> = serde_json::from_str(&seen.stdout.to_text()).unwrap();
        assert_eq!(answers.len(), calls.len());
        for (call, answer) in calls.iter().zip(answers) {
            assert_eq!(answer, call.errno, "{} in {tier}", call.name);
        }
    }
}
