//! Lets nobody in without the token, before a byte of the message is read.
//!
//! Wraps the whole service, so that a new call is guarded without anybody having to think of it.

use interlock_domain::Digest;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::io;
use std::path::{Path, PathBuf};
use std::task::{Context, Poll};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::server::NamedService;

/// The one call that needs no token: it tells nothing about any run.
const OPEN: &str = "/interlock.v1.Gateway/Health";
/// Shortest token in bytes: 16 random bytes in base64 or hex are longer.
const SHORTEST: usize = 20;

/// The token, of which only a digest is kept.
#[derive(Clone, Debug)]
pub(crate) struct Token(Digest);

/// Why there is no token. Always a refusal to start: without one, anybody could approve.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenError {
    /// The file.
    #[error("cannot read the token file {path}: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The token.
    #[error(
        "the token in {0} is not usable; expected one line of at least {SHORTEST} printable characters without spaces"
    )]
    Unusable(PathBuf),
}

impl Token {
    /// Reads the file's only line.
    pub(crate) fn read(path: &Path) -> Result<Self, TokenError> {
        let text = std::fs::read_to_string(path).map_err(|source| TokenError::Read {
            path: path.to_owned(),
            source,
        })?;
        let token = text.trim();
        if token.len() < SHORTEST || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(TokenError::Unusable(path.to_owned()));
        }
        Ok(Self(Digest::of(token.as_bytes())))
    }

    /// Whether the header's value is `Bearer` and this token. The time it takes does not depend on how
    /// much of a wrong token is right.
    fn admits(&self, header: Option<&[u8]>) -> bool {
        let Some((scheme, token)) = header.and_then(|value| value.split_at_checked(7)) else {
            return false;
        };
        let presented = Digest::of(token.trim_ascii());
        let pairs = self.0.as_bytes().iter().zip(presented.as_bytes());
        let difference = pairs.fold(0_u8, |seen, (ours, theirs)| seen | (ours ^ theirs));
        scheme.eq_ignore_ascii_case(b"bearer ") && std::hint::black_box(difference) == 0
    }
}

/// A service behind the token.
#[derive(Clone, Debug)]
pub(crate) struct Guarded<S> {
    inner: S,
    token: Token,
}

impl<S> Guarded<S> {
    pub(crate) const fn new(inner: S, token: Token) -> Self {
        Self { inner, token }
    }
}

impl<S: NamedService> NamedService for Guarded<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<http::Request<Body>> for Guarded<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = futures::future::Either<S::Future, Ready<Result<http::Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let header = request.headers().get(http::header::AUTHORIZATION);
        if request.uri().path() == OPEN || self.token.admits(header.map(|value| value.as_bytes())) {
            return futures::future::Either::Left(self.inner.call(request));
        }
        let refused = Status::unauthenticated(
            "the metadata `authorization: Bearer TOKEN` is missing or names another token; the token stands in the gateway's token file",
        );
        futures::future::Either::Right(ready(Ok(refused.into_http())))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Token, TokenError};

    fn token(text: &str) -> Result<Token, TokenError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Token::read(file.path())
    }

    #[test]
    fn only_the_token_is_let_in() {
        let good = token("0123456789abcdefghij\n").unwrap();
        for header in ["Bearer 0123456789abcdefghij", "bearer 0123456789abcdefghij"] {
            assert!(good.admits(Some(header.as_bytes())), "{header}");
        }
        for header in [
            "",
            "Bearer",
            "Bearer ",
            "0123456789abcdefghij",
            "Basic 0123456789abcdefghij",
            "Bearer 0123456789abcdefghi",
            "Bearer 0123456789abcdefghijk",
            "Bearer 0123456789ABCDEFGHIJ",
        ] {
            assert!(!good.admits(Some(header.as_bytes())), "{header}");
        }
        assert!(!good.admits(None));
    }

    #[test]
    fn a_token_that_could_be_guessed_or_lost_is_refused() {
        for text in ["", "\n", "short", "0123456789 abcdefghij", "0123456789\u{7f}abcdefghij"] {
            assert!(matches!(token(text), Err(TokenError::Unusable(_))), "{text:?}");
        }
        let missing = std::path::Path::new("/nonexistent/token");
        assert!(matches!(Token::read(missing), Err(TokenError::Read { .. })));
    }
}
