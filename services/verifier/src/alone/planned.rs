//! A plan from a file: what a planner's model answers, or what `interlock show --json` prints of one.

use super::AloneError;
use bytes::Bytes;
use interlock_domain::manifest::Entry;
use interlock_domain::plan_file::{Json, planned_files};
use interlock_domain::{Finding, Location, Manifest, Owner, Plan, WorkspacePath, owned};
use interlock_stage::workspace::Sources;
use std::path::Path;

/// Reads a plan; the inner error is what is wrong with it as a plan.
///
/// # Errors
/// The file cannot be read, or is no JSON.
pub(super) fn read(path: &Path) -> Result<Result<Plan, Vec<Finding>>, AloneError> {
    let text = std::fs::read_to_string(path).map_err(|source| AloneError::Read {
        path: path.to_owned(),
        source,
    })?;
    let json: Json = serde_json::from_str(&text).map_err(|error| AloneError::Plan {
        path: path.to_owned(),
        reason: error.to_string(),
    })?;
    let plan = planned_files(&as_answered(json)).and_then(Plan::new);
    Ok(plan.map_err(|findings| findings.into_iter().map(|finding| in_the(path, finding)).collect()))
}

/// What we print of a plan is what was answered and a few fields more; they say nothing that counts.
fn as_answered(json: Json) -> Json {
    let Json::Object(fields) = json else {
        return json;
    };
    let printed = fields.iter().any(|(name, _)| name == "kind");
    let fields = fields.into_iter().filter(|(name, _)| !printed || name == "files");
    Json::Object(
        fields
            .map(|(name, value)| (name, if printed { without_levels(value) } else { value }))
            .collect(),
    )
}

fn without_levels(files: Json) -> Json {
    let Json::List(files) = files else {
        return files;
    };
    let file = |file: Json| match file {
        Json::Object(fields) => Json::Object(fields.into_iter().filter(|(name, _)| name != "level").collect()),
        other @ (Json::Null | Json::Bool | Json::Number | Json::Text(_) | Json::List(_)) => other,
    };
    Json::List(files.into_iter().map(file).collect())
}

/// A finding about a plan points at the file that was named, and says which planned file it means.
fn in_the(path: &Path, finding: Finding) -> Finding {
    let about = match finding.at.file.as_str() {
        "plan" => finding.message,
        file => format!("{file}: {}", finding.message),
    };
    Finding::new(finding.rule, Location::file(path.display().to_string()), about)
}

/// Who owns the files that are there, as a run would have it.
pub(super) fn manifest(plan: &Plan, sources: &Sources) -> Manifest {
    let of_harness = |path: &WorkspacePath| owned::FILES.iter().any(|file| file.path == path.as_str());
    let planned = sources
        .iter()
        .filter(|(path, _)| of_harness(path) || plan.file(path).is_some());
    let entries = planned.map(|(path, content)| {
        let owner = if of_harness(path) { Owner::Harness } else { Owner::Model };
        (path.clone(), entry(content, owner))
    });
    // Files of one folder clash only where case does not count; then nothing is owned, and ownership does not pass.
    Manifest::new(entries).unwrap_or_default()
}

fn entry(content: &Bytes, owner: Owner) -> Entry {
    Entry {
        size: content.len() as u64,
        digest: interlock_domain::Digest::of(content),
        ..owned::entry_of("", owner)
    }
}

/// Files that are planned and not there, and Python below the source root that is there and not planned.
pub(super) fn differences(plan: &Plan, sources: &Sources) -> Vec<Finding> {
    let at = |path: &WorkspacePath| Location::file(path.as_str());
    let missing = plan.files().iter().filter(|file| !sources.contains_key(&file.path));
    let missing = missing.map(|file| {
        Finding::new(
            "plan/missing",
            at(&file.path),
            "the plan has this file, and the folder has not; write it",
        )
    });
    let is_ours = |path: &WorkspacePath| owned::FILES.iter().any(|file| file.path == path.as_str());
    let source = sources
        .keys()
        .filter(|path| path.is_python() && path.as_str().starts_with("src/"));
    let unplanned = source.filter(|path| !is_ours(path) && plan.file(path).is_none());
    let unplanned = unplanned.map(|path| {
        Finding::new(
            "plan/unplanned",
            at(path),
            "no plan has this file; plan it, or take it away",
        )
    });
    missing.chain(unplanned).collect()
}

/// The files of a folder that are there when a level is checked in a run: those of later levels are not written yet.
pub(super) fn up_to(plan: &Plan, level: u32, sources: &Sources) -> Sources {
    let later: Vec<&WorkspacePath> = (level + 1..=plan.level_count())
        .flat_map(|later| plan.level(later))
        .collect();
    sources
        .iter()
        .filter(|(path, _)| !later.contains(path))
        .map(|(path, content)| (path.clone(), content.clone()))
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const ANSWERED: &str = r#"{"files": [
        {"path": "src/experiment.py", "purpose": "runs", "exports": [{"name": "run", "kind": "function"}], "depends_on": ["src/a.py"]},
        {"path": "src/a.py", "purpose": "helps"}]}"#;

    fn plan(text: &str) -> Result<Result<Plan, Vec<Finding>>, AloneError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn an_answer_and_what_is_printed_of_it_are_one_plan() {
        let answered = plan(ANSWERED).unwrap().unwrap();
        let printed = ANSWERED.replacen(
            "{\"files\"",
            "{\"seq\": 2, \"kind\": \"plan_proposal\", \"attempt\": 1, \"files\"",
            1,
        );
        let printed = printed.replace("\"purpose\"", "\"level\": 1, \"purpose\"");
        assert_eq!(plan(&printed).unwrap().unwrap(), answered);
        let fuller = ANSWERED.replace("\"purpose\"", "\"level\": 1, \"purpose\"");
        assert!(plan(&fuller).unwrap().is_err(), "an answer with unknown fields is none");
    }

    #[test]
    fn what_is_wrong_with_a_plan_is_said_about_its_file() {
        let wrong = plan(&ANSWERED.replace("\"src/a.py\", \"purpose\"", "\"src/main.py\", \"purpose\"")).unwrap();
        let findings = wrong.unwrap_err();
        assert!(
            findings.iter().all(|finding| finding.at.file.ends_with("plan.json")),
            "{findings:?}"
        );
        assert!(
            findings.iter().any(|finding| finding.rule == "plan/owner"),
            "{findings:?}"
        );
        assert!(matches!(plan("{\"files\": ["), Err(AloneError::Plan { .. })));
    }

    #[test]
    fn what_differs_from_the_plan_is_named_and_later_levels_are_not_there_yet() {
        let plan = plan(ANSWERED).unwrap().unwrap();
        let sources: Sources = ["src/experiment.py", "src/b.py", "src/main.py", "tests/x.py"]
            .into_iter()
            .map(|path| (path.parse().unwrap(), Bytes::new()))
            .collect();
        let found: Vec<String> = differences(&plan, &sources)
            .iter()
            .map(|f| format!("{} {}", f.rule, f.at))
            .collect();
        assert_eq!(found, ["plan/missing src/a.py", "plan/unplanned src/b.py"]);
        let first: Vec<String> = up_to(&plan, 1, &sources).keys().map(ToString::to_string).collect();
        assert_eq!(first, ["src/b.py", "src/main.py", "tests/x.py"]);
    }
}
