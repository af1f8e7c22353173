//! Every limit fires, in both tiers, and nothing is left of the tree afterwards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod lab;

use std::time::Duration;

use interlock_sandbox::{Command, End, LimitKind, Observed, Tier};
use lab::Bench;

async fn reaches(program: &str, limit: LimitKind, change: impl Fn(&mut Command)) -> Vec<Observed> {
    let mut all = Vec::new();
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.program(program);
        change(&mut command);
        let wall = command.limits.wall;
        let seen = bench.run(command).await;
        assert_eq!(seen.end, End::Limit(limit), "{program} in {tier}: {seen:?}");
        assert_eq!(seen.survivors, 0, "{program} in {tier}");
        assert_eq!(bench.running(), Vec::<String>::new(), "{program} in {tier}");
        assert!(seen.duration < wall + Duration::from_secs(10), "{:?}", seen.duration);
        all.push(seen);
    }
    all
}

#[tokio::test]
async fn wall() {
    for seen in reaches("sleep.py", LimitKind::Wall, |c| {
        c.limits.wall = Duration::from_millis(700)
    })
    .await
    {
        assert!(seen.duration >= Duration::from_millis(700) && seen.duration < Duration::from_secs(5));
        assert_eq!(seen.stdout.to_text(), "ready\n");
    }
}

#[tokio::test]
async fn wall_with_a_program_that_does_not_listen() {
    reaches("stubborn.py", LimitKind::Wall, |c| {
        c.limits.wall = Duration::from_millis(700)
    })
    .await;
}

#[tokio::test]
async fn wall_with_a_program_that_says_good_bye() {
    for seen in reaches("polite.py", LimitKind::Wall, |c| {
        c.limits.wall = Duration::from_millis(700)
    })
    .await
    {
        assert_eq!(seen.stdout.to_text(), "ready\nbye\n");
    }
}

#[tokio::test]
async fn processor_time_of_all_processes() {
    for seen in reaches("spin.py", LimitKind::Cpu, |c| {
        c.limits.cpu = Some(Duration::from_millis(800))
    })
    .await
    {
        assert!(seen.cpu >= Duration::from_millis(800), "{seen:?}");
        assert_eq!(seen.peak_processes, 2);
    }
}

#[tokio::test]
async fn memory_of_all_processes() {
    for seen in reaches("memory.py", LimitKind::Memory, |c| c.limits.memory_bytes = 512 << 20).await {
        assert!(seen.peak_memory_bytes > 512 << 20, "{seen:?}");
    }
}

/// The watch looks every 50 ms; where control groups can be made, the kernel lets nothing grow between two looks.
#[tokio::test]
async fn memory_that_is_taken_at_once() {
    let change = |c: &mut Command| {
        c.limits.memory_bytes = 256 << 20;
        c.limits.scratch_bytes = 32 << 20;
    };
    for seen in reaches("burst.py", LimitKind::Memory, change).await {
        if may_make_groups() {
            let bound = (256 + 2 * 32 + 64) << 20;
            // What several processes share counts for each of them where the kernel hides it.
            assert!(seen.peak_memory_bytes < bound + (128 << 20), "{seen:?}");
        }
    }
}

/// Whether this process may make a control group for memory below its own.
fn may_make_groups() -> bool {
    let table = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = table.lines().find_map(|line| line.split_once(":memory:"));
    let Some((_, own)) = own else {
        return false;
    };
    let group = format!("/sys/fs/cgroup/memory{own}/test-{}", std::process::id());
    std::fs::create_dir(&group)
        .and_then(|()| std::fs::remove_dir(&group))
        .is_ok()
}

#[tokio::test]
async fn shared_memory_counts_once() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.program("shared.py");
        command.limits.memory_bytes = 512 << 20;
        let seen = bench.run(command).await;
        assert_eq!(seen.end, End::Exited(0), "{seen:?}");
        assert!(seen.peak_memory_bytes > 190 << 20, "{seen:?}");
    }
}

#[tokio::test]
async fn processes() {
    for seen in reaches("bomb.py", LimitKind::Processes, |c| c.limits.processes = 40).await {
        assert!(seen.peak_processes > 40, "{seen:?}");
    }
}

/// The first process dies of the kernel's refusal before anybody has looked; its children are still there. In the
/// namespaces they die with it, and there is nothing left to look at.
#[tokio::test]
async fn processes_of_a_bomb_that_is_faster_than_the_watch() {
    let bench = Bench::new(Tier::Landlock).await;
    let mut command = bench.python("import os, time\nwhile True:\n  if not os.fork(): time.sleep(60)");
    command.limits.processes = 20;
    let seen = bench.run(command).await;
    assert_eq!(seen.end, End::Limit(LimitKind::Processes), "{seen:?}");
    assert_eq!(seen.survivors, 0);
}

