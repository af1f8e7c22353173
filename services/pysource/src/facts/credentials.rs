//! Tells credentials from examples, by their shape. Names their kind and never repeats them.

use super::words::entries;
use std::collections::BTreeSet;

const SECRETS: &str = include_str!("../../policy/secrets.txt");
const PLACEHOLDERS: &str = include_str!("../../policy/placeholder-words.txt");

/// First line of a private key, as every tool writes it.
const PRIVATE_KEY: (&str, &str) = ("-----BEGIN ", "PRIVATE KEY-----");
/// Fewest different characters of a credential; less is a row of signs.
const DIFFERENT: usize = 8;
/// Fewest characters of a password in an address, and fewest different ones: people choose these, often badly.
const PASSWORD: (usize, usize) = (8, 6);
/// What stands in the place of a password that is filled in later.
const TEMPLATE_SIGNS: [char; 7] = ['{', '}', '<', '>', '$', '%', '*'];

/// The kind of credential that a text holds.
pub(super) fn secret(text: &str) -> Option<String> {
    if let Some((_, rest)) = text.split_once(PRIVATE_KEY.0)
        && let Some((_, body)) = rest.split_once(PRIVATE_KEY.1)
        && body.chars().filter(char::is_ascii_alphanumeric).count() > 100
    {
        return Some("private-key".to_owned());
    }
    let known = entries(SECRETS).find_map(|line| {
        let mut words = line.split_whitespace();
        let (kind, prefix, class) = (words.next()?, words.next()?, words.next()?);
        let (least, most) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let holds = text.match_indices(prefix).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().last());
            let begins = before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
            let rest = text.get(at + prefix.len()..).unwrap_or_default();
            let body: String = rest.chars().take_while(|c| is_of(class, *c)).collect();
            begins && (least..=most).contains(&body.len()) && is_random(&body, DIFFERENT)
        });
        holds.then(|| kind.to_owned())
    });
    // Prose with addresses in it is about them.
    known.or_else(|| (!text.contains('\n') && holds_password(text)).then(|| "password in an address".to_owned()))
}

/// `scheme://user:password@host`
fn holds_password(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | ')' | ',');
        let authority = rest.split(ends).next().unwrap_or_default();
        let Some((user, host)) = authority.rsplit_once('@') else {
            return false;
        };
        let Some((_, password)) = user.split_once(':') else {
            return false;
        };
        // Reserved for examples, or this very machine.
        let nowhere = host.starts_with("localhost") || host.starts_with("127.") || host.contains("example");
        let filled_in = password.contains(TEMPLATE_SIGNS);
        !nowhere && !host.is_empty() && !filled_in && password.len() >= PASSWORD.0 && is_random(password, PASSWORD.1)
    })
}

fn is_of(class: &str, c: char) -> bool {
    match class {
        "upper" => c.is_ascii_uppercase() || c.is_ascii_digit(),
        "hex" => c.is_ascii_digit() || ('a'..='f').contains(&c),
        _ => c.is_ascii_alphanumeric() || c == '_' || c == '-',
    }
}

/// Whether it looks drawn by lot: an example says that it is one, or repeats itself.
fn is_random(body: &str, least: usize) -> bool {
    let lower = body.to_lowercase();
    let different = body.chars().collect::<BTreeSet<char>>().len();
    let has_digit = body.chars().any(|c| c.is_ascii_digit());
    different >= least && has_digit && !entries(PLACEHOLDERS).any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::secret;

    #[test]
    fn credentials_are_told_from_examples() {
        // Put together here, so that no tool takes this file for a leak.
        let key = ["AK", "IAQ7RD5KWM2ZP9T3XB"].concat();
        assert_eq!(secret(&key).as_deref(), Some("aws-access-key"));
        let url = format!(
            "https://{}:x@host",
            ["gh", "p_k3Jd82mNbQ0xLw7VtRzY5cHs9GfPaE4uTi6o"].concat()
        );
        assert_eq!(secret(&url).as_deref(), Some("github-token"));
        let url = ["postgres://app:", "k3Jd82mN", "@db.internal:5432/main"].concat();
        assert_eq!(secret(&url).as_deref(), Some("password in an address"));
        for text in [
            "AKIAIOSFODNN7EXAMPLE",
            "sk-your-key-here",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "task-a-very-long-name-that-goes-on-and-on-and-on",
            "-----BEGIN PRIVATE KEY-----",
            "AKIA",
            "postgresql://scott:tiger@localhost/test",
            "postgresql://user:{k3Jd82mN}@db.internal/main",
            "https://user:password1@db.internal/main",
            "https://host:8080/a:b2c3d4e5@f",
            "redis://app:k3Jd82mN@127.0.0.1",
            "://:@",
            "",
        ] {
            assert_eq!(secret(text), None, "{text}");
        }
    }
}
