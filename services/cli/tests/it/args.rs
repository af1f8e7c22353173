//! What the command line accepts, and what it does not.

use clap::Parser as _;
use interlock_cli::args::{Cli, Command, Stream};

fn parsed(words: &str) -> Result<Command, String> {
    let words = std::iter::once("interlock").chain(words.split_whitespace());
    Cli::try_parse_from(words)
        .map(|cli| cli.command)
        .map_err(|e| e.to_string())
}

#[test]
fn commands_that_make_sense_are_accepted() {
    for words in [
        "run task.toml",
        "run task --json --out result",
        "run task --detach",
        "up",
        "up --answers answers",
        "down",
        "ps --json",
        "show latest",
        "show latest --json",
        "watch 01AB",
        "approve latest --text fine",
        "revise latest --text shorter",
        "reject latest",
        "cancel latest --reason enough",
        "logs latest",
        "export latest there",
        "report latest",
        "report latest -o there.html",
        "audit latest --keyring keys.toml",
        "exec -- true",
        "exec --profile strict --tier landlock --limits wall=3s --limits cpu=1s --out o --mount a:b --mount c --stdin -- ls -l",
        "doctor",
        "version",
        "supervise --answers answers",
    ] {
        parsed(words).unwrap_or_else(|e| panic!("{words}: {e}"));
    }
    let Ok(Command::Logs(logs)) = parsed("logs latest --stream stderr") else {
        panic!("logs");
    };
    assert_eq!(logs.stream.map(Stream::name), Some("stderr"));
}

#[test]
fn commands_that_make_none_are_refused() {
    for words in [
        "",
        "run",
        "run a b",
        "run task --detach --json",
        "run task --detach --out x",
        "approve",
        "export latest",
        "logs latest --stream both",
        "ps latest",
        "launch task",
        "exec",
        "exec true",
        "exec --",
        "exec --tier glass -- true",
        "exec --profile soft -- true",
    ] {
        assert!(parsed(words).is_err(), "{words}");
    }
    let silent = parsed("revise latest").unwrap_err();
    assert!(silent.contains("--text"), "a revision says what to change: {silent}");
}

#[test]
fn help_explains_runs_and_exit_codes_and_hides_what_is_internal() {
    let help = parsed("--help").unwrap_err();
    for told in ["unambiguous beginning", "3 waiting for a human", "doctor", "audit"] {
        assert!(help.contains(told), "{told}: {help}");
    }
    assert!(!help.contains("supervise"), "{help}");
}
