//! The one way out for a program with a network: a proxy (HTTP and CONNECT) outside the sandbox that reaches what is named
//! and nothing else. It listens on a socket of the sandbox's own loopback interface, which the launcher made and handed
//! out; from here it reaches the world with sockets of the machine. It must not read what passes through.

use std::collections::BTreeSet;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::request::read;
use interlock_domain::destination::Destination;

/// Most connections at the same time.
const CONNECTIONS: usize = 64;
/// Longest head of a request, in bytes.
const MAX_HEAD: usize = 16 << 10;
/// How long the head of a request may take, and a connection to the outside.
const PATIENCE: Duration = Duration::from_secs(15);
/// Most destinations that are named in the report.
const MAX_DENIED: usize = 32;

/// The running proxy; it ends when dropped.
#[derive(Debug)]
pub(super) struct Proxy {
    rules: Arc<Rules>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Rules {
    allowed: Vec<Destination>,
    denied: Mutex<BTreeSet<String>>,
}

impl Proxy {
    /// Waits for the launcher's socket on `channel`, and serves it.
    pub(super) fn start(channel: OwnedFd, allowed: Vec<Destination>) -> io::Result<Proxy> {
        let channel = std::os::unix::net::UnixStream::from(channel);
        channel.set_nonblocking(true)?;
        let channel = UnixStream::from_std(channel)?;
        let rules = Arc::new(Rules {
            allowed,
            denied: Mutex::default(),
        });
        let task = tokio::spawn(serve(channel, rules.clone()));
        Ok(Proxy { rules, task })
    }

    /// What the program wanted to reach and may not.
    pub(super) fn denied(&self) -> Vec<String> {
        let denied = self.rules.denied.lock().unwrap_or_else(PoisonError::into_inner);
        denied.iter().cloned().collect()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves until it is aborted. Without a socket there is nothing to serve, and the program finds nobody.
async fn serve(channel: UnixStream, rules: Arc<Rules>) {
    let Ok(listener) = received(&channel).await else {
        return;
    };
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    let mut going = tokio::task::JoinSet::new();
    loop {
        let Ok(permit) = free.clone().acquire_owned().await else {
            return;
        };
        let Ok((client, _)) = listener.accept().await else {
            return;
        };
        while going.try_join_next().is_some() {}
        let rules = rules.clone();
        going.spawn(async move {
            // How one connection ends is the program's affair.
            let _ = pass(client, &rules).await;
            drop(permit);
        });
    }
}

/// The listening socket, as the launcher sends it.
async fn received(channel: &UnixStream) -> io::Result<TcpListener> {
    loop {
        channel.readable().await?;
        let taken = channel.try_io(Interest::READABLE, || {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let mut byte = [0_u8];
            let mut parts = [io::IoSliceMut::new(&mut byte)];
            recvmsg(channel, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC)?;
            let sent = control.drain().find_map(|message| match message {
                RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
                _ => None,
            });
            sent.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))
        });
        match taken {
            Ok(socket) => {
                let listener = std::net::TcpListener::from(socket);
                listener.set_nonblocking(true)?;
                return TcpListener::from_std(listener);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// One connection of the program's.
async fn pass(mut client: TcpStream, rules: &Rules) -> io::Result<()> {
    let (head, rest) = tokio::time::timeout(PATIENCE, head_of(&mut client)).await??;
    let Some(asked) = read(&head) else {
        return answer(&mut client, "400 Bad Request", "this is a proxy for HTTP and CONNECT").await;
    };
    let destination = match asked.destination.parse::<Destination>() {
        Ok(destination) if rules.allowed.contains(&destination) => destination,
        Ok(destination) => return deny(&mut client, rules, destination.to_string()).await,
        Err(_) => return deny(&mut client, rules, asked.destination.clone()).await,
    };
    let there = TcpStream::connect((destination.host(), destination.port()));
    let mut outside = match tokio::time::timeout(PATIENCE, there).await {
        Ok(Ok(outside)) => outside,
        Ok(Err(error)) => {
            let why = format!("{destination} cannot be reached: {error}");
            return answer(&mut client, "502 Bad Gateway", &why).await;
        }
        Err(_) => {
            let why = format!("{destination} does not answer");
            return answer(&mut client, "504 Gateway Timeout", &why).await;
        }
    };
    match asked.forwarded {
        Some(head) => outside.write_all(&head).await?,
        None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
    }
    outside.write_all(&rest).await?;
    copy_bidirectional(&mut client, &mut outside).await.map(drop)
}

async fn deny(client: &mut TcpStream, rules: &Rules, wanted: String) -> io::Result<()> {
    let allowed: Vec<String> = rules.allowed.iter().map(ToString::to_string).collect();
    let why = format!("the task does not allow {wanted}; it allows {}", allowed.join(", "));
    {
        let mut denied = rules.denied.lock().unwrap_or_else(PoisonError::into_inner);
        if denied.len() < MAX_DENIED {
            denied.insert(wanted);
        }
    }
    answer(client, "403 Forbidden", &why).await
}

async fn answer(client: &mut TcpStream, status: &str, why: &str) -> io::Result<()> {
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{why}\n",
        why.len() + 1
    );
    client.write_all(text.as_bytes()).await?;
    client.shutdown().await
}

/// The head of a request, and what came after it already.
async fn head_of(client: &mut TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            return Ok((bytes, rest));
        }
        if bytes.len() > MAX_HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if client.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}
