//! What an honest program can expect: its words, its environment, its files, its exit status, its output.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{Bench, stdout};
use interlock_sandbox::{Arg, End, Tier};

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
    }
}
