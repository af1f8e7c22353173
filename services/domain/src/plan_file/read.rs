//! From JSON to planned files: strict about fields and types, and complete about what is wrong.
//!
//! Looks at one file at a time; what files mean to each other is checked elsewhere.

use super::Json;
use crate::plan::{Export, ExportKind, PlannedFile};
use crate::{Finding, Location, WorkspacePath};
use std::collections::BTreeSet;

/// Longest purpose in characters.
const MAX_PURPOSE: usize = 1_000;
/// Most exports, or dependencies, of one file.
const MAX_ITEMS: usize = 200;
/// Longest name in characters.
const MAX_NAME: usize = 100;

/// The planned files.
///
/// # Errors
/// Everything that is not as it has to be.
pub fn planned_files(plan: &Json) -> Result<Vec<PlannedFile>, Vec<Finding>> {
    let mut reader = Reader {
        at: "plan".to_owned(),
        findings: Vec::new(),
    };
    let files = reader.plan(plan);
    if reader.findings.is_empty() {
        Ok(files)
    } else {
        Err(reader.findings)
    }
}

struct Reader {
    /// The file that is read.
    at: String,
    findings: Vec<Finding>,
}

impl Reader {
    fn complain(&mut self, rule: &str, message: String) {
        let at = Location::file(self.at.clone());
        self.findings.push(Finding::new(format!("plan/{rule}"), at, message));
    }

    fn plan(&mut self, plan: &Json) -> Vec<PlannedFile> {
        let Some([files]) = self.object("the plan", plan, ["files"], &[]) else {
            return Vec::new();
        };
        let Some(files) = self.list("files", files) else {
            return Vec::new();
        };
        let mut planned = Vec::new();
        for (index, file) in files.iter().enumerate() {
            self.at = format!("files[{index}]");
            planned.extend(self.file(file));
        }
        planned
    }

    fn file(&mut self, file: &Json) -> Option<PlannedFile> {
        if let Some(path) = named(file) {
            self.at = clipped(path);
        }
        let fields = ["path", "purpose", "exports", "depends_on"];
        let [path, purpose, exports, depends_on] = self.object("a file", file, fields, &["exports", "depends_on"])?;
        let path = self.path("path", path);
        let purpose = self.text("purpose", purpose, MAX_PURPOSE);
        let exports = match exports {
            None => Some(Vec::new()),
            some => self.exports(some),
        };
        let depends_on = match depends_on {
            None => Some(Vec::new()),
            some => self.dependencies(some),
        };
        Some(PlannedFile {
            path: path?,
            purpose: purpose?,
            exports: exports?,
            depends_on: depends_on?,
        })
    }

    fn exports(&mut self, exports: Option<&Json>) -> Option<Vec<Export>> {
        let list = self.list("exports", exports)?;
        let mut all = Vec::new();
        for export in list {
            let [name, kind] = self.object("an export", export, ["name", "kind"], &[])?;
            let name = self.text("name", name, MAX_NAME);
            let kind = self.text("kind", kind, MAX_NAME)?;
            match ExportKind::from_name(&kind) {
                Some(kind) => all.push(Export { name: name?, kind }),
                None => self.complain(
                    "kind",
                    format!("kind {:?} is none of function, class and value", clipped(&kind)),
                ),
            }
        }
        Some(all)
    }

    fn dependencies(&mut self, paths: Option<&Json>) -> Option<Vec<WorkspacePath>> {
        let list = self.list("depends_on", paths)?;
        let paths: BTreeSet<WorkspacePath> = list
            .iter()
            .filter_map(|path| self.path("depends_on", Some(path)))
            .collect();
        Some(paths.into_iter().collect())
    }

    /// The fields of an object in the order of `names`, none of them unknown or repeated.
    fn object<'j, const N: usize>(
        &mut self,
        what: &str,
        json: &'j Json,
        names: [&str; N],
        optional: &[&str],
    ) -> Option<[Option<&'j Json>; N]> {
        let Json::Object(fields) = json else {
            let kind = json.kind();
            self.complain(
                "shape",
                format!(
                    "{what} has to be an object with the fields {}, and is {kind}",
                    names.join(", ")
                ),
            );
            return None;
        };
        let mut values = [None; N];
        for (field, value) in fields {
            let place = names.iter().position(|name| name == field);
            match place.and_then(|place| values.get_mut(place)) {
                None => self.complain(
                    "unknown-field",
                    format!(
                        "{what} has no field {:?}; its fields are {}",
                        clipped(field),
                        names.join(", ")
                    ),
                ),
                Some(Some(_)) => self.complain("repeated-field", format!("{what} has the field {field} twice")),
                Some(place) => *place = Some(value),
            }
        }
        for (name, value) in names.iter().zip(&values) {
            if value.is_none() && !optional.contains(name) {
                self.complain("missing-field", format!("{what} has to have the field {name}"));
            }
        }
        Some(values)
    }

    fn list<'j>(&mut self, what: &str, json: Option<&'j Json>) -> Option<&'j [Json]> {
        match json? {
            Json::List(items) if items.len() <= MAX_ITEMS || what == "files" => Some(items),
            Json::List(items) => {
                let count = items.len();
                self.complain(
                    "too-large",
                    format!("{what} has {count} entries; at most {MAX_ITEMS} are allowed"),
                );
                None
            }
            other @ (Json::Null | Json::Bool | Json::Number | Json::Text(_) | Json::Object(_)) => {
                self.complain("shape", format!("{what} has to be a list, and is {}", other.kind()));
                None
            }
        }
    }

    fn text(&mut self, what: &str, json: Option<&Json>, most: usize) -> Option<String> {
        let text = match json? {
            Json::Text(text) => text.trim(),
            other @ (Json::Null | Json::Bool | Json::Number | Json::List(_) | Json::Object(_)) => {
                self.complain("shape", format!("{what} has to be a text, and is {}", other.kind()));
                return None;
            }
        };
        if text.is_empty() {
            self.complain("shape", format!("{what} is empty"));
            return None;
        }
        if text.chars().count() > most {
            self.complain("too-large", format!("{what} has more than {most} characters"));
            return None;
        }
        Some(text.to_owned())
    }

    fn path(&mut self, what: &str, json: Option<&Json>) -> Option<WorkspacePath> {
        // Longer ones are the path type's to refuse: it says why.
        let text = self.text(what, json, usize::MAX)?;
        match text.strip_prefix("./").unwrap_or(&text).parse() {
            Ok(path) => Some(path),
            Err(refused) => {
                self.complain("path", format!("{what}: {refused}"));
                None
            }
        }
    }
}

/// The path that a file gives itself, if it does.
fn named(file: &Json) -> Option<&str> {
    let Json::Object(fields) = file else {
        return None;
    };
    fields.iter().find_map(|(name, value)| match value {
        Json::Text(path) if name == "path" => Some(path.trim()),
        Json::Text(_) | Json::Null | Json::Bool | Json::Number | Json::List(_) | Json::Object(_) => None,
    })
}

/// What a model wrote, short enough to be quoted.
fn clipped(text: &str) -> String {
    text.chars().take(MAX_NAME).collect()
}
