//! What a program asks the proxy for. Pure: bytes in, words out; whatever is no plain request is none.

/// One request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// Host and port, as they were written.
    pub(super) destination: String,
    /// The head as the server there is to get it; `None` for a tunnel.
    pub(super) forwarded: Option<Vec<u8>>,
}

/// Longest destination that is told, in characters: what may be reached is shorter.
const MAX_DESTINATION: usize = 300;
/// Longest address of a request, in bytes.
const MAX_TARGET: usize = 8192;
/// Headers that are between a client and its proxy.
const HOP: &[&str] = &["connection", "proxy-connection", "proxy-authorization", "keep-alive"];

/// Reads the head of a request, up to and with its empty line.
pub(super) fn read(head: &[u8]) -> Option<Asked> {
    let text = std::str::from_utf8(head).ok()?;
    let (first, headers) = text.split_once("\r\n")?;
    let mut words = first.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let is_plain = words.next().is_none() && version.starts_with("HTTP/1.") && !method.is_empty();
    if !is_plain || target.len() > MAX_TARGET {
        return None;
    }
    if method == "CONNECT" {
        return Some(Asked {
            destination: cut(target),
            forwarded: None,
        });
    }
    let scheme = target.get(..7)?;
    if !scheme.eq_ignore_ascii_case("http://") {
        return None;
    }
    let rest = target.get(7..)?;
    let (authority, path) = match rest.find(['/', '?']) {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    let destination = match authority.contains(':') {
        true => cut(authority),
        false => cut(&format!("{authority}:80")),
    };
    let path = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    };
    let mut forwarded = format!("{method} {path} {version}\r\nConnection: close\r\n");
    for line in headers.split("\r\n").take_while(|line| !line.is_empty()) {
        let (name, _) = line.split_once(':')?;
        if !HOP.iter().any(|hop| name.trim().eq_ignore_ascii_case(hop)) {
            forwarded.push_str(line);
            forwarded.push_str("\r\n");
        }
    }
    forwarded.push_str("\r\n");
    Some(Asked {
        destination,
        forwarded: Some(forwarded.into_bytes()),
    })
}

fn cut(destination: &str) -> String {
    destination.chars().take(MAX_DESTINATION).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn destination(head: &str) -> Option<String> {
        read(head.as_bytes()).map(|asked| asked.destination)
    }

    #[test]
    fn a_tunnel_is_asked_for_by_name_and_port() {
        let asked = read(b"CONNECT example.org:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n").unwrap();
        assert_eq!((asked.destination.as_str(), asked.forwarded), ("example.org:443", None));
    }

    #[test]
    fn a_plain_request_goes_on_without_what_was_for_the_proxy() {
        let asked = read(
            b"GET http://Example.org/a?b HTTP/1.1\r\nHost: example.org\r\nProxy-Connection: keep-alive\r\nX: 1\r\n\r\n",
        );
        let asked = asked.unwrap();
        assert_eq!(asked.destination, "Example.org:80");
        let head = String::from_utf8(asked.forwarded.unwrap()).unwrap();
        assert_eq!(
            head,
            "GET /a?b HTTP/1.1\r\nConnection: close\r\nHost: example.org\r\nX: 1\r\n\r\n"
        );
        assert_eq!(
            destination("GET http://a:81?x HTTP/1.0\r\n\r\n").unwrap(),
            "a:81",
            "a path may be missing"
        );
        // Whoever hides a name before an `@` gets what is written, and that is no destination.
        assert_eq!(
            destination("GET http://good.example@evil.example/ HTTP/1.1\r\n\r\n").unwrap(),
            "good.example@evil.example:80"
        );
    }

    #[test]
    fn what_is_no_request_is_none() {
        for head in [
            "",
            "\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET https://a/ HTTP/1.1\r\n\r\n",
            "GET http://a/ HTTP/2\r\n\r\n",
            "GET http://a/ b HTTP/1.1\r\n\r\n",
            "CONNECT a:1\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nno header\r\n\r\n",
            "GET ht",
        ] {
            assert_eq!(destination(head), None, "{head:?}");
        }
        assert_eq!(read(b"CONNECT \xff:1 HTTP/1.1\r\n\r\n"), None);
        let long = |length| format!("GET http://a/{} HTTP/1.1\r\n\r\n", "x".repeat(length));
        assert!(destination(&long(MAX_TARGET - 9)).is_some());
        assert_eq!(destination(&long(MAX_TARGET)), None);
        let host = "h".repeat(2 * MAX_DESTINATION);
        let told = destination(&format!("CONNECT {host}:1 HTTP/1.1\r\n\r\n"));
        assert_eq!(told.map(|told| told.len()), Some(MAX_DESTINATION));
    }
}
