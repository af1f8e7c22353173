//! A server that replays bytes as they stand, and keeps the requests that it got. For what only
//! other servers send.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

pub(crate) struct Replay {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Replay {
    /// Answers the n-th request with the n-th reply, and later ones with the last. In a reply, the
    /// lines of the head may end in LF.
    pub(crate) async fn new(replies: &[&str]) -> Self {
        let replies: Vec<Vec<u8>> = replies.iter().map(|reply| on_the_wire(reply)).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            for n in 0.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                seen.lock().unwrap().push(request);
                // Small pieces: events and characters arrive torn.
                for piece in replies[n.min(replies.len() - 1)].chunks(7) {
                    stream.write_all(piece).await.ok();
                    stream.flush().await.ok();
                    tokio::task::yield_now().await;
                }
            }
        });
        Self { url, requests }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn on_the_wire(reply: &str) -> Vec<u8> {
    let (head, body) = reply.split_once("\n\n").unwrap();
    let head = head.replace('\n', "\r\n");
    format!("{head}\r\nconnection: close\r\n\r\n{body}").into_bytes()
}

async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Request {
    let mut bytes = Vec::new();
    loop {
        let got = stream.read_buf(&mut bytes).await.unwrap();
        assert!(got > 0, "the request ends early");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && let Ok(body) = serde_json::from_str(body)
        {
            let head = head.to_lowercase();
            return Request { head, body };
        }
    }
}
