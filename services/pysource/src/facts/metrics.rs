//! Results that are written down instead of measured: `return {"accuracy": 0.99}`.
//! Only numbers count that are written in the text, directly or through names and sums of such numbers; and only where the name says that the number is a measurement.

use super::{scope, words};
use crate::source::{Pos, Source, Span};
use crate::tree::{
    BinaryOp, Expr, ExprKind, FunctionDef, Keyword, Node, Stmt, StmtKind, UnaryOp, walk_expr, walk_stmt,
};
use std::collections::{HashMap, HashSet};

/// Methods that hand a metric to a recorder.
const RECORDERS: &[&str] = &[
    "metric",
    "record",
    "record_metric",
    "log_metric",
    "log_scalar",
    "add_scalar",
    "report",
    "report_metric",
    "set_metric",
    "add_metric",
];

/// A metric whose value is a literal.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) pos: Pos,
    pub(crate) function: String,
    pub(crate) metric: String,
}

/// The hard-coded metrics of one function, nested functions not included.
/// `module` holds the numbers that the module's names stand for.
pub(super) fn constants(def: &FunctionDef, source: &Source<'_>, module: &HashMap<&str, f64>) -> Vec<Constant> {
    if words::is_intended(&def.name) || def.name.starts_with("test") {
        return Vec::new();
    }
    let mut finder = Finder {
        locals: Locals::of(def, module),
        returns: Vec::new(),
        found: Vec::new(),
    };
    for stmt in &def.body {
        walk_stmt(stmt, &mut |node| finder.visit(node));
    }
    let returns = std::mem::take(&mut finder.returns);
    finder.assembled(&def.body, &returns);
    let only = match (returns.as_slice(), def.body.last()) {
        ([_], Some(last)) => matches!(last.kind, StmtKind::Return(Some(_))),
        _ => false,
    };
    for value in &returns {
        finder.returned(value, only);
    }
    if let ([value], true) = (returns.as_slice(), words::measures(&def.name))
        && only
        && def.body.iter().all(|stmt| stmt.as_text().is_some() || is_return(stmt))
        && value.as_number().is_some_and(is_telling)
    {
        finder.found.push((value.span, def.name.clone()));
    }
    let constant = |(span, metric): (Span, String)| Constant {
        pos: source.pos(span.start as usize),
        function: def.name.clone(),
        metric,
    };
    finder.found.into_iter().map(constant).collect()
}

fn is_return(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_))
}

/// 0, 1 and -1 are what correct code returns for an empty input; other numbers have to come from somewhere.
fn is_telling(value: f64) -> bool {
    ![0.0, 1.0, -1.0].contains(&value) && value.is_finite()
}

/// The module's names that stand for one number written in the text, and not for one that is meant.
pub(super) fn module_numbers(body: &[Stmt]) -> HashMap<&str, f64> {
    let mut rebound: HashSet<&str> = HashSet::new();
    for stmt in body {
        walk_stmt(stmt, &mut |node| {
            if let Node::Stmt(stmt) = node
                && let StmtKind::Global(names) = &stmt.kind
            {
                rebound.extend(names.iter().map(String::as_str));
            }
            true
        });
    }
    let mut found = HashMap::new();
    let bindings = count(scope::bindings(body).into_iter());
    for (name, value) in body.iter().filter_map(assigned) {
        let once = bindings.get(name) == Some(&1) && !rebound.contains(name);
        if once
            && !words::is_intended(name)
            && let Some(number) = number(value, &found)
        {
            found.insert(name, number);
        }
    }
    found
}

/// How often each name is bound.
fn count<'t>(bound: impl Iterator<Item = scope::Bound<'t>>) -> HashMap<&'t str, usize> {
    let mut found: HashMap<&str, usize> = HashMap::new();
    for bound in bound {
        *found.entry(bound.name).or_default() += 1;
    }
    found
}

