//! Collects the rules' pages below `docs` into one table, so that a page that is there can be shown.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let docs = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("docs");
    println!("cargo::rerun-if-changed={}", docs.display());
    let mut pages = Vec::new();
    collect(&docs, &docs, &mut pages)?;
    pages.sort();
    let mut table = String::from("[\n");
    for (rule, file) in &pages {
        println!("cargo::rerun-if-changed={}", file.display());
        table.push_str(&format!("    ({rule:?}, include_str!({file:?})),\n"));
    }
    table.push(']');
    fs::write(
        PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("pages.rs"),
        table,
    )
}

fn collect(docs: &Path, folder: &Path, pages: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(docs, &path, pages)?;
        } else if path.extension().is_some_and(|ending| ending == "md") {
            let rule = path.strip_prefix(docs).unwrap_or(&path).with_extension("");
            pages.push((rule.to_string_lossy().into_owned(), path));
        }
    }
    Ok(())
}
