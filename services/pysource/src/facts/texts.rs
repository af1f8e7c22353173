//! What a file's strings, comments and last words give away: credentials, code that was left out, files that only the
//! harness writes. Secrets are named by their kind and never repeated.

use super::words::{self, entries};
use crate::source::{Pos, Source, Span};
use crate::tree::{Expr, ExprKind, Keyword, Node, Stmt, StmtKind, Tree, walk_expr, walk_stmt};

const RESULT_FILES: &str = include_str!("../../policy/result-files.txt");
const SECRETS: &str = include_str!("../../policy/secrets.txt");
const PLACEHOLDERS: &str = include_str!("../../policy/placeholder-words.txt");

/// First line of a private key, as every tool writes it.
const PRIVATE_KEY: (&str, &str) = ("-----BEGIN ", "PRIVATE KEY-----");
/// Methods that write a file whose path they are called on, or given.
const WRITERS: &[&str] = &["write_text", "write_bytes", "to_json", "to_csv"];
/// Fewest different characters of a credential; less is a row of signs.
const DIFFERENT: usize = 8;

/// What was found, by place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// Kind of credential.
    pub(crate) secrets: Vec<(Pos, String)>,
    /// The comment that stands for code.
    pub(crate) elisions: Vec<(Pos, String)>,
    /// A last statement that is nothing but a name.
    pub(crate) dangling: Option<(Pos, String)>,
    /// The harness's file that is written.
    pub(crate) result_files: Vec<(Pos, String)>,
    /// Strings and comments that were looked at.
    pub(crate) looked_at: u64,
}

impl Texts {
    /// Reads one file.
    pub(super) fn of(tree: &Tree, source: &Source<'_>) -> Self {
        let mut texts = Self::default();
        let mut strings: Vec<Span> = Vec::new();
        for stmt in &tree.body {
            walk_stmt(stmt, &mut |node| {
                if let Node::Expr(expr) = node {
                    texts.expression(expr, source, &mut strings);
                }
                true
            });
        }
        texts.comments(source, strings);
        texts.dangling = last_word(&tree.body).map(|(span, name)| (source.pos(span.start as usize), name));
        texts
    }

    fn expression(&mut self, expr: &Expr, source: &Source<'_>, strings: &mut Vec<Span>) {
        match &expr.kind {
            ExprKind::Str(text) => {
                self.looked_at += 1;
                strings.push(expr.span);
                if let Some(kind) = secret(text) {
                    self.secrets.push((source.pos(expr.span.start as usize), kind));
                }
            }
            ExprKind::Joined(_) => strings.push(expr.span),
            ExprKind::Call { func, args, keywords } if writes(func, args, keywords) => {
                if let Some(name) = result_file(expr) {
                    self.result_files.push((source.pos(expr.span.start as usize), name));
                }
            }
            _ => {}
        }
    }

    /// Comments are what begins with a mark outside of every string.
    fn comments(&mut self, source: &Source<'_>, mut strings: Vec<Span>) {
        strings.sort_by_key(|span| span.start);
        let end = u32::try_from(source.text().len()).unwrap_or(u32::MAX);
        strings.push(Span { start: end, end });
        let mut at = 0;
        for string in strings {
            if string.start > at {
                let between = Span {
                    start: at,
                    end: string.start,
                };
                let mut offset = at as usize;
                for line in source.slice(between).split_inclusive(['\n', '\r']) {
                    if let Some((code, comment)) = line.split_once('#') {
                        self.looked_at += 1;
                        if words::elides(comment) {
                            self.elisions
                                .push((source.pos(offset + code.len()), comment.trim().to_owned()));
                        }
                    }
                    offset += line.len();
                }
            }
            at = at.max(string.end);
        }
    }
}

/// The statement at the very end, where it is a bare name: what is left of one that was cut off.
fn last_word(body: &[Stmt]) -> Option<(Span, String)> {
    match &body.last()?.kind {
        StmtKind::Expr(value) => value.as_name().map(|name| (value.span, name.to_owned())),
        StmtKind::Function(def) => last_word(&def.body),
        StmtKind::Class(def) => last_word(&def.body),
        _ => None,
    }
}

/// Whether a call writes the file that it names.
fn writes(func: &Expr, args: &[Expr], keywords: &[Keyword]) -> bool {
    let mode = |position: usize| {
        let named = keywords.iter().find(|keyword| keyword.name.as_deref() == Some("mode"));
        let mode = args.get(position).or(named.map(|keyword| &keyword.value));
        mode.and_then(Expr::as_str)
            .is_some_and(|mode| mode.contains(['w', 'a', 'x', '+']))
    };
    match &func.kind {
        ExprKind::Name(name) => name == "open" && mode(1),
        ExprKind::Attribute { attr, .. } if attr == "open" => mode(0) || mode(1),
        ExprKind::Attribute { attr, .. } => WRITERS.contains(&attr.as_str()),
        _ => false,
    }
}

/// The harness's file that is named somewhere in a call.
fn result_file(call: &Expr) -> Option<String> {
    let mut found = None;
    walk_expr(call, &mut |node| {
        if let Node::Expr(expr) = node
            && let Some(text) = expr.as_str()
        {
            let name = text.rsplit('/').next().unwrap_or(text);
            if entries(RESULT_FILES).any(|entry| entry == name) {
                found.get_or_insert_with(|| name.to_owned());
            }
        }
        true
    });
    found
}

/// The kind of credential that a text holds.
fn secret(text: &str) -> Option<String> {
    if let Some((_, rest)) = text.split_once(PRIVATE_KEY.0)
        && let Some((_, body)) = rest.split_once(PRIVATE_KEY.1)
        && body.chars().filter(char::is_ascii_alphanumeric).count() > 100
    {
        return Some("private-key".to_owned());
    }
    entries(SECRETS).find_map(|line| {
        let mut words = line.split_whitespace();
        let (kind, prefix, class) = (words.next()?, words.next()?, words.next()?);
        let (least, most) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let holds = text.match_indices(prefix).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().last());
            let begins = before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
            let rest = text.get(at + prefix.len()..).unwrap_or_default();
            let body: String = rest.chars().take_while(|c| is_of(class, *c)).collect();
            begins && (least..=most).contains(&body.len()) && is_random(&body)
        });
        holds.then(|| kind.to_owned())
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
fn is_random(body: &str) -> bool {
    let lower = body.to_lowercase();
    let different = body.chars().collect::<std::collections::BTreeSet<char>>().len();
    let has_digit = body.chars().any(|c| c.is_ascii_digit());
    different >= DIFFERENT && has_digit && !entries(PLACEHOLDERS).any(|word| lower.contains(word))
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
        for text in [
            "AKIAIOSFODNN7EXAMPLE",
            "sk-your-key-here",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "task-a-very-long-name-that-goes-on-and-on-and-on",
            "-----BEGIN PRIVATE KEY-----",
            "AKIA",
            "",
        ] {
            assert_eq!(secret(text), None, "{text}");
        }
    }
}
