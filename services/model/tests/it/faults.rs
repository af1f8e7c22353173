//! Faults of servers and connections: repeated or final by kind, and always an end.

use std::net::TcpListener;
use std::time::{Duration, Instant, SystemTime};

use interlock_domain::Disposition;
use interlock_model::{Finish, ModelError, Protocol, Secret};
use interlock_scripted::Options;

use crate::scripts::{ATTEMPTS, BOTH, Scripted, ask, exhausted, quick};

fn front(lines: &str, text: &str) -> String {
    format!("---\n{lines}\n---\n{text}")
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_long_as_the_server_says() {
    for protocol in BOTH {
        let scripted = Scripted::new(&front("status: 429\nretry_after: 1\ntimes: 1", "fine")).await;
        let begun = Instant::now();
        let answer = scripted.ask(protocol).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.attempts), ("fine", 2));
        assert!(begun.elapsed() >= Duration::from_secs(1));
        assert!(answer.latency >= Duration::from_secs(1));
    }
}

#[tokio::test]
async fn a_wait_until_a_date_is_understood() {
    let at = SystemTime::now() + Duration::from_secs(3);
    let lines = format!("status: 503\nretry_after: {}\ntimes: 1", httpdate::fmt_http_date(at));
    let scripted = Scripted::new(&front(&lines, "fine")).await;
    let answer = scripted.ask(Protocol::OpenAi).await.unwrap();
    assert_eq!(answer.attempts, 2);
    // Dates have whole seconds, so at least one of the three is left when the request arrives.
    assert!(answer.latency >= Duration::from_secs(1), "{:?}", answer.latency);
}

#[tokio::test]
async fn a_longer_wait_than_allowed_ends_the_call() {
    for protocol in BOTH {
        let scripted = Scripted::new(&front("status: 429\nretry_after: 6", "")).await;
        let error = scripted.ask(protocol).await.unwrap_err();
        assert!(matches!(error, ModelError::WaitTooLong { .. }), "{error:?}");
        assert_eq!(error.disposition(), Disposition::Escalate);
        assert_eq!(scripted.started(), 1);
    }
}

#[tokio::test]
async fn server_errors_pass_or_use_up_the_attempts() {
    for status in [429, 500, 502, 503, 504, 529] {
        for protocol in BOTH {
            let passing = Scripted::new(&front(&format!("status: {status}\ntimes: 2"), "ok")).await;
            let answer = passing.ask(protocol).await.unwrap();
            assert_eq!((answer.text.as_str(), answer.attempts), ("ok", 3), "{status}");

            let lasting = Scripted::new(&front(&format!("status: {status}"), "ok")).await;
            let outcome = lasting.ask(protocol).await;
            let escalates = outcome.as_ref().unwrap_err().disposition();
            assert_eq!(escalates, Disposition::Escalate);
            let last = exhausted(outcome);
            assert_eq!(last.disposition(), Disposition::Retry, "{status}: {last:?}");
            assert_eq!(lasting.started(), ATTEMPTS, "never an endless loop");
        }
    }
}

#[tokio::test]
async fn a_cut_stream_is_asked_for_again_and_never_an_answer() {
    let text = "line\n".repeat(60);
    for protocol in BOTH {
        let once = Scripted::new(&front("cut_after_bytes: 120\ntimes: 1", &text)).await;
        let answer = once.ask(protocol).await.unwrap();
        assert_eq!((answer.text, answer.attempts), (text.clone(), 2));

        let always = Scripted::new(&front("cut_after_bytes: 120", &text)).await;
        let last = exhausted(always.ask(protocol).await);
        assert!(matches!(last, ModelError::Cut { received: 120 }), "{last:?}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_unexplained_is_cut() {
    for protocol in BOTH {
        let scripted = Scripted::new(&front("finish: none", "looks whole\n")).await;
        let last = exhausted(scripted.ask(protocol).await);
        assert!(matches!(last, ModelError::Cut { received: 12 }), "{last:?}");
    }
}

#[tokio::test]
async fn silence_is_noticed_before_the_head_and_within_the_stream() {
    for lines in ["stall: true", "delay_ms: 60000"] {
        for protocol in BOTH {
            let scripted = Scripted::new(&front(lines, "half and half")).await;
            let mut config = scripted.config(protocol);
            config.stall_timeout = Duration::from_millis(150);
            let last = exhausted(ask(config).await);
            assert!(matches!(last, ModelError::Stalled { .. }), "{lines}: {last:?}");
            assert_eq!(scripted.started(), ATTEMPTS);
        }
    }
}

#[tokio::test]
async fn a_stalled_stream_is_left_and_asked_for_again() {
    for protocol in BOTH {
        let scripted = Scripted::new(&front("stall: true\ntimes: 1", "all of it")).await;
        let mut config = scripted.config(protocol);
        config.stall_timeout = Duration::from_millis(800);
        let answer = ask(config).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.attempts), ("all of it", 2));
        scripted.abandoned(1).await;
    }
}

