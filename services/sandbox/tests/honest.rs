//! Honest programs in the profile of real runs, in both tiers, with nothing but the standard library. Those over numpy and
//! its like are run by `make test-honest`, because they need the network once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod lab;

use interlock_sandbox::{Command, End, Observed, Tier};
use lab::Bench;

async fn works(program: &str, change: impl Fn(&mut Command)) -> Vec<Observed> {
    let mut all = Vec::new();
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.program(program);
        change(&mut command);
        let seen = bench.run(command).await;
        assert_eq!(
            (seen.end, seen.survivors),
            (End::Exited(0), 0),
            "{program} in {tier}: {seen:?}"
        );
        assert_eq!(seen.stdout.to_text(), "good\n", "{program} in {tier}");
        all.push(seen);
    }
    all
}

#[tokio::test]
async fn a_program_of_its_own_python() {
    works("honest/children.py", |_| {}).await;
}

#[tokio::test]
async fn pools_of_processes_and_of_threads() {
    works("honest/pools.py", |_| {}).await;
}

#[tokio::test]
async fn a_database_in_a_file() {
    works("honest/database.py", |_| {}).await;
}

#[tokio::test]
async fn an_event_loop_with_local_sockets() {
    works("honest/sockets.py", |_| {}).await;
}

#[tokio::test]
async fn archives_copies_and_temporary_folders() {
    works("honest/files.py", |_| {}).await;
}

/// As allocated on disk; that they are not written keeps the test quick.
#[tokio::test]
async fn two_gigabytes_of_files_within_the_limit() {
    works("honest/two_gigabytes.py", |command| command.limits.disk_bytes = 3 << 30).await;
}
