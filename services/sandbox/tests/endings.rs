//! However a run ends, the whole tree ends with it: orphans, daemons, programs that do not listen, and the caller's own
//! sudden death.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

mod lab;

use std::io::{BufRead, BufReader};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use interlock_sandbox::{Arg, End, Progress, Tier};
use lab::{Bench, processes_with};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_daemon_does_not_outlive_the_program() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let seen = bench.run(bench.program("daemon.py")).await;
        assert_eq!((seen.end, seen.survivors), (End::Exited(7), 0), "{seen:?}");
        assert_eq!(seen.stdout.to_text(), "daemon here\nmain leaves\n");
        assert!(
            seen.duration < Duration::from_secs(5),
            "nobody waited for the daemon's hold on stdout"
        );
        assert_eq!(bench.running(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_signal_is_told_from_an_exit() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let seen = bench
            .run(bench.python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"))
            .await;
        assert_eq!(seen.end, End::Signaled(libc::SIGSEGV), "{seen:?}");
        let seen = bench.run(bench.python("raise SystemExit(139)")).await;
        assert_eq!(seen.end, End::Exited(139), "{seen:?}");
        let seen = bench.run(bench.python("raise SystemExit(125)")).await;
        assert_eq!(seen.end, End::Exited(125), "{seen:?}");
    }
}

#[tokio::test]
async fn cancelling_ends_the_whole_tree() {
    let mut all = tokio::task::JoinSet::new();
    for tier in Tier::ALL {
        for program in ["sleep.py", "stubborn.py", "spin.py"] {
            all.spawn(cancelled(tier, program));
        }
    }
    while let Some(done) = all.join_next().await {
        done.unwrap();
    }
}

async fn cancelled(tier: Tier, program: &'static str) {
    let bench = Bench::new(tier).await;
    let cancel = CancellationToken::new();
    let (progress, mut alive) = tokio::sync::watch::channel(Progress::default());
    let cancelled = async {
        // The first sign of life: the program runs.
        alive.changed().await.unwrap();
        assert!(alive.borrow().processes > 0);
        cancel.cancel();
        Instant::now()
    };
    let run = bench
        .sandbox
        .run_with_progress(bench.program(program), cancel.clone(), Some(progress));
    let (seen, at) = tokio::join!(run, cancelled);
    let (seen, took) = (seen.unwrap(), at.elapsed());
    assert_eq!((seen.end, seen.survivors), (End::Cancelled, 0), "{program} in {tier}");
    assert!(took < Duration::from_secs(10), "{program} in {tier}: {took:?}");
    assert_eq!(bench.running(), Vec::<String>::new());
}

#[tokio::test]
async fn dropping_the_run_ends_the_program() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let run = bench
            .sandbox
            .run(bench.program("stubborn.py"), CancellationToken::new());
        assert!(tokio::time::timeout(Duration::from_millis(800), run).await.is_err());
        gone(&bench.marker()).await;
    }
}

/// Waits until no process has the word on its command line.
async fn gone(word: &str) {
    let begun = Instant::now();
    while !processes_with(word).is_empty() {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "still there: {:?}",
            processes_with(word)
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// What the test below starts and kills: says where its folder is, then runs a program for ever.
async fn be_the_caller(tier: &str, marker: &str) {
    let bench = Bench::new(Tier::from_name(tier).unwrap()).await;
    let mut command = bench.program("daemon_for_ever.py");
    command.args.push(Arg::text(marker));
    println!("folder {}", bench.folder.path().display());
    bench.run(command).await;
}

/// Starts itself again as the caller that dies.
#[tokio::test]
async fn the_callers_sudden_death_ends_the_tree() {
    if let (Ok(tier), Ok(marker)) = (
        std::env::var("INTERLOCK_TEST_TIER"),
        std::env::var("INTERLOCK_TEST_MARKER"),
    ) {
        return be_the_caller(&tier, &marker).await;
    }
    for tier in Tier::ALL {
        let marker = format!("marker-caller-{}-{tier}", std::process::id());
        let mut caller = Process::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_callers_sudden_death_ends_the_tree", "--nocapture"])
            .env("INTERLOCK_TEST_TIER", tier.name())
            .env("INTERLOCK_TEST_MARKER", &marker)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(caller.stdout.take().unwrap())
            .lines()
            .map(Result::unwrap);
        let folder = lines
            .find_map(|line| line.split("folder ").nth(1).map(str::to_owned))
            .unwrap();
        let begun = Instant::now();
        // The program itself, its child and its daemon; the word also stands on no other command line.
        while processes_with(&marker).len() < 3 {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "{:?}",
                processes_with(&marker)
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        caller.kill().unwrap();
        caller.wait().unwrap();
        gone(&marker).await;
        interlock_sandbox::remove_tree(std::path::Path::new(&folder)).unwrap();
    }
}
