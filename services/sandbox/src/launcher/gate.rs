//! The socket on which a program finds its proxy: made here, in the sandbox's own network, and served from outside.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// Listens on `port` of the loopback interface, and gives the socket to whoever is at the other end of `channel`.
pub(super) fn hand_out(port: u16, channel: &OwnedFd) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let sockets = [listener.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&sockets));
    sendmsg(channel, &[IoSlice::new(&[1])], &mut control, SendFlags::empty())?;
    Ok(())
}
