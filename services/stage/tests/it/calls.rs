//! An expensive call is made once, and everybody goes on with the same answer.

use crate::lab::run_id;
use crate::server::Server;
use interlock_domain::{CallError, Digest, Disposition, FailureClass, Stage};
use interlock_stage::{OnceError, WorkError, once};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Words {
    text: String,
    tokens: u64,
}

fn words(text: &str) -> Words {
    Words {
        text: text.to_owned(),
        tokens: u64::MAX,
    }
}

#[derive(Debug)]
struct Trouble(Disposition, bool);

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the line was cut")
    }
}

impl CallError for Trouble {
    fn disposition(&self) -> Disposition {
        self.0
    }

    fn is_cancelled(&self) -> bool {
        self.1
    }
}

fn key(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

#[tokio::test]
async fn a_completed_call_is_not_made_again() {
    let server = Server::ready().await;
    let calls = AtomicU32::new(0);
    let ask = async |bus, run: u128, about: &str, text: &str| {
        let call = async {
            calls.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Trouble>(words(text))
        };
        once(bus, run_id(run), &key(about), call).await.unwrap()
    };
    let planner = server.stage(Stage::Planner).await.bus;
    assert_eq!(ask(&planner, 1, "a", "first").await, words("first"));
    assert_eq!(ask(&planner, 1, "a", "second").await, words("first"));
    // Another process of the same stage, as after a crash.
    let again = server.stage(Stage::Planner).await.bus;
    assert_eq!(ask(&again, 1, "a", "third").await, words("first"));
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    // Another question, another run, another stage: other calls.
    let generator = server.stage(Stage::Generator).await.bus;
    assert_eq!(ask(&planner, 1, "b", "fourth").await, words("fourth"));
    assert_eq!(ask(&planner, 2, "a", "fifth").await, words("fifth"));
    assert_eq!(ask(&generator, 1, "a", "sixth").await, words("sixth"));
    assert_eq!(calls.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn callers_at_the_same_time_agree() {
    let server = Server::ready().await;
    let buses = [
        server.stage(Stage::Generator).await.bus,
        server.stage(Stage::Generator).await.bus,
    ];
    let all_asked = tokio::sync::Barrier::new(6);
    let key = key("same");
    let answers = (0..6).map(|n| {
        let (bus, all_asked, key) = (&buses[n % 2], &all_asked, &key);
        let call = async move {
            // Nobody has an answer before everybody has asked.
            all_asked.wait().await;
            Ok::<_, Trouble>(words(&format!("answer {n}")))
        };
        once(bus, run_id(3), key, call)
    });
    let answers = futures::future::try_join_all(answers).await.unwrap();
    assert!(answers.iter().all(|answer| answer == &answers[0]), "{answers:?}");
    assert_eq!(server.stored("BLOB_GENERATOR").await.len(), 1);
}

#[tokio::test]
async fn a_call_that_failed_is_made_again() {
    let server = Server::ready().await;
    let bus = server.stage(Stage::Planner).await.bus;
    let failed: Result<Words, _> = once(&bus, run_id(4), &key("x"), async {
        Err(Trouble(Disposition::Retry, false))
    })
    .await;
    assert!(matches!(failed, Err(OnceError::Call(Trouble(_, _)))), "{failed:?}");
    let answer = once(&bus, run_id(4), &key("x"), async { Ok::<_, Trouble>(words("now")) }).await;
    assert_eq!(answer.unwrap(), words("now"));
}

#[tokio::test]
async fn an_answer_of_another_form_is_not_paid_for_again() {
    let server = Server::ready().await;
    let bus = server.stage(Stage::Planner).await.bus;
    bus.put_call(run_id(5), &key("old"), "{\"words\":1}".into())
        .await
        .unwrap();
    let read: Result<Words, OnceError<Trouble>> =
        once(&bus, run_id(5), &key("old"), async { panic!("it was called") }).await;
    let error = read.unwrap_err();
    assert!(error.to_string().contains(&key("old").to_string()), "{error}");
    let WorkError::Failed(failure) = error.into_work_error(FailureClass::Model) else {
        panic!("not a failure");
    };
    assert_eq!(failure.failure, FailureClass::Harness);
}

#[tokio::test]
async fn an_answer_that_fits_into_no_message_is_an_error() {
    let server = Server::ready().await;
    let bus = server.stage(Stage::Planner).await.bus;
    let long = "x".repeat(1_100_000);
    let stored = once(&bus, run_id(6), &key("long"), async { Ok::<_, Trouble>(words(&long)) }).await;
    let error = stored.unwrap_err().into_work_error(FailureClass::Model);
    let WorkError::Bus(error) = error else {
        panic!("{error}");
    };
    assert_eq!(error.disposition(), Disposition::Escalate);
}

#[test]
fn what_a_call_says_decides_what_happens_to_the_work() {
    let into =
        |disposition, cancelled| OnceError::Call(Trouble(disposition, cancelled)).into_work_error(FailureClass::Model);
    assert!(matches!(
        into(Disposition::Retry, false),
        WorkError::Later {
            class: FailureClass::Model,
            ..
        }
    ));
    for disposition in [Disposition::Refuse, Disposition::Escalate] {
        let WorkError::Failed(failure) = into(disposition, false) else {
            panic!("{disposition:?}");
        };
        assert_eq!(failure.failure, FailureClass::Model);
        assert_eq!(failure.message, "the line was cut");
    }
    assert!(matches!(into(Disposition::Retry, true), WorkError::Cancelled));
}
