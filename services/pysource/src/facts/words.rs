//! Lists of words that decide about names and comments. The lists are files under `policy/`.

const UNFINISHED: &str = include_str!("../../policy/unfinished-words.txt");
const CONDITIONAL: &str = include_str!("../../policy/conditional-words.txt");
const METRICS: &str = include_str!("../../policy/metric-words.txt");
const QUALIFIERS: &str = include_str!("../../policy/metric-qualifiers.txt");
const REFUSAL: &str = include_str!("../../policy/refusal-words.txt");
const TEMPLATE: &str = include_str!("../../policy/template-words.txt");
const ELISION: &str = include_str!("../../policy/elision-words.txt");
const ELISION_SENTENCES: &str = include_str!("../../policy/elision-sentences.txt");
/// A longer comment explains something.
const MOST_ELISION_WORDS: usize = 10;
const IDLE: &str = include_str!("../../policy/idle-words.txt");
const INTENDED: &str = include_str!("../../policy/intended-names.txt");

/// The entries of a policy file: one a line, `#` starts a comment.
pub(crate) fn entries(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Whether a text says that work is still to be done.
pub(super) fn unfinished(text: &str) -> bool {
    // Alone these words say it all; in a sentence they may speak of something else.
    let alone = words(text).count() <= 3 && words(text).any(|word| word == "placeholder" || word == "stub");
    let mut said = spoken(text);
    for entry in entries(CONDITIONAL) {
        said = said.replace(&format!(" {entry} "), " ");
    }
    alone || says(&said, UNFINISHED)
}

/// Whether the message of an error gives a reason that will stay one.
pub(super) fn refusal(text: &str) -> bool {
    says(text, REFUSAL) && !says(text, "yet")
}

/// Whether a text speaks to those who write classes below.
pub(super) fn template(text: &str) -> bool {
    says(text, TEMPLATE)
}

/// Whether a comment stands for code that was left out.
pub(super) fn elides(comment: &str) -> bool {
    let text = comment.trim();
    let lower = text.to_lowercase();
    let marked = ["...", "…"]
        .iter()
        .any(|dots| text.starts_with(dots) || text.ends_with(dots))
        || (text.starts_with(['(', '[', '<']) && text.ends_with([')', ']', '>']))
        || lower.starts_with("rest of")
        || lower.starts_with("remaining");
    let said: Vec<String> = words(text).collect();
    entries(ELISION_SENTENCES).any(|entry| entry == said.join(" "))
        || marked && words(text).count() <= MOST_ELISION_WORDS && says(text, ELISION)
}

/// Whether a text says that doing nothing is the point.
pub(super) fn idle(text: &str) -> bool {
    says(text, IDLE)
}

/// Whether a text has one of the entries of a list, by whole words.
fn says(text: &str, list: &'static str) -> bool {
    let text = spoken(text);
    entries(list).any(|entry| text.contains(&format!(" {entry} ")))
}

/// The words of a text in small letters, each with one blank before and after it.
fn spoken(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    format!(" {} ", words.join(" "))
}

/// The words of a name: `val/roc_auc` has `val`, `roc` and `auc`.
fn words(name: &str) -> impl Iterator<Item = String> {
    name.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Whether a key names a measured quantity.
pub(super) fn is_metric(name: &str) -> bool {
    let is_word = |word: &str| entries(METRICS).any(|entry| entry == word);
    let known = |word: &str| is_word(word) || entries(QUALIFIERS).any(|entry| entry == word);
    words(name).any(|word| is_word(&word)) && words(name).all(|word| known(&word))
}

/// Whether a function's name says that it measures something.
pub(super) fn measures(name: &str) -> bool {
    let verbs = ["evaluate", "compute", "calculate", "get", "measure", "eval"];
    words(name).any(|word| word == "evaluate")
        || (words(name).any(|word| entries(METRICS).any(|entry| entry == word))
            && words(name).all(|word| {
                verbs.contains(&word.as_str()) || is_metric(&word) || entries(QUALIFIERS).any(|entry| entry == word)
            }))
}

/// Whether a function's name announces a number that is meant, not measured.
pub(super) fn is_intended(name: &str) -> bool {
    let name = name.to_lowercase();
    entries(INTENDED).any(|entry| name.contains(entry))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_their_words() {
        for name in [
            "accuracy",
            "val/roc_auc",
            "Test Accuracy",
            "f1_score",
            "mean_squared_error",
        ] {
            assert!(is_metric(name), "{name}");
        }
        for name in ["loss_weight", "epochs", "lossy", "learning_rate", "", "test"] {
            assert!(!is_metric(name), "{name}");
        }
        assert!(measures("evaluate_model") && measures("compute_accuracy"));
        assert!(!measures("score_threshold") && !measures("mapper"));
    }

    #[test]
    fn comments_that_stand_for_code_are_told_from_others() {
        for comment in [
            " ... rest of the code unchanged ...",
            " (remaining methods unchanged)",
            "... existing code ...",
            " Rest of the class remains the same",
            " … same as before …",
            " [truncated]",
        ] {
            assert!(elides(comment), "{comment}");
        }
        for comment in [
            " The rest of the code reads it.",
            " ... and so on",
            " same as before, but with the second column first ... see the paper for why this is so and when",
            " something was truncated, adding '...' at the end",
            " continued fraction",
            " unchanged",
            " remaining bytes",
        ] {
            assert!(!elides(comment), "{comment}");
        }
    }

    #[test]
    fn unfinished_work_is_recognised_by_whole_words() {
        assert!(unfinished(" TODO: later") && unfinished("Not implemented yet."));
        assert!(
            unfinished("Stub.") && unfinished("A placeholder implementation of it.") && unfinished("# placeholder")
        );
        assert!(!unfinished("If not implemented, None.") && unfinished("If not implemented: TODO"));
        assert!(!unfinished("mastodon") && !unfinished("stubborn"));
        assert!(!unfinished("the text has a placeholder for each value that is cast"));
    }
}
