//! Replies as real servers were seen to send them, one file each: the folder is what they mean.
//! `replies/<protocol>/<outcome>/<name>.http`, where the outcome is an ending of an answer or the
//! kind of an error. Adding a case needs no Rust.

use std::path::{Path, PathBuf};

use interlock_model::{Answer, Finish, ModelError, Protocol};

use crate::replay::Replay;
use crate::scripts::{ask, quick};

/// What every complete answer in the files says, torn into pieces in every way.
const TEXT: &str = "name = \"é🦀\"\n";

fn folder(path: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

fn outcome(result: Result<Answer, ModelError>) -> &'static str {
    match result {
        Ok(answer) => match answer.finish {
            Finish::Complete => {
                assert_eq!(answer.text, TEXT);
                "complete"
            }
            Finish::Truncated => "truncated",
            Finish::Refused(reason) => {
                assert!(!reason.is_empty());
                "refused"
            }
        },
        Err(ModelError::Exhausted { last, .. }) => last.kind(),
        Err(error) => error.kind(),
    }
}

async fn check(name: &str, protocol: Protocol, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replies");
    let mut cases = 0;
    for kind in folder(&root.join(name)) {
        for case in folder(&kind) {
            let reply = std::fs::read_to_string(&case).unwrap();
            let replay = Replay::new(&[&reply]).await;
            let mut config = quick(&replay.url, protocol);
            config.max_attempts = 1;
            let got = outcome(ask(config).await);
            let expected = kind.file_name().unwrap().to_str().unwrap();
            assert_eq!(got, expected, "{}", case.display());
            cases += 1;
        }
    }
    assert!(cases >= least, "only {cases} cases found");
}

#[tokio::test]
async fn openai_replies_mean_what_their_folder_says() {
    check("openai", Protocol::OpenAi, 25).await;
}

#[tokio::test]
async fn anthropic_replies_mean_what_their_folder_says() {
    check("anthropic", Protocol::Anthropic, 12).await;
}

#[tokio::test]
async fn missing_counts_are_estimated_and_marked() {
    let without = "HTTP/1.1 200 OK\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\
        \"123456789\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let replay = Replay::new(&[without]).await;
    let answer = ask(quick(&replay.url, Protocol::OpenAi)).await.unwrap();
    assert!(answer.usage.estimated);
    assert_eq!(answer.usage.output_tokens, 4);
    assert!(answer.usage.input_tokens > 10);
    assert_eq!(answer.model, "test-model");
}

#[tokio::test]
async fn cached_tokens_count_as_input() {
    let path = "tests/replies/anthropic/complete/cached.http";
    let reply = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let replay = Replay::new(&[&reply]).await;
    let usage = ask(quick(&replay.url, Protocol::Anthropic)).await.unwrap().usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (1 + 20 + 300, 9));
    assert!(!usage.estimated);
}
