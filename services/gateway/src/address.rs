//! The file that tells others where this gateway listens.
//!
//! It appears whole or not at all, and never names an address that is not answered.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Takes away what an earlier gateway left, so that nobody calls an address that is no longer answered.
pub(crate) fn clear(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes the address as one line.
pub(crate) fn publish(path: &Path, address: SocketAddr) -> io::Result<()> {
    let unfinished = beside(path);
    std::fs::write(&unfinished, format!("{address}\n"))?;
    std::fs::rename(&unfinished, path)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".unfinished");
    PathBuf::from(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{clear, publish};

    #[test]
    fn the_file_holds_one_address_and_nothing_lies_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("addr");
        std::fs::write(&path, "127.0.0.1:1\nand something longer than an address\n").unwrap();
        publish(&path, "127.0.0.1:4321".parse().unwrap()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "127.0.0.1:4321\n");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        clear(&path).unwrap();
        assert!(!path.exists());
        clear(&path).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let address = "127.0.0.1:4321".parse().unwrap();
        assert!(publish(&dir.path().join("missing/addr"), address).is_err());
        assert!(clear(dir.path()).is_err(), "a folder is no address file");
    }
}
