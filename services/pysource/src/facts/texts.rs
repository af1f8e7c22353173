//! What a file's strings, comments and last words give away: credentials, code that was left out, files that only the
//! harness writes. Secrets are named by their kind and never repeated.

use super::credentials::secret;
use super::scope;
use super::words::{self, entries};
use crate::source::{Pos, Source, Span};
use crate::tree::{Expr, ExprKind, Keyword, Node, Stmt, StmtKind, Tree, walk_expr, walk_stmt};
use std::collections::HashMap;

const RESULT_FILES: &str = include_str!("../../policy/result-files.txt");

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
        let names = path_names(&tree.body);
        for stmt in &tree.body {
            walk_stmt(stmt, &mut |node| {
                if let Node::Expr(expr) = node {
                    texts.expression(expr, source, &names, &mut strings);
                }
                true
            });
        }
        texts.comments(source, strings);
        texts.dangling = last_word(&tree.body).map(|(span, name)| (source.pos(span.start as usize), name));
        texts
    }

    fn credential(&mut self, text: &str, pos: Pos) {
        self.secrets.extend(secret(text).map(|kind| (pos, kind)));
    }

    fn expression<'t>(
        &mut self,
        expr: &'t Expr,
        source: &Source<'_>,
        names: &HashMap<&'t str, &'static str>,
        strings: &mut Vec<Span>,
    ) {
        match &expr.kind {
            ExprKind::Str(text) => {
                self.looked_at += 1;
                strings.push(expr.span);
                self.credential(text, source.pos(expr.span.start as usize));
            }
            ExprKind::Joined(_) => strings.push(expr.span),
            // Bytes among them, which have no text of their own.
            ExprKind::OtherConstant => {
                strings.push(expr.span);
                self.credential(source.slice(expr.span), source.pos(expr.span.start as usize));
            }
            ExprKind::Call { func, args, keywords } => {
                let path = destination(func, args, keywords);
                if let Some(name) = path.and_then(|path| result_file(path, names)) {
                    self.result_files
                        .push((source.pos(expr.span.start as usize), name.to_owned()));
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
                        self.credential(comment, source.pos(offset + code.len()));
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
        StmtKind::If { body, orelse, .. }
        | StmtKind::For { body, orelse, .. }
        | StmtKind::While { body, orelse, .. } => last_word(if orelse.is_empty() { body } else { orelse }),
        _ => None,
    }
}

/// Where a call writes to, where it writes a file.
fn destination<'t>(func: &'t Expr, args: &'t [Expr], keywords: &'t [Keyword]) -> Option<&'t Expr> {
    let named = |name: &str| {
        let found = keywords.iter().find(|keyword| keyword.name.as_deref() == Some(name));
        found.map(|keyword| &keyword.value)
    };
    let writes = |position: usize| {
        let mode = args.get(position).or_else(|| named("mode"));
        mode.and_then(Expr::as_str)
            .is_some_and(|mode| mode.contains(['w', 'a', 'x', '+']) && mode.chars().all(|c| "rwaxbtU+".contains(c)))
    };
    match &func.kind {
        ExprKind::Name(name) if name == "open" && writes(1) => args.first().or_else(|| named("file")),
        ExprKind::Attribute { value, attr } => match (attr.as_str(), args) {
            ("open", _) if writes(0) => Some(value),
            ("open", [path, ..]) if writes(1) => Some(path),
            ("write_text" | "write_bytes", _) => Some(value),
            ("to_json" | "to_csv", _) => args.first().or_else(|| named("path_or_buf")),
            ("copy" | "copy2" | "copyfile" | "move" | "rename" | "replace", [_, to])
                if matches!(value.as_name(), Some("shutil" | "os")) =>
            {
                Some(to)
            }
            ("rename" | "replace", [to]) => Some(to),
            _ => None,
        },
        _ => None,
    }
}

/// The harness's file that a path names, directly or through a variable.
fn result_file<'t>(path: &'t Expr, names: &HashMap<&'t str, &'static str>) -> Option<&'static str> {
    let mut found = None;
    walk_expr(path, &mut |node| {
        if let Node::Expr(expr) = node {
            let text = expr.as_str().map(|text| text.rsplit('/').next().unwrap_or(text));
            let named = text.and_then(|name| entries(RESULT_FILES).find(|entry| *entry == name));
            let held = expr.as_name().and_then(|name| names.get(name).copied());
            found = found.or(named).or(held);
        }
        true
    });
    found
}

/// Names that a file binds once, in all its scopes together, and that to a path of one of the harness's files.
fn path_names(body: &[Stmt]) -> HashMap<&str, &'static str> {
    let mut bound: HashMap<&str, usize> = HashMap::new();
    let mut paths: HashMap<&str, &'static str> = HashMap::new();
    let mut scopes = scope::bindings(body);
    for stmt in body {
        walk_stmt(stmt, &mut |node| {
            let Node::Stmt(stmt) = node else {
                return false;
            };
            let (target, value) = match &stmt.kind {
                StmtKind::Function(def) => {
                    scopes.extend(scope::parameters(&def.params));
                    scopes.extend(scope::bindings(&def.body));
                    return true;
                }
                StmtKind::Class(def) => {
                    scopes.extend(scope::bindings(&def.body));
                    return true;
                }
                StmtKind::Assign { targets, value } => (targets.first(), Some(value)),
                StmtKind::AnnAssign { target, value, .. } => (Some(target), value.as_ref()),
                _ => return true,
            };
            if let (Some(name), Some(value)) = (target.and_then(Expr::as_name), value.filter(|value| is_path(value)))
                && let Some(path) = result_file(value, &HashMap::new())
            {
                paths.insert(name, path);
            }
            true
        });
    }
    for binding in scopes {
        *bound.entry(binding.name).or_default() += 1;
    }
    paths.retain(|name, _| bound.get(name) == Some(&1));
    paths
}

/// Whether an expression only puts a path together, and reads nothing.
fn is_path(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Str(_) | ExprKind::Joined(_) => true,
        ExprKind::Binary { right, .. } => is_path(right),
        ExprKind::Call { func, args, .. } => {
            matches!(
                func.last_part(),
                Some("Path" | "PurePath" | "join" | "joinpath" | "with_name")
            ) && args.last().is_some_and(is_path)
        }
        _ => false,
    }
}
