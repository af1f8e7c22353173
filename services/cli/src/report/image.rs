//! Figures of a program, taken into the page only if they really are what their names say.
//!
//! A browser gets to decode them: the kind is told by the bytes and never by the name, sizes are bounded before and after
//! decoding, and an SVG image stands in an `img`, where no script of it runs and nothing is loaded.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// Largest figure in bytes.
pub const MAX_BYTES: u64 = 2 << 20;
/// Most bytes of all figures of a page.
pub const MAX_TOTAL_BYTES: u64 = 8 << 20;
/// Most pixels of one: what a browser has to hold uncompressed.
const MAX_PIXELS: u64 = 40_000_000;

/// A figure as the page holds it. Only made here, from bytes that were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataUri(String);

impl fmt::Display for DataUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a file is not shown as a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoImage {
    /// Its bytes are of another kind, or cut short.
    #[error("it is no PNG, JPEG or SVG image, whatever its name says")]
    Kind,
    /// It is too large to be decoded.
    #[error("it has more than 40 million pixels")]
    Pixels,
    /// It would grow while it is read.
    #[error("it is an SVG image with entities or a document type of its own")]
    Entities,
}

/// Whether a file's name claims that it is an image of a kind that is shown.
pub fn is_named_like_one(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| matches!(ending.as_str(), "png" | "jpg" | "jpeg" | "svg"))
}

/// The image that these bytes really are.
pub fn embed(bytes: &[u8]) -> Result<DataUri, NoImage> {
    let kind = if let Some(pixels) = png_pixels(bytes) {
        within(pixels)?;
        "image/png"
    } else if let Some(pixels) = jpeg_pixels(bytes) {
        within(pixels)?;
        "image/jpeg"
    } else if is_svg(bytes)? {
        "image/svg+xml"
    } else {
        return Err(NoImage::Kind);
    };
    Ok(DataUri(format!("data:{kind};base64,{}", STANDARD.encode(bytes))))
}

fn within(pixels: u64) -> Result<(), NoImage> {
    if pixels <= MAX_PIXELS {
        Ok(())
    } else {
        Err(NoImage::Pixels)
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |so_far, byte| so_far << 8 | u64::from(*byte))
}

/// Width times height from the header chunk, which is the first one of every PNG image.
fn png_pixels(bytes: &[u8]) -> Option<u64> {
    let rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")?;
    let (width, height) = (rest.get(0..4)?, rest.get(4..8)?);
    Some(number(width) * number(height))
}

/// Width times height from the first frame header.
fn jpeg_pixels(bytes: &[u8]) -> Option<u64> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let [0xff, marker, high, low, ..] = *rest else {
            return None;
        };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let is_frame = matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc);
        if is_frame {
            return Some(number(rest.get(5..7)?) * number(rest.get(7..9)?));
        }
        // Scan data come after the frame header: an image that has none before them has none.
        if marker == 0xda || length < 2 {
            return None;
        }
        rest = rest.get(2 + length..)?;
    }
}

/// Whether this is XML text whose root is `svg`, without declarations of its own.
fn is_svg(bytes: &[u8]) -> Result<bool, NoImage> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(false);
    };
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    // What may stand before the root.
    for (open, close) in [("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE svg", ">"), ("<!--", "-->")] {
        while let Some(inner) = rest.strip_prefix(open) {
            let Some((inner, after)) = inner.split_once(close) else {
                return Ok(false);
            };
            if close == ">" && inner.contains('[') {
                return Err(NoImage::Entities);
            }
            rest = after.trim_start();
        }
    }
    let after = rest.strip_prefix("<svg");
    Ok(after.is_some_and(|after| after.starts_with(|c: char| c.is_whitespace() || c == '>')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", size.as_slice(), b"\x08\x06\0\0\0"].concat()
    }

    fn jpeg(width: u16, height: u16) -> Vec<u8> {
        let size = [height.to_be_bytes(), width.to_be_bytes()].concat();
        [
            b"\xff\xd8\xff\xe0\0\x04JF\xff\xc0\0\x0b\x08",
            size.as_slice(),
            b"\x01\x11",
        ]
        .concat()
    }

    fn kind(bytes: &[u8]) -> Result<String, NoImage> {
        let uri = embed(bytes)?.to_string();
        Ok(uri.split(';').next().unwrap_or_default().to_owned())
    }

    #[test]
    fn images_are_told_by_their_bytes() {
        assert_eq!(kind(&png(640, 480)).as_deref(), Ok("data:image/png"));
        assert_eq!(kind(&jpeg(640, 480)).as_deref(), Ok("data:image/jpeg"));
        let drawn = "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x.dtd\">\n<!-- a > b -->\n<svg a=\"b\"/>";
        assert_eq!(kind(drawn.as_bytes()).as_deref(), Ok("data:image/svg+xml"));
        assert_eq!(kind(b"\xef\xbb\xbf<svg>").as_deref(), Ok("data:image/svg+xml"));
    }

    #[test]
    fn everything_else_is_left_out() {
        let pages: [&[u8]; 9] = [
            b"",
            b"<script>alert(1)</script>",
            b"<!-- <svg> --><html>",
            b"<svgfoo>",
            b"<!DOCTYPE html><svg>",
            b"\x89PNG\r\n\x1a\n",
            b"\xff\xd8\xff\xda\0\x04xx",
            b"\xff\xd8\xff\xe0\0\0",
            b"GIF89a",
        ];
        for bytes in pages {
            assert_eq!(embed(bytes), Err(NoImage::Kind), "{bytes:?}");
        }
    }

    #[test]
    fn what_would_grow_while_it_is_read_is_left_out() {
        assert_eq!(embed(&png(100_000, 100_000)), Err(NoImage::Pixels));
        assert_eq!(embed(&jpeg(65_535, 65_535)), Err(NoImage::Pixels));
        let bomb = b"<!DOCTYPE svg [<!ENTITY a 'aaaa'>]><svg>&a;</svg>";
        assert_eq!(embed(bomb), Err(NoImage::Entities));
    }

    #[test]
    fn names_say_what_is_fetched() {
        assert!(is_named_like_one("out/loss.PNG") && is_named_like_one("out/a.svg"));
        assert!(!is_named_like_one("out/a.gif") && !is_named_like_one("out/png"));
    }
}
