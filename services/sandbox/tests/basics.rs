//! What an honest program can expect: its words, its environment, its files, its exit status, its output.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod lab;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use interlock_domain::Disposition;
use interlock_sandbox::{Arg, Command, End, Mount, Profile, SandboxError, Tier};
use lab::{Bench, stdout};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_program_runs_and_is_observed() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.python(
            "import os, sys\nopen('a.txt', 'w').write('hello')\nprint(sys.argv[1], os.environ['OUT'], sys.stdin.read())\n\
             print('to stderr', file=sys.stderr)\nsys.exit(3)",
        );
        command.args.push(Arg::text("word"));
        command.stdin = Some(b"input".to_vec());
        let seen = bench.run(command).await;
        let out = match tier {
            Tier::Namespaces => "/work/out".to_owned(),
            Tier::Landlock => bench.out().canonicalize().unwrap().display().to_string(),
        };
        assert_eq!(stdout(&seen), format!("word {out} input\n"), "{seen:?}");
        assert_eq!(seen.stderr.to_text(), "to stderr\n");
        assert_eq!((seen.end, seen.tier, seen.survivors), (End::Exited(3), tier, 0));
        assert_eq!(std::fs::read_to_string(bench.out().join("a.txt")).unwrap(), "hello");
        assert!(
            seen.duration > Duration::from_millis(5) && seen.peak_processes >= 1,
            "{seen:?}"
        );
        assert!(seen.peak_memory_bytes > 4 << 20, "{seen:?}");
    }
}

#[tokio::test]
async fn the_environment_is_what_was_given_and_little_else() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.python("import json, os; print(json.dumps(dict(os.environ)))");
        command.env.insert("LANG".to_owned(), Arg::text("de_DE.UTF-8"));
        let seen = bench.run(command).await;
        let env: BTreeMap<String, String> = serde_json::from_str(&stdout(&seen)).unwrap();
        // Python sets this one by itself where the machine lacks the locale that LANG names.
        let names: Vec<&str> = env
            .keys()
            .map(String::as_str)
            .filter(|name| *name != "LC_CTYPE")
            .collect();
        assert_eq!(
            names,
            ["HOME", "LANG", "LOGNAME", "OUT", "PATH", "TMPDIR", "USER"],
            "{tier}"
        );
        assert_eq!(env["LANG"], "de_DE.UTF-8");
    }
}

#[tokio::test]
async fn temporary_files_have_a_place_that_is_gone_afterwards() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let seen = bench
            .run(bench.python(
                "import tempfile, os\nf = tempfile.NamedTemporaryFile(delete=False)\nf.write(b'x')\nprint(f.name)",
            ))
            .await;
        assert_eq!(seen.end, End::Exited(0), "{seen:?}");
        assert!(!std::path::Path::new(stdout(&seen).trim()).exists());
        let left: Vec<_> = std::fs::read_dir(bench.folder.path().join("scratch"))
            .unwrap()
            .collect();
        assert!(left.is_empty(), "{tier}: {left:?}");
    }
}

/// A container that is started again gives its service the same process id as before.
#[tokio::test]
async fn temporary_files_of_a_killed_service_are_no_obstacle() {
    let bench = Bench::new(Tier::Landlock).await;
    let scratch = bench.folder.path().join("scratch");
    for number in 0..10 {
        let left_over = scratch.join(format!("run-{}-{number}/folder", std::process::id()));
        std::fs::create_dir_all(left_over).unwrap();
    }
    let seen = bench
        .run(bench.python("import os; print(os.listdir(os.environ['TMPDIR']))"))
        .await;
    assert_eq!((seen.end, stdout(&seen).as_str()), (End::Exited(0), "[]\n"));
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 9);
}

#[tokio::test]
async fn a_large_stdin_arrives_and_an_unread_one_hurts_nobody() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command =
            bench.python("import sys, hashlib; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())");
        let input: Vec<u8> = (0..3_000_000_u32).map(|n| (n % 251) as u8).collect();
        let wanted = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&input));
        command.stdin = Some(input.clone());
        assert_eq!(stdout(&bench.run(command).await).trim(), wanted);
        let mut command = bench.python("print('not listening')");
        command.stdin = Some(input);
        assert_eq!(bench.run(command).await.end, End::Exited(0));
    }
}

#[tokio::test]
async fn much_on_stderr_does_not_block_a_silent_stdout() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let seen = bench.run(bench.program("noise.py")).await;
        assert_eq!(
            (seen.end, seen.stderr.total_bytes, seen.stdout.total_bytes),
            (End::Exited(0), 200_000, 0)
        );
        assert_eq!(seen.stderr.to_text().len(), 200_000);
    }
}

