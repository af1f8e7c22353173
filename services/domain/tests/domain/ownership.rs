//! One list says what the model may write; no spelling gets around it (faults D1, D4).

use crate::cases;
use crate::samples::{path, planned};
use interlock_domain::owned::{
    self, CONTRACT_FILE, ENTRY_POINT, FILES, NotTheModels, harness_entries, model_may_write,
};
use interlock_domain::{Digest, Manifest, Owner, Plan, WorkspacePath};
use proptest::prelude::*;

#[test]
fn the_models_own_paths_are_its_own() {
    for case in cases::accepted("ownership/accept.txt") {
        assert_eq!(model_may_write(&path(&case)), Ok(()), "{case}");
    }
}

#[test]
fn everything_of_ours_is_refused_by_the_table_and_on_a_plan() {
    for (why, case) in cases::refused("ownership/reject.txt") {
        let path = path(&case);
        let refused = model_may_write(&path).expect_err(&case).to_string();
        assert!(
            refused.contains(&why),
            "{case} was refused for another reason: {refused}"
        );
        assert!(refused.contains(&case), "the message names no path: {refused}");
        let findings = Plan::new(vec![planned(CONTRACT_FILE, &[]), planned(&case, &[])]).expect_err(&case);
        assert!(
            findings.iter().any(|f| f.rule == "plan/owner" && f.at.file == case),
            "{case} on a plan: {findings:?}"
        );
    }
}

#[test]
fn the_table_is_whole() {
    let entries = harness_entries();
    assert_eq!(entries.len(), FILES.len());
    for (file, (path, entry)) in FILES.iter().zip(&entries) {
        assert_eq!(path.as_str(), file.path);
        assert_eq!(entry.owner, Owner::Harness);
        assert_eq!(entry.digest, Digest::of(file.content.as_bytes()));
        assert_eq!(entry.size, file.content.len() as u64);
        assert_eq!(path.as_str(), path.folded(), "the table is compared with folded paths");
    }
    assert!(FILES.iter().any(|file| file.path == ENTRY_POINT));
    assert!(Manifest::new(entries).is_ok());
    assert_eq!(model_may_write(&path(CONTRACT_FILE)), Ok(()));
}

#[test]
fn every_program_of_the_harness_is_embedded() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("python/harness");
    let mut lying: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "py"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let own = [owned::tools::COMPILE_CHECK, owned::tools::RUN_TESTS];
    let importing = owned::tools::IMPORTING.iter().chain(&owned::tools::SCORING);
    // What a workspace has as well lies there.
    let importing = importing.map(|(_, content)| *content);
    let importing = importing.filter(|content| FILES.iter().all(|file| file.content != *content));
    let mut embedded: Vec<String> = own.into_iter().chain(importing).map(str::to_owned).collect();
    embedded.sort();
    embedded.dedup();
    lying.sort();
    assert_eq!(embedded, lying);
}

/// `text` with the case of the letters turned where `turned` says so.
fn spelling(text: &str, turned: &[bool]) -> String {
    let turn = |(c, up): (char, &bool)| if *up { c.to_ascii_uppercase() } else { c };
    text.chars()
        .zip(turned.iter().chain(std::iter::repeat(&false)))
        .map(turn)
        .collect()
}

proptest! {
    #[test]
    fn no_spelling_of_a_harness_file_is_the_models(
        which in 0..FILES.len(),
        turned in proptest::collection::vec(any::<bool>(), 0..24),
        tail in prop_oneof![Just(""), Just("/x.py"), Just("c"), Just("i")],
    ) {
        let text = format!("{}{tail}", spelling(FILES[which].path, &turned));
        let path: WorkspacePath = text.parse().unwrap();
        let refused = model_may_write(&path);
        prop_assert!(refused.is_err(), "{}", text);
        if tail.is_empty() {
            prop_assert_eq!(refused, Err(NotTheModels::HarnessOwned(path)));
        }
    }

    #[test]
    fn a_spelling_of_a_refused_path_is_refused_as_well(
        which in any::<prop::sample::Index>(),
        turned in proptest::collection::vec(any::<bool>(), 0..40),
    ) {
        let cases = cases::refused("ownership/reject.txt");
        let (_, case) = which.get(&cases);
        let text = spelling(case, &turned);
        prop_assert!(model_may_write(&text.parse().unwrap()).is_err(), "{}", text);
    }
}
