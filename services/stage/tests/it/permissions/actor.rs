//! A stage's raw connection: its credentials, and none of the care that Interlock's own code takes.

use super::act::{Answer, Say};
use async_nats::{Client, Event, Message, ServerError, Subscriber};
use futures::{FutureExt as _, StreamExt as _};
use interlock_domain::Stage;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long an answer may take. Only an act that is neither answered nor refused takes as long.
const PATIENCE: Duration = Duration::from_millis(1500);

pub(super) struct Actor {
    pub(super) stage: Stage,
    client: Client,
    violations: mpsc::UnboundedReceiver<String>,
    /// What arrives in the inbox under `probe`, where nobody should be able to put anything.
    probe: Subscriber,
}

impl Actor {
    pub(super) async fn connect(stage: Stage, url: &str, seed: String) -> Self {
        let (sender, violations) = mpsc::unbounded_channel();
        let client = async_nats::ConnectOptions::with_nkey(seed)
            .custom_inbox_prefix(format!("_INBOX_{stage}"))
            .event_callback(move |event| {
                if let Event::ServerError(ServerError::Other(text)) = event {
                    // The test may be over.
                    let _ = sender.send(text);
                }
                async {}
            })
            .connect(url)
            .await
            .unwrap();
        let probe = client.subscribe(format!("_INBOX_{stage}.probe.>")).await.unwrap();
        Self {
            stage,
            client,
            violations,
            probe,
        }
    }

    /// Sends it with an inbox of this stage's own for the answer, and waits for the answer.
    pub(super) async fn ask(&mut self, say: &Say) -> Answer {
        self.forget_violations();
        let inbox = self.client.new_inbox();
        let mut answers = self.client.subscribe(inbox.clone()).await.unwrap();
        self.send(say, inbox).await;
        let answer = tokio::select! {
            message = answers.next() => reading(&message.unwrap()),
            () = violation(&mut self.violations, &say.subject) => Answer::Violation,
            () = tokio::time::sleep(PATIENCE) => Answer::Silence,
        };
        answers.unsubscribe().await.unwrap();
        answer
    }

    /// Sends it with the answers diverted to where the act says.
    pub(super) async fn divert(&mut self, say: &Say, to: &str) {
        self.send(say, to.to_owned()).await;
    }

    async fn send(&self, say: &Say, reply: String) {
        let (subject, payload) = (say.subject.clone(), say.payload.clone());
        self.client
            .publish_with_reply_and_headers(subject, reply, say.headers.clone(), payload)
            .await
            .unwrap();
        self.client.flush().await.unwrap();
    }

    /// Subscribes, and says whether the server said no.
    pub(super) async fn listen(&mut self, subject: &str, queue: bool, barrier: &Say) -> (Subscriber, bool) {
        self.forget_violations();
        let heard = if queue {
            self.client.queue_subscribe(subject.to_owned(), "q".to_owned()).await
        } else {
            self.client.subscribe(subject.to_owned()).await
        };
        // The server reads a connection in order: with this answered, the subscription was dealt with.
        self.client.flush().await.unwrap();
        let inbox = self.client.new_inbox();
        let mut answers = self.client.subscribe(inbox.clone()).await.unwrap();
        self.send(barrier, inbox).await;
        answers.next().await.unwrap();
        // A refusal is on its way through the client's own queue, if there is one.
        let refusal = violation(&mut self.violations, subject);
        let refused = tokio::time::timeout(Duration::from_millis(300), refusal).await.is_ok();
        (heard.unwrap(), refused)
    }

    /// What arrived under `probe` since the last look.
    pub(super) fn probed(&mut self) -> Vec<String> {
        heard(&mut self.probe)
    }

    fn forget_violations(&mut self) {
        while self.violations.try_recv().is_ok() {}
    }
}

/// Everything that a subscription has received.
pub(super) fn heard(subscriber: &mut Subscriber) -> Vec<String> {
    let mut subjects = Vec::new();
    while let Some(Some(message)) = subscriber.next().now_or_never() {
        subjects.push(message.subject.to_string());
    }
    subjects
}

async fn violation(violations: &mut mpsc::UnboundedReceiver<String>, subject: &str) {
    while let Some(text) = violations.recv().await {
        if text.contains(&format!("\"{subject}\"")) {
            return;
        }
    }
    std::future::pending().await
}

fn reading(message: &Message) -> Answer {
    let text = String::from_utf8_lossy(&message.payload).into_owned();
    let status = message.status.map(|status| status.as_u16());
    let says_error = serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|answer| answer.get("error").is_some());
    match status {
        Some(200) | None if !says_error => Answer::Yes(text),
        Some(100) => Answer::Yes(text),
        Some(status) => Answer::No(format!("{status} {:?}", message.description)),
        None => Answer::No(text),
    }
}