#[tokio::test]
async fn output_that_is_no_text_is_kept_as_it_is() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let seen = bench.run(bench.program("bytes.py")).await;
        assert_eq!(seen.stdout.head, b"good \xff\xfe\x00 bad\n");
        assert_eq!(seen.stdout.to_text(), "good \u{fffd}\u{fffd}\0 bad\n");
    }
}

#[tokio::test]
async fn words_that_are_no_text_arrive() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.python("import os, sys; print(os.fsencode(sys.argv[1]))");
        command.args.push(Arg::text(OsString::from_vec(b"a\xffb".to_vec())));
        assert_eq!(stdout(&bench.run(command).await), "b'a\\xffb'\n");
    }
}

#[tokio::test]
async fn both_ends_of_a_long_output_are_kept() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.python("print('BEGIN'); print('x' * 10_000_000); print('END')");
        command.limits.output_bytes = 2000;
        let seen = bench.run(command).await;
        assert_eq!(seen.stdout.total_bytes, 10_000_011);
        let text = stdout(&seen);
        assert!(
            text.starts_with("BEGIN\n") && text.ends_with("END\n") && text.len() < 2100,
            "{}",
            text.len()
        );
        assert!(text.contains("bytes dropped"));
    }
}

#[tokio::test]
async fn process_pools_work() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let seen = bench.run(bench.program("pool.py")).await;
        assert_eq!(seen.end, End::Exited(0), "{seen:?}");
        let wanted = "fork 328350\nspawn 328350\nforkserver 328350\nshared 7\nqueued\n";
        assert_eq!(stdout(&seen), wanted);
    }
}

#[tokio::test]
async fn a_strict_program_runs_too_but_has_no_shared_memory() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.python(
            "import asyncio, subprocess\nasyncio.run(asyncio.sleep(0))\nprint(subprocess.check_output(['/bin/echo', 'hi']))\n\
             try: open('/dev/shm/x', 'w')\nexcept OSError as e: print('no')",
        );
        command.profile = Profile::Strict;
        let seen = bench.run(command).await;
        assert_eq!(stdout(&seen), "b'hi\\n'\nno\n", "{seen:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_run_is_an_error_and_not_an_end() {
    let refuse = |error: &SandboxError| error.disposition() == Disposition::Refuse;
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let run = async |change: &dyn Fn(&mut Command)| {
            let mut command = bench.python("print(1)");
            change(&mut command);
            bench.sandbox.run(command, CancellationToken::new()).await.unwrap_err()
        };
        let error = run(&|c| c.program = Arg::text("/no/such/program")).await;
        assert!(
            matches!(error, SandboxError::NotStarted(_)) && refuse(&error),
            "{error:?}"
        );
        let error = run(&|c| c.program = Arg::text("python3")).await;
        assert!(
            matches!(error, SandboxError::BadCommand(_)) && refuse(&error),
            "{error:?}"
        );
        let error = run(&|c| c.args.push(Arg::text("a\0b"))).await;
        assert!(matches!(error, SandboxError::BadCommand(_)), "{error:?}");
        let error = run(&|c| drop(c.env.insert("A=B".to_owned(), Arg::text("x")))).await;
        assert!(matches!(error, SandboxError::BadCommand(_)), "{error:?}");
        let gone = Mount {
            host: "/no/such/folder".into(),
            inside: "/x".to_owned(),
            writable: false,
        };
        let error = run(&|c| c.mounts.push(gone.clone())).await;
        assert!(
            matches!(error, SandboxError::Missing { .. }) && refuse(&error),
            "{error:?}"
        );
        let error = run(&|c| c.cwd = "/work/nowhere".to_owned()).await;
        assert!(matches!(error, SandboxError::SetUp(_)), "{error:?}");
    }
}

#[tokio::test]
async fn many_run_at_once() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let command = bench.python("import os; print(len(os.listdir('/proc/self/fd')))");
        let runs = (0..8).map(|_| bench.run(command.clone()));
        let mut all = tokio::task::JoinSet::new();
        for seen in futures_join(runs).await {
            all.spawn(async move { assert_eq!((seen.end, stdout(&seen)), (End::Exited(0), "4\n".to_owned())) });
        }
        while let Some(done) = all.join_next().await {
            done.unwrap();
        }
    }
}

/// Polls all futures in turn until every one is done.
async fn futures_join<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        for (future, done) in &mut waiting {
            if done.is_none()
                && let std::task::Poll::Ready(output) = future.as_mut().poll(context)
            {
                *done = Some(output);
            }
        }
        if waiting.iter().all(|(_, done)| done.is_some()) {
            std::task::Poll::Ready(waiting.iter_mut().filter_map(|(_, done)| done.take()).collect())
        } else {
            std::task::Poll::Pending
        }
    })
    .await
}
