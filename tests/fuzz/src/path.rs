//! Paths: what is accepted lies below the folder that it is joined to, and is what it was.

use interlock_domain::WorkspacePath;
use std::path::{Component, Path};

pub(crate) fn path(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(path) = text.parse::<WorkspacePath>() else {
        return;
    };
    let said = path.as_str();
    let again = said.parse::<WorkspacePath>();
    assert_eq!(again.as_ref().ok(), Some(&path), "{said:?} is accepted once");
    assert!(!said.contains(['\\', '\0', ':']), "{said:?}");
    let below = Path::new(said)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    assert!(below && !said.is_empty(), "{said:?} leaves its folder");
    assert_eq!(path.segments().collect::<Vec<_>>().join("/"), said);
    let folded = path.folded();
    if let Ok(other) = folded.parse::<WorkspacePath>() {
        assert_eq!(other.folded(), folded, "{said:?} folds twice");
    }
}