/// `name = value`, with an annotation or without.
fn assigned(stmt: &Stmt) -> Option<(&str, &Expr)> {
    match &stmt.kind {
        StmtKind::Assign { targets, value } => match targets.as_slice() {
            [target] => Some((target.as_name()?, value)),
            _ => None,
        },
        StmtKind::AnnAssign {
            target,
            value: Some(value),
            ..
        } => Some((target.as_name()?, value)),
        _ => None,
    }
}

/// The number that an expression gives, where nothing but numbers written in the text goes into it. Of a calculation
/// other than a sum it is a telling number among its parts: only whether there is one matters.
fn number(value: &Expr, names: &HashMap<&str, f64>) -> Option<f64> {
    match &value.kind {
        ExprKind::Name(name) => names.get(name.as_str()).copied(),
        ExprKind::Call { func, args, keywords } => match (func.as_name(), args.as_slice()) {
            (Some("float" | "round"), [inner, ..]) if keywords.is_empty() => number(inner, names),
            _ => None,
        },
        ExprKind::Unary {
            op: UnaryOp::Minus,
            operand,
        } => number(operand, names).map(|value| -value),
        ExprKind::Binary { op, left, right } => {
            let (left, right) = (number(left, names)?, number(right, names)?);
            Some(match (op, is_telling(left)) {
                (BinaryOp::Add, _) => left + right,
                (BinaryOp::BitOr | BinaryOp::Other, true) => left,
                (BinaryOp::BitOr | BinaryOp::Other, false) => right,
            })
        }
        _ => value.as_number(),
    }
}

/// Variables that are bound once, to numbers or mappings written in the text.
struct Locals<'t> {
    numbers: HashMap<&'t str, f64>,
    dicts: HashMap<&'t str, &'t Expr>,
}

impl<'t> Locals<'t> {
    fn of(def: &'t FunctionDef, module: &HashMap<&'t str, f64>) -> Self {
        let bindings = count(
            scope::bindings(&def.body)
                .into_iter()
                .chain(scope::parameters(&def.params)),
        );
        let mut mentions: HashMap<&str, usize> = HashMap::new();
        let mut values: Vec<(&str, &Expr)> = Vec::new();
        for stmt in &def.body {
            walk_stmt(stmt, &mut |node| {
                match node {
                    Node::Stmt(stmt) => values.extend(assigned(stmt)),
                    Node::Expr(expr) => {
                        if let Some(name) = expr.as_name() {
                            *mentions.entry(name).or_default() += 1;
                        }
                    }
                }
                true
            });
        }
        let once = |name: &str| bindings.get(name) == Some(&1);
        let hidden = |name: &str| bindings.contains_key(name);
        let mut numbers: HashMap<&str, f64> = module.iter().map(|(name, value)| (*name, *value)).collect();
        numbers.retain(|name, _| !hidden(name));
        let mut dicts = HashMap::new();
        for (name, value) in values.into_iter().filter(|(name, _)| once(name)) {
            if let Some(number) = number(value, &numbers) {
                numbers.insert(name, number);
            }
            // Assigned and returned, and nothing in between.
            if matches!(value.kind, ExprKind::Dict(_)) && mentions.get(name) == Some(&2) {
                dicts.insert(name, value);
            }
        }
        Self { numbers, dicts }
    }

    fn number(&self, value: &Expr) -> Option<f64> {
        number(value, &self.numbers)
    }
}

struct Finder<'t> {
    locals: Locals<'t>,
    returns: Vec<&'t Expr>,
    found: Vec<(Span, String)>,
}

impl<'t> Finder<'t> {
    fn visit(&mut self, node: Node<'t>) -> bool {
        match node {
            Node::Stmt(stmt) => {
                if let StmtKind::Return(Some(value)) = &stmt.kind {
                    self.returns.push(value);
                }
                !matches!(stmt.kind, StmtKind::Function(_) | StmtKind::Class(_))
            }
            Node::Expr(expr) => {
                if let ExprKind::Call { func, args, keywords } = &expr.kind {
                    self.recorded(func, args, keywords);
                }
                true
            }
        }
    }

