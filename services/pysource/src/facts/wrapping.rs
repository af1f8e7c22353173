//! Recognises decorators of the workspace that pass every call on as it came: what they decorate still takes what its
//! text says. Answers only for the plain shape; whatever else a decorator does means no opinion.

use crate::tree::{Expr, ExprKind, FunctionDef, Node, Stmt, StmtKind, walk_stmt};

/// How a function keeps the signature of what it decorates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wrapping {
    /// It does not, or nobody can tell.
    #[default]
    Unknown,
    /// As `@name`.
    Bare,
    /// As `@name(…)`: it makes such a decorator.
    Called,
}

/// Names of context managers that swallow what a wrong call raises.
const SWALLOWERS: &[&str] = &["suppress", "raises"];

/// What `def` does as a decorator.
pub(super) fn wrapping(def: &FunctionDef) -> Wrapping {
    if def.is_async || !def.decorators.is_empty() {
        return Wrapping::Unknown;
    }
    let Some(inner) = only_result(&def.body) else {
        return Wrapping::Unknown;
    };
    if let Some(wrapped) = only_parameter(def)
        && passes_on(inner, wrapped)
    {
        return Wrapping::Bare;
    }
    let makes_one = inner.decorators.is_empty()
        && !inner.is_async
        && only_parameter(inner).is_some_and(|wrapped| only_result(&inner.body).is_some_and(|w| passes_on(w, wrapped)));
    match makes_one {
        true => Wrapping::Called,
        false => Wrapping::Unknown,
    }
}

/// The one parameter, where there is no other.
fn only_parameter(def: &FunctionDef) -> Option<&str> {
    let mut each = def.params.each();
    match (
        each.next(),
        each.next(),
        def.params.args.as_slice(),
        def.params.posonly.as_slice(),
    ) {
        (Some(_), None, [one], []) | (Some(_), None, [], [one]) if one.default.is_none() => Some(&one.name),
        _ => None,
    }
}

/// The nested function that a body defines and, at its end, returns; nothing else may return.
fn only_result(body: &[Stmt]) -> Option<&FunctionDef> {
    let (last, before) = body.split_last()?;
    let StmtKind::Return(Some(value)) = &last.kind else {
        return None;
    };
    let name = value.as_name()?;
    let mut found = None;
    for stmt in before {
        match &stmt.kind {
            StmtKind::Function(def) if def.name == name && found.is_none() => found = Some(&**def),
            // What a decorator prepares; nothing that could put another function in its place.
            StmtKind::Assign { targets, .. } if targets.iter().all(|t| t.as_name().is_some_and(|n| n != name)) => {}
            StmtKind::Expr(_) | StmtKind::Pass => {}
            _ => return None,
        }
    }
    found
}

/// Whether `wrapper` says `@wraps(wrapped)`, takes everything, and gives all of it to `wrapped` in every call.
fn passes_on(wrapper: &FunctionDef, wrapped: &str) -> bool {
    let params = &wrapper.params;
    let (Some(star), Some(double)) = (&params.vararg, &params.kwarg) else {
        return false;
    };
    if params.each().count() != 2 || !matches!(wrapper.decorators.as_slice(), [one] if says_wraps(one, wrapped)) {
        return false;
    }
    let (mut calls, mut mentions, mut plain) = (0_usize, 0_usize, true);
    for stmt in &wrapper.body {
        walk_stmt(stmt, &mut |node| {
            match node {
                Node::Stmt(stmt) => {
                    plain &= !matches!(&stmt.kind, StmtKind::Try(block) if !block.handlers.is_empty());
                    plain &= !matches!(
                        stmt.kind,
                        StmtKind::Nonlocal(_) | StmtKind::Function(_) | StmtKind::Class(_)
                    );
                }
                Node::Expr(expr) => {
                    plain &= expr.last_part().is_none_or(|part| !SWALLOWERS.contains(&part));
                    if let ExprKind::Call { func, args, keywords } = &expr.kind
                        && func.as_name() == Some(wrapped)
                    {
                        let all = matches!(args.as_slice(), [one] if is_starred(one, &star.name))
                            && matches!(keywords.as_slice(), [one] if one.name.is_none()
                                && one.value.as_name() == Some(&double.name));
                        calls += 1;
                        plain &= all;
                    }
                    let name = expr.as_name();
                    mentions += usize::from(name == Some(&star.name)) + usize::from(name == Some(&double.name));
                }
            }
            true
        });
    }
    // Each call mentions both once; any further mention may change what is passed on.
    plain && calls > 0 && mentions == 2 * calls
}

fn is_starred(expr: &Expr, name: &str) -> bool {
    matches!(&expr.kind, ExprKind::Starred(inner) if inner.as_name() == Some(name))
}

/// `wraps(wrapped)` or `functools.wraps(wrapped)`.
fn says_wraps(decorator: &Expr, wrapped: &str) -> bool {
    let ExprKind::Call { func, args, keywords } = &decorator.kind else {
        return false;
    };
    let is_wraps = matches!(func.as_dotted().as_deref(), Some(["wraps"] | ["functools", "wraps"]));
    is_wraps && keywords.is_empty() && matches!(args.as_slice(), [one] if one.as_name() == Some(wrapped))
}
