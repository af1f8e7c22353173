//! Recognises decorators of the workspace that pass every call on as it came: what they decorate still takes what its
//! text says. Answers only for the plain shape; whatever else a decorator does means no opinion.

use crate::tree::{Expr, ExprKind, FunctionDef, Node, Stmt, StmtKind, walk_stmt};
use std::collections::BTreeSet;

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
            StmtKind::Assign { targets, .. } if targets.iter().all(|target| is_beside(target, name)) => {}
            StmtKind::AnnAssign { target, .. } if is_beside(target, name) => {}
            StmtKind::Expr(_) | StmtKind::Pass => {}
            _ => return None,
        }
    }
    found
}

/// Whether setting `target` leaves the function `name` what it is: another name, or an attribute of it.
fn is_beside(target: &Expr, name: &str) -> bool {
    match &target.kind {
        ExprKind::Name(other) => other != name,
        ExprKind::Attribute { value, attr } => value.as_name() == Some(name) && !attr.starts_with("__"),
        _ => false,
    }
}

/// Whether `wrapper` says `@wraps(wrapped)`, takes everything, and gives all of it to `wrapped` in every call. One that
/// takes `*args` alone takes less than what it wraps, never more.
fn passes_on(wrapper: &FunctionDef, wrapped: &str) -> bool {
    let params = &wrapper.params;
    let Some(star) = &params.vararg else {
        return false;
    };
    let double = params.kwarg.as_ref().map(|param| param.name.as_str());
    if params.each().count() != 1 + usize::from(double.is_some())
        || !matches!(wrapper.decorators.as_slice(), [one] if says_wraps(one, wrapped))
    {
        return false;
    }
    let mut passing = Passing {
        wrapped,
        star: &star.name,
        double,
        plain: true,
        calls: 0,
        stars: 0,
        doubles: 0,
        keys: 0,
        asked: BTreeSet::new(),
        filled: BTreeSet::new(),
    };
    for stmt in &wrapper.body {
        walk_stmt(stmt, &mut |node| {
            passing.look(node);
            true
        });
    }
    passing.is_whole()
}

/// What a wrapper's body does with the arguments that it got.
struct Passing<'t> {
    wrapped: &'t str,
    star: &'t str,
    double: Option<&'t str>,
    /// Nothing catches what a wrong call raises, and every call passes all arguments on.
    plain: bool,
    calls: usize,
    /// Mentions of `args` and of `kwargs`.
    stars: usize,
    doubles: usize,
    /// Mentions of `args` as the key of a mapping.
    keys: usize,
    /// The mappings that are asked for the key `args`, and those that get a result under it.
    asked: BTreeSet<&'t str>,
    filled: BTreeSet<&'t str>,
}

impl<'t> Passing<'t> {
    fn look(&mut self, node: Node<'t>) {
        match node {
            Node::Stmt(stmt) => self.statement(&stmt.kind),
            Node::Expr(expr) => self.expression(expr),
        }
    }

    fn statement(&mut self, kind: &'t StmtKind) {
        match kind {
            StmtKind::Try(block) => self.plain &= block.handlers.is_empty(),
            StmtKind::Nonlocal(_) | StmtKind::Function(_) | StmtKind::Class(_) => self.plain = false,
            StmtKind::Assign { targets, value } if self.is_call(value) => {
                let star = self.star;
                self.filled
                    .extend(targets.iter().filter_map(|target| keyed(target, star)));
            }
            _ => {}
        }
    }

    fn expression(&mut self, expr: &'t Expr) {
        self.plain &= expr.last_part().is_none_or(|part| !SWALLOWERS.contains(&part));
        if let ExprKind::Call { func, args, keywords } = &expr.kind
            && func.as_name() == Some(self.wrapped)
        {
            let star = matches!(args.as_slice(), [one] if is_starred(one, self.star));
            let double = match (keywords.as_slice(), self.double) {
                ([], None) => true,
                ([one], Some(name)) => one.name.is_none() && one.value.as_name() == Some(name),
                _ => false,
            };
            self.calls += 1;
            self.plain &= star && double;
        }
        let asked = match &expr.kind {
            ExprKind::Compare { left, comparators } if left.as_name() == Some(self.star) => {
                match comparators.as_slice() {
                    [mapping] => mapping.as_name(),
                    _ => None,
                }
            }
            _ => keyed(expr, self.star),
        };
        if let Some(mapping) = asked {
            self.keys += 1;
            self.asked.insert(mapping);
        }
        let name = expr.as_name();
        self.stars += usize::from(name == Some(self.star));
        self.doubles += usize::from(name.is_some() && name == self.double);
    }

    fn is_call(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Call { func, .. } if func.as_name() == Some(self.wrapped))
    }

    /// Each call mentions both once. Further mentions may change what is passed on; but a result that is kept under its
    /// arguments is there only for a call that has already succeeded.
    fn is_whole(&self) -> bool {
        let remembers = self.asked.is_subset(&self.filled) && self.double.is_none();
        let keys = if remembers { self.keys } else { 0 };
        let doubles = if self.double.is_some() { self.calls } else { 0 };
        self.plain && self.calls > 0 && self.stars == self.calls + keys && self.doubles == doubles
    }
}

/// The mapping in `mapping[key]`.
fn keyed<'t>(expr: &'t Expr, key: &str) -> Option<&'t str> {
    match &expr.kind {
        ExprKind::Subscript { value, index } if index.as_name() == Some(key) => value.as_name(),
        _ => None,
    }
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
