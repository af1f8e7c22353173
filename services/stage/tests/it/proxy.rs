//! A connection that can be cut, and that can swallow what the server says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

pub(crate) struct Proxy {
    pub(crate) url: String,
    deaf: Arc<AtomicBool>,
    cut: Arc<Notify>,
}

impl Proxy {
    pub(crate) async fn to(server_url: &str) -> Self {
        let target = server_url.trim_start_matches("nats://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("nats://{}", listener.local_addr().unwrap());
        let (deaf, cut) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let (swallow, hang_up) = (Arc::clone(&deaf), Arc::clone(&cut));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&target).await.unwrap();
                tokio::spawn(carry(client, server, Arc::clone(&swallow), Arc::clone(&hang_up)));
            }
        });
        Self { url, deaf, cut }
    }

    /// From now on the client hears nothing.
    pub(crate) fn swallow_answers(&self) {
        self.deaf.store(true, Ordering::SeqCst);
    }

    /// Ends all connections; new ones are whole again.
    pub(crate) fn hang_up(&self) {
        self.deaf.store(false, Ordering::SeqCst);
        self.cut.notify_waiters();
    }
}

async fn carry(client: TcpStream, server: TcpStream, deaf: Arc<AtomicBool>, cut: Arc<Notify>) {
    let (mut client_read, mut client_write) = client.into_split();
    let (mut server_read, mut server_write) = server.into_split();
    let up = tokio::io::copy(&mut client_read, &mut server_write);
    let down = async {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = server_read.read(&mut buffer).await.unwrap_or(0);
            if read == 0 {
                return;
            }
            // Half a message would be worse than none: once something is swallowed, so is the rest.
            if !deaf.load(Ordering::SeqCst) && client_write.write_all(&buffer[..read]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        _ = up => {}
        () = down => {}
        () = cut.notified() => {}
    }
}