#[tokio::test]
async fn error_events_in_the_stream_count_like_their_statuses() {
    for protocol in BOTH {
        let once = Scripted::new(&front("error_event: overloaded_error\ntimes: 1", "fine")).await;
        assert_eq!(once.ask(protocol).await.unwrap().attempts, 2);

        let always = Scripted::new(&front("error_event: overloaded_error", "fine")).await;
        let last = exhausted(always.ask(protocol).await);
        assert!(
            matches!(last, ModelError::Upstream { status: Some(529), .. }),
            "{last:?}"
        );

        let wrong = Scripted::new(&front("error_event: invalid_request_error", "fine")).await;
        let error = wrong.ask(protocol).await.unwrap_err();
        assert!(matches!(error, ModelError::Rejected { .. }), "{error:?}");
        assert_eq!(wrong.started(), 1);
    }
}

#[tokio::test]
async fn a_wrong_key_fails_at_once() {
    let options = || Options {
        api_key: Some("right".to_owned()),
        ..Options::default()
    };
    for protocol in BOTH {
        let scripted = Scripted::with("fine", options()).await;
        let mut config = scripted.config(protocol);
        config.api_key = Some(Secret::new("wrong"));
        let error = ask(config.clone()).await.unwrap_err();
        assert!(matches!(error, ModelError::KeyRejected { status: 401 }), "{error:?}");
        assert_eq!(error.disposition(), Disposition::Escalate);
        config.api_key = Some(Secret::new("right"));
        assert_eq!(ask(config).await.unwrap().finish, Finish::Complete);
    }
    let scripted = Scripted::new(&front("status: 403", "")).await;
    let error = scripted.ask(Protocol::OpenAi).await.unwrap_err();
    assert!(matches!(error, ModelError::KeyRejected { status: 403 }), "{error:?}");
    assert_eq!(scripted.started(), 1);
}

#[tokio::test]
async fn an_unknown_model_fails_at_once() {
    for protocol in BOTH {
        let options = Options {
            models: vec!["another".to_owned()],
            ..Options::default()
        };
        let scripted = Scripted::with("fine", options).await;
        let error = scripted.ask(protocol).await.unwrap_err();
        assert!(matches!(error, ModelError::NotFound { .. }), "{error:?}");
        assert_eq!(error.disposition(), Disposition::Escalate);
    }
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_a_kind_of_its_own() {
    for lines in [
        "status: 400\nerror: context_length_exceeded",
        "status: 500\nerror: exceed_context_size_error",
        "status: 400\nmessage: prompt is too long: 210000 tokens > 200000 maximum",
        "status: 413",
    ] {
        for protocol in BOTH {
            let scripted = Scripted::new(&front(lines, "")).await;
            let error = scripted.ask(protocol).await.unwrap_err();
            assert!(matches!(error, ModelError::ContextTooLong(_)), "{lines}: {error:?}");
            assert_eq!(error.disposition(), Disposition::Refuse);
            assert_eq!(scripted.started(), 1);
        }
    }
}

#[tokio::test]
async fn other_bad_requests_are_refused_at_once() {
    for protocol in BOTH {
        let scripted = Scripted::new(&front("status: 400", "")).await;
        let error = scripted.ask(protocol).await.unwrap_err();
        assert!(matches!(error, ModelError::Rejected { status: 400, .. }), "{error:?}");
        assert_eq!(error.disposition(), Disposition::Refuse);
        assert_eq!(scripted.started(), 1);
    }
}

#[tokio::test]
async fn nobody_listening_uses_up_the_attempts() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let last = exhausted(ask(quick(&url, Protocol::OpenAi)).await);
    assert!(matches!(last, ModelError::Unreachable(_)), "{last:?}");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Scripted::new("fine").await;
    let location = format!("{}/chat/completions", elsewhere.server.url);
    for status in [301, 302, 307, 308] {
        let lines = format!("status: {status}\nlocation: {location}");
        let scripted = Scripted::new(&front(&lines, "")).await;
        let error = scripted.ask(Protocol::OpenAi).await.unwrap_err();
        assert!(matches!(error, ModelError::Redirected { .. }), "{error:?}");
    }
    assert_eq!(elsewhere.started(), 0);
}