/// The kernel refuses, where it can be asked to; elsewhere the watch ends the program.
#[tokio::test]
async fn threads() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.program("threads.py");
        command.limits.processes = 20;
        let seen = bench.run(command).await;
        match seen.end {
            End::Exited(0) => {
                let started: u64 = seen.stdout.to_text().trim().parse().unwrap();
                assert!(started > 0 && started < 20 * 4 + 512, "{started} threads in {tier}");
            }
            end => assert_eq!(end, End::Limit(LimitKind::Processes), "{seen:?}"),
        }
        assert_eq!((seen.survivors, bench.running()), (0, vec![]));
    }
}

#[tokio::test]
async fn a_program_that_turns_to_worse_has_no_grace() {
    for seen in reaches("worse.py", LimitKind::Wall, |c| {
        c.limits.wall = Duration::from_millis(700);
        c.limits.grace = Duration::from_secs(30);
        c.limits.processes = 40;
    })
    .await
    {
        assert!(seen.duration < Duration::from_secs(10), "{seen:?}");
        assert!(seen.peak_processes > 40, "{seen:?}");
    }
}

#[tokio::test]
async fn output() {
    for seen in reaches("flood.py", LimitKind::Output, |c| c.limits.output_total = 64 << 20).await {
        assert!(seen.stdout.total_bytes > 64 << 20);
        assert!(seen.stdout.head.len() + seen.stdout.tail.len() <= 1 << 20);
    }
}

#[tokio::test]
async fn a_gigabyte_of_output_is_counted_and_not_kept() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.python(
            "import os\nblock = bytes(1 << 20)\nfor _ in range(1024):\n  at = 0\n\
             \x20 while at < len(block): at += os.write(1, block[at:])",
        );
        command.limits.output_total = 2 << 30;
        let seen = bench.run(command).await;
        assert_eq!((seen.end, seen.stdout.total_bytes), (End::Exited(0), 1 << 30));
        assert!(seen.stdout.head.len() + seen.stdout.tail.len() <= 1 << 20);
    }
}

#[tokio::test]
async fn stall() {
    for seen in reaches("stall.py", LimitKind::Stall, |c| {
        c.limits.stall = Some(Duration::from_millis(800))
    })
    .await
    {
        assert!(seen.duration >= Duration::from_millis(800), "{seen:?}");
    }
}

#[tokio::test]
async fn silent_work_is_no_stall() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.program("busy.py");
        command.limits.stall = Some(Duration::from_millis(500));
        assert_eq!(bench.run(command).await.end, End::Exited(0));
    }
}

#[tokio::test]
async fn disk_bytes() {
    reaches("big_files.py", LimitKind::Disk, |c| c.limits.disk_bytes = 64 << 20).await;
}

#[tokio::test]
async fn disk_files() {
    reaches("many_files.py", LimitKind::Disk, |c| c.limits.disk_files = 1000).await;
}

#[tokio::test]
async fn temporary_files() {
    reaches("temporary_files.py", LimitKind::Disk, |c| c.limits.disk_files = 1000).await;
}

#[tokio::test]
async fn temporary_bytes() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.program("temporary_bytes.py");
        command.limits.disk_bytes = 64 << 20;
        command.limits.scratch_bytes = 64 << 20;
        let seen = bench.run(command).await;
        let expected = match tier {
            // Its own memory, of that size.
            Tier::Namespaces => End::Exited(1),
            Tier::Landlock => End::Limit(LimitKind::Disk),
        };
        assert_eq!(seen.end, expected, "{seen:?}");
        let said = seen.stderr.to_text();
        assert!(tier == Tier::Landlock || said.contains("No space left"), "{said}");
        let scratch = std::fs::read_dir(bench.folder.path().join("scratch")).unwrap();
        assert_eq!(scratch.count(), 0, "nothing is left of it");
    }
}

#[tokio::test]
async fn disk_depth() {
    reaches("deep.py", LimitKind::Disk, |_| {}).await;
}

#[tokio::test]
async fn one_file_and_one_process_have_limits_of_their_own() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.python(
            "try: open('f', 'wb').write(bytes(3 << 20))\nexcept OSError as e: print(e.errno)\n\
             try: bytearray(1 << 40)\nexcept MemoryError: print('memory')\n\
             try:\n  files = [open('/dev/null') for _ in range(200)]\nexcept OSError as e: print(e.errno)",
        );
        command.limits.file_bytes = 1 << 20;
        command.limits.open_files = 100;
        let seen = bench.run(command).await;
        assert_eq!(seen.stdout.to_text(), "27\nmemory\n24\n", "{seen:?}");
    }
}