    /// `recorder.metric("accuracy", 0.99)`
    fn recorded(&mut self, func: &Expr, args: &[Expr], keywords: &[Keyword]) {
        let ExprKind::Attribute { attr, .. } = &func.kind else {
            return;
        };
        if !RECORDERS.contains(&attr.as_str()) {
            return;
        }
        let keyword = |name: &str| {
            let found = keywords.iter().find(|keyword| keyword.name.as_deref() == Some(name));
            found.map(|keyword| &keyword.value)
        };
        let name = args.first().or_else(|| keyword("name")).and_then(Expr::as_str);
        let value = args.get(1).or_else(|| keyword("value"));
        if let (Some(name), Some(value)) = (name, value)
            && words::is_metric(name)
            && self.locals.number(value).is_some_and(is_telling)
        {
            self.found.push((value.span, name.to_owned()));
        }
    }

    /// `metrics["accuracy"] = 0.99` for a mapping that is returned, where nothing else touches that key.
    fn assembled(&mut self, body: &'t [Stmt], returns: &[&Expr]) {
        let returned: HashSet<&str> = returns.iter().filter_map(|value| value.as_name()).collect();
        let mut keys: HashMap<(&str, &str), usize> = HashMap::new();
        let mut written: Vec<(&str, &str, &Expr)> = Vec::new();
        for stmt in body {
            walk_stmt(stmt, &mut |node| {
                match node {
                    Node::Stmt(stmt) => {
                        if let StmtKind::Assign { targets, value } = &stmt.kind
                            && let [target] = targets.as_slice()
                            && let Some((name, key)) = entry(target)
                        {
                            written.push((name, key, value));
                        }
                    }
                    Node::Expr(expr) => {
                        if let Some(place) = entry(expr) {
                            *keys.entry(place).or_default() += 1;
                        }
                    }
                }
                true
            });
        }
        for (name, key, value) in written {
            let once = keys.get(&(name, key)) == Some(&1);
            if once
                && returned.contains(name)
                && words::is_metric(key)
                && self.locals.number(value).is_some_and(is_telling)
            {
                self.found.push((value.span, key.to_owned()));
            }
        }
    }

    /// `return {"accuracy": 0.99}`; `only` where the function returns nothing else.
    fn returned(&mut self, value: &'t Expr, only: bool) {
        let value = match value.as_name().and_then(|name| self.locals.dicts.get(name)) {
            Some(dict) => dict,
            None => value,
        };
        let mut pairs: Vec<(&str, &Expr)> = Vec::new();
        walk_expr(value, &mut |node| {
            let Node::Expr(expr) = node else {
                return false;
            };
            match &expr.kind {
                ExprKind::Dict(items) => {
                    for (key, value) in items {
                        pairs.extend(key.as_ref().and_then(Expr::as_str).map(|key| (key, value)));
                    }
                    true
                }
                ExprKind::Call { func, keywords, .. } if func.as_name() == Some("dict") => {
                    for keyword in keywords {
                        pairs.extend(keyword.name.as_deref().map(|name| (name, &keyword.value)));
                    }
                    true
                }
                ExprKind::Sequence { .. } => true,
                _ => false,
            }
        });
        pairs.retain(|(key, _)| words::is_metric(key));
        let numbers: Vec<_> = pairs.iter().map(|(_, value)| self.locals.number(value)).collect();
        let all = only && numbers.iter().all(Option::is_some);
        for ((key, value), number) in pairs.into_iter().zip(numbers) {
            if number.is_some_and(|number| all || is_telling(number)) {
                self.found.push((value.span, key.to_owned()));
            }
        }
    }
}

/// `name["key"]`
fn entry(expr: &Expr) -> Option<(&str, &str)> {
    match &expr.kind {
        ExprKind::Subscript { value, index } => Some((value.as_name()?, index.as_str()?)),
        _ => None,
    }
}
