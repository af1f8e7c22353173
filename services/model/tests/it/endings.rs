//! Answers that arrive: complete, cut by the limit, refused, empty.

use interlock_model::{Finish, ModelError};

use crate::scripts::{BOTH, KEY, Scripted, ask};

#[tokio::test]
async fn a_complete_answer_arrives_as_it_was_written() {
    let text = "# src/data.py\nname = 'é€🦀'\n".repeat(40);
    let scripted = Scripted::new(&text).await;
    for protocol in BOTH {
        let answer = scripted.ask(protocol).await.unwrap();
        assert_eq!(answer.text, text);
        assert_eq!(answer.finish, Finish::Complete);
        assert_eq!(answer.model, "test-model");
        assert_eq!(answer.attempts, 1);
        assert!(answer.usage.input_tokens > 1 && answer.usage.output_tokens > 1);
        assert!(!answer.usage.estimated);
        assert!(!answer.latency.is_zero());
    }
    assert_eq!(scripted.server.stats().completed(KEY), 2);
    assert_eq!(scripted.server.stats().abandoned(KEY), 0);
}

#[tokio::test]
async fn the_output_limit_is_told_from_an_end() {
    let scripted = Scripted::new("---\nfinish: length\n---\nhalf a fi").await;
    for protocol in BOTH {
        let answer = scripted.ask(protocol).await.unwrap();
        assert_eq!(answer.finish, Finish::Truncated);
        assert_eq!(answer.text, "half a fi");
    }
}

#[tokio::test]
async fn refusals_are_told_from_answers() {
    for finish in ["refusal", "content_filter"] {
        let scripted = Scripted::new(&format!("---\nfinish: {finish}\n---\nI will not.")).await;
        for protocol in BOTH {
            let answer = scripted.ask(protocol).await.unwrap();
            let Finish::Refused(reason) = answer.finish else {
                panic!("{finish} {protocol:?}: {answer:?}");
            };
            assert!(!reason.is_empty());
        }
    }
}

#[tokio::test]
async fn an_empty_answer_is_an_empty_answer() {
    let scripted = Scripted::new("").await;
    for protocol in BOTH {
        let answer = scripted.ask(protocol).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.finish), ("", Finish::Complete));
    }
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_given_up() {
    let scripted = Scripted::new(&"a".repeat(5000)).await;
    for protocol in BOTH {
        let mut config = scripted.config(protocol);
        config.max_answer_bytes = 5000;
        assert!(ask(config.clone()).await.is_ok());
        config.max_answer_bytes = 4999;
        let error = ask(config).await.unwrap_err();
        assert!(matches!(error, ModelError::TooLarge { limit: 4999 }), "{error:?}");
    }
    assert_eq!(scripted.started(), 4, "a limit is not retried");
}
