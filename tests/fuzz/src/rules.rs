//! Static rules over any text, and over any tree that claims to be the interpreter's: every finding has its place.

use interlock_pysource::{Declared, Status, Workspace, check, interface};
use std::collections::{BTreeMap, BTreeSet};

const FILES: [&str; 2] = ["src/a.py", "src/b.py"];
/// Stands between two files in the input.
const BETWEEN: &str = "\n#---\n";

fn workspace(text: &str) -> (BTreeMap<String, String>, Workspace) {
    let (a, b) = text
        .split_once(BETWEEN)
        .unwrap_or((text, "import a\nfrom a import *\n"));
    let files: BTreeMap<String, String> = FILES
        .iter()
        .map(ToString::to_string)
        .zip([a, b].map(str::to_owned))
        .collect();
    let environment = BTreeSet::from(["numpy".to_owned()]);
    let standard = ["json", "os", "sys", "typing", "dataclasses"].map(str::to_owned).into();
    (files.clone(), Workspace::new(files, "src", environment, standard))
}

fn judge(files: &BTreeMap<String, String>, workspace: &Workspace) {
    let exports = BTreeMap::from([("src/a.py".to_owned(), vec!["run".to_owned()])]);
    for unplanned in [false, true] {
        let declared = Declared {
            exports: exports.clone(),
            unplanned,
        };
        for report in check(workspace, &declared, &FILES.map(str::to_owned)) {
            let Status::Failed { findings, .. } = report.status else {
                continue;
            };
            assert!(!findings.is_empty(), "{} fails without a finding", report.rule);
            for finding in findings {
                let text = files.get(&finding.file).map(String::as_str).unwrap_or_default();
                let lines = text.split(['\n', '\r', '\x0c']).count() as u32;
                assert!(
                    finding.line <= lines,
                    "{finding:?} lies behind the end of {lines} lines"
                );
                assert!(!finding.message.is_empty());
            }
        }
    }
}

pub(crate) fn rules(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (files, workspace) = workspace(&text);
    judge(&files, &workspace);
    for text in files.values() {
        // Nothing to hold it to but that it comes to an end.
        let _ = interface(text);
    }
}

pub(crate) fn tree(data: &[u8]) {
    let json = String::from_utf8_lossy(data);
    let (files, mut workspace) = workspace("x = 1\n");
    if workspace.with_interpreter_tree("src/a.py", &json).is_ok() {
        let long = files.into_keys().map(|path| (path, "\n".repeat(1 << 16))).collect();
        judge(&long, &workspace);
    }
}
