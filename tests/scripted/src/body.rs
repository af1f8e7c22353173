//! The body of a reply as a stream of frames with a planned end: whole, torn, stalled.
//! The only place that decides when an answer counts as completed.

use std::future::pending;
use std::io;

use axum::body::Body;
use bytes::Bytes;
use futures::stream::{self, StreamExt as _};

use crate::begun::Begun;
use crate::script::Break;
use crate::wire::{Said, Wire};

/// Bytes of text per streamed piece, about what a real server sends at a time.
const PIECE: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The last frame is the end of a good answer.
    Complete,
    /// The body ends in good order, but it was no answer.
    Failed,
    /// The connection is torn down.
    Torn,
    /// Nothing more comes.
    Silence,
}

pub(crate) fn streamed(wire: Wire, said: &Said<'_>, broken: Option<&Break>, begun: Begun) -> Body {
    // A cut falls exactly where the script says, so the text is pieced up to there first.
    let cut = match broken {
        Some(Break::Cut(bytes)) => floor(said.text, *bytes),
        Some(Break::Stall | Break::ErrorEvent(_)) => floor(said.text, said.text.len() / 2),
        None => said.text.len(),
    };
    let pieces = pieces(said.text.get(..cut).unwrap_or_default());
    let frames = wire.frames(said, &pieces);
    let mut out = frames.opening;
    out.extend(frames.content);
    let end = match broken {
        None => {
            out.extend(frames.closing);
            End::Complete
        }
        Some(Break::Cut(_)) => End::Torn,
        Some(Break::Stall) => End::Silence,
        Some(Break::ErrorEvent(code)) => {
            out.push(wire.error_frame(code));
            End::Failed
        }
    };
    body(out, end, begun)
}

/// A reply in one piece, for clients that do not stream.
pub(crate) fn whole(json: &[u8], broken: Option<&Break>, begun: Begun) -> Body {
    let (upto, end) = match broken {
        None => (json.len(), End::Complete),
        Some(Break::Cut(bytes)) => (*bytes, End::Torn),
        Some(Break::Stall) => (json.len() / 2, End::Silence),
        // There are no events outside a stream: the nearest thing is a connection that breaks.
        Some(Break::ErrorEvent(_)) => (json.len() / 2, End::Torn),
    };
    let part = json.get(..upto.min(json.len())).unwrap_or_default();
    body(vec![Bytes::copy_from_slice(part)], end, begun)
}

fn body(frames: Vec<Bytes>, end: End, begun: Begun) -> Body {
    let state = (frames.into_iter(), begun);
    let stream = stream::unfold(state, move |(mut frames, mut begun)| async move {
        if begun.is_over() {
            return None;
        }
        let frame = frames.next();
        if frame.is_some() || end != End::Complete {
            // Giving way makes the server flush what came before: a real stream, and a torn
            // connection that really delivered its part. Not before a good end: the client has all
            // it needs by then, and its going away must not be taken for abandoning the answer.
            tokio::task::yield_now().await;
        }
        if let Some(frame) = frame {
            return Some((Ok(frame), (frames, begun)));
        }
        if end == End::Silence {
            pending::<()>().await;
        }
        let last = match end {
            End::Complete => begun.complete().err(),
            End::Torn => Some(io::Error::other("the script cuts the connection here")),
            End::Failed | End::Silence => None,
        };
        begun.end();
        last.map(|error| (Err(error), (frames, begun)))
    });
    Body::from_stream(stream.fuse())
}

/// The largest index of a character border that is at most `index`.
fn floor(text: &str, index: usize) -> usize {
    let mut at = index.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn pieces(mut text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    while !text.is_empty() {
        // A character is at most four bytes, so a piece is never empty.
        let (piece, rest) = text.split_at(floor(text, PIECE));
        out.push(piece);
        text = rest;
    }
    out
}
