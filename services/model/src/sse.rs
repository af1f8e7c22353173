//! Server-sent events out of bytes that arrive in any pieces. Knows lines and fields, nothing of
//! what the data means. Bounded: a line without end is an error, not memory.

/// One event: its name, if it has one, and its data lines joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: Option<String>,
    pub(crate) data: String,
}

/// What cannot be a stream of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// A line or an event beyond the limit.
    TooLong,
    /// Bytes that are not UTF-8.
    NotUtf8,
}

/// Takes bytes, gives events.
#[derive(Debug)]
pub(crate) struct Decoder {
    line: Vec<u8>,
    data: String,
    name: Option<String>,
    has_data: bool,
    after_cr: bool,
    at_start: bool,
    limit: usize,
}

impl Decoder {
    /// `limit` bounds the bytes of one event.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: String::new(),
            name: None,
            has_data: false,
            after_cr: false,
            at_start: true,
            limit,
        }
    }

    /// The events that these bytes complete. An event without its blank line is never given out.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Malformed> {
        let mut events = Vec::new();
        for &byte in bytes {
            // Lines end in LF, CR or CR LF; the LF of the last may come with the next piece.
            let second_half = std::mem::replace(&mut self.after_cr, byte == b'\r') && byte == b'\n';
            match byte {
                b'\n' if second_half => {}
                b'\n' | b'\r' => events.extend(self.end_line()?),
                _ if self.line.len() + self.data.len() >= self.limit => {
                    return Err(Malformed::TooLong);
                }
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Result<Option<Event>, Malformed> {
        let bytes = std::mem::take(&mut self.line);
        let mut line = std::str::from_utf8(&bytes).map_err(|_| Malformed::NotUtf8)?;
        if std::mem::replace(&mut self.at_start, false) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            let name = self.name.take();
            let data = std::mem::take(&mut self.data);
            let whole = std::mem::replace(&mut self.has_data, false);
            return Ok(whole.then_some(Event { name, data }));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            "event" => self.name = Some(value.to_owned()),
            // Comments (an empty field name), `id`, `retry` and whatever else there may be.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn event(name: Option<&str>, data: &str) -> Event {
        Event {
            name: name.map(str::to_owned),
            data: data.to_owned(),
        }
    }

    #[test]
    fn every_cut_of_the_bytes_gives_the_same_events() {
        let stream = "\u{feff}: comment\r\nevent: a\r\ndata: é€🦀\r\ndata:two\r\n\r\nid: 1\rdata:\r\rdata: x\n\n";
        let expected = [event(Some("a"), "é€🦀\ntwo"), event(None, ""), event(None, "x")];
        for size in 1..=stream.len() {
            let mut decoder = Decoder::new(1000);
            let mut events = Vec::new();
            for piece in stream.as_bytes().chunks(size) {
                events.extend(decoder.push(piece).unwrap());
            }
            assert_eq!(events, expected, "pieces of {size}");
        }
    }

    #[test]
    fn an_event_without_its_blank_line_does_not_count() {
        let mut decoder = Decoder::new(1000);
        assert_eq!(decoder.push(b"data: half\n").unwrap(), []);
        assert_eq!(decoder.push(b"event: nothing\n\n").unwrap().len(), 1);
        assert_eq!(decoder.push(b"event: nothing\n\n").unwrap(), []);
    }

    #[test]
    fn the_limit_holds_for_lines_and_for_events() {
        let mut decoder = Decoder::new(8);
        assert_eq!(decoder.push(b"data: 123456789"), Err(Malformed::TooLong));
        let mut decoder = Decoder::new(8);
        assert_eq!(
            decoder.push(b"data:1\ndata:2\ndata:3\ndata:4\ndata:5\n"),
            Err(Malformed::TooLong)
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error() {
        assert_eq!(Decoder::new(99).push(b"data: \xff\n"), Err(Malformed::NotUtf8));
    }
}
