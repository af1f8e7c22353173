//! Under which conditions a piece of code runs, as far as the text alone tells.
//! Must stay cautious: a guard only ever silences a rule.

use crate::tree::{Expr, ExprKind, Handler, Node, Stmt, StmtKind, UnaryOp, walk_expr};

/// Decorators of tests whose failure is no news.
const EXCUSES: &[&str] = &[
    "xfail",
    "XFAIL",
    "expectedFailure",
    "skip",
    "SKIP",
    "skipif",
    "skipIf",
    "skipUnless",
];

/// What surrounds a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guards {
    /// A failing import is handled here.
    pub(crate) import_error: bool,
    /// A missing attribute is handled here.
    pub(crate) attribute_error: bool,
    /// A name that is not there is handled or expected here.
    pub(crate) name_error: bool,
    /// A wrong call is handled or expected here.
    pub(crate) type_error: bool,
    /// Under `if TYPE_CHECKING:` or `if False:`, or in a test that is skipped or expected to fail.
    pub(crate) never_runs: bool,
    /// Under a test of the platform, the version or the presence of a package.
    pub(crate) environment: bool,
    /// Under any `if`, loop, `try` or `match`.
    pub(crate) conditional: bool,
    /// Inside a function or a lambda: runs later, or never.
    pub(crate) function: bool,
    /// Inside an annotation, which may never be evaluated.
    pub(crate) annotation: bool,
    /// Among the arguments of `raises(Error, …)`: a lambda is called there and then.
    pub(crate) expected: bool,
}

impl Guards {
    /// The guards inside a function that is defined here: a `try` around a definition protects nothing.
    pub(crate) fn in_function(self) -> Self {
        Self {
            never_runs: self.never_runs,
            environment: self.environment,
            function: true,
            ..Self::default()
        }
    }

    /// The guards inside a lambda: what `raises(TypeError, lambda: f())` expects happens inside it.
    pub(crate) fn in_lambda(self) -> Self {
        match self.expected {
            true => Self { function: true, ..self },
            false => self.in_function(),
        }
    }

    /// The guards inside a function or class with these decorators.
    pub(crate) fn in_decorated(self, name: &str, decorators: &[Expr]) -> Self {
        let is_test = name.starts_with("test") || name.starts_with("Test") || name.ends_with("Test");
        let excused = |decorator: &Expr| {
            let callee = match &decorator.kind {
                ExprKind::Call { func, .. } => func,
                _ => decorator,
            };
            callee.last_part().is_some_and(|name| EXCUSES.contains(&name))
        };
        Self {
            never_runs: self.never_runs || (is_test && decorators.iter().any(excused)),
            ..self
        }
    }

    pub(crate) fn in_condition(self) -> Self {
        Self {
            conditional: true,
            ..self
        }
    }

    /// The guards of the body of `try`.
    pub(crate) fn in_try(self, handlers: &[Handler]) -> Self {
        let mut guards = self.in_condition();
        for handler in handlers.iter().filter(|handler| recovers(&handler.body)) {
            guards.import_error |= handles(handler, &["ImportError", "ModuleNotFoundError"], true);
            guards.attribute_error |= handles(handler, &["AttributeError"], true);
            guards.name_error |= handles(handler, &["NameError", "UnboundLocalError"], true);
            // A broad handler is there for what may go wrong, not for a call that can only go wrong.
            guards.type_error |= handles(handler, &["TypeError"], false);
        }
        guards
    }

    /// The guards of a handler: a fallback import belongs to the attempt before it.
    pub(crate) fn in_handler(self, handler: &Handler) -> Self {
        let mut guards = self.in_condition();
        guards.import_error |= handles(handler, &["ImportError", "ModuleNotFoundError"], true);
        guards.attribute_error |= handles(handler, &["AttributeError"], true);
        guards
    }

    /// The guards of the body of a `with` over `context`.
    pub(crate) fn in_with(self, context: &Expr) -> Self {
        match &context.kind {
            ExprKind::Call { func, args, .. } => self.in_expectation(func, args),
            _ => self,
        }
    }

    /// The guards of whatever is handed to the call `func(args)`: `raises(TypeError, …)` waits for an error.
    pub(crate) fn in_expectation(self, func: &Expr, args: &[Expr]) -> Self {
        let expected = matches!(
            func.last_part(),
            Some("raises" | "assertRaises" | "assertRaisesRegex" | "suppress")
        );
        let any = |names: &[&str]| {
            expected
                && args
                    .iter()
                    .any(|arg| arg.last_part().is_some_and(|name| names.contains(&name)))
        };
        // `self.assert_raises_type_error("message")`: its name says all.
        let own = !expected
            && func
                .last_part()
                .is_some_and(|name| name.to_lowercase().contains("raises"));
        let broad = own || any(&["Exception", "BaseException"]);
        Self {
            import_error: self.import_error || broad || any(&["ImportError", "ModuleNotFoundError"]),
            attribute_error: self.attribute_error || broad || any(&["AttributeError"]),
            name_error: self.name_error || broad || any(&["NameError"]),
            type_error: self.type_error || broad || any(&["TypeError"]),
            expected: self.expected || expected || own,
            ..self
        }
    }
}

/// Whether the program goes on after a handler.
fn recovers(body: &[Stmt]) -> bool {
    let Some(last) = body.last() else {
        return true;
    };
    match &last.kind {
        StmtKind::Raise { .. } => false,
        StmtKind::Expr(value) => match &value.kind {
            ExprKind::Call { func, .. } => !matches!(
                func.as_dotted().as_deref(),
                Some(["sys" | "os", "exit" | "_exit" | "abort"] | ["exit" | "quit"])
            ),
            _ => true,
        },
        _ => true,
    }
}

fn handles(handler: &Handler, names: &[&str], broad: bool) -> bool {
    let Some(kind) = &handler.kind else {
        return broad;
    };
    let one = |expr: &Expr| match expr.last_part() {
        Some("Exception" | "BaseException") => broad,
        Some(name) => names.contains(&name),
        None => false,
    };
    match &kind.kind {
        ExprKind::Sequence { items, .. } => items.iter().any(one),
        _ => one(kind),
    }
}

/// What the test of an `if` says about its two branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// `TYPE_CHECKING`, `False`, `0`: the body never runs.
    Never,
    /// The negation of the former: the `else` never runs.
    Always,
    /// `__name__ == "__main__"`: runs only where the file is the script.
    Script,
    /// Asks for the platform, the version, or whether a package is there.
    Environment,
    Unknown,
}

/// Reads the test of an `if`; `flags` are names that say whether a package is there.
pub(crate) fn read_test(test: &Expr, flags: &dyn Fn(&str) -> bool) -> Test {
    if never(test) {
        return Test::Never;
    }
    if let ExprKind::Unary {
        op: UnaryOp::Not,
        operand,
    } = &test.kind
        && never(operand)
    {
        return Test::Always;
    }
    if let ExprKind::Compare { left, comparators } = &test.kind {
        let script = |a: &Expr, b: &Expr| a.as_name() == Some("__name__") && b.as_str() == Some("__main__");
        if let [right] = comparators.as_slice()
            && (script(left, right) || script(right, left))
        {
            return Test::Script;
        }
    }
    if asks_environment(test, flags) {
        return Test::Environment;
    }
    Test::Unknown
}

fn never(test: &Expr) -> bool {
    match &test.kind {
        ExprKind::Bool(value) => !value,
        ExprKind::Number(value) => *value == 0.0,
        _ => test.last_part() == Some("TYPE_CHECKING"),
    }
}

fn asks_environment(test: &Expr, flags: &dyn Fn(&str) -> bool) -> bool {
    let mut found = false;
    walk_expr(test, &mut |node| {
        if let Node::Expr(expr) = node {
            found |= match expr.as_dotted().as_deref() {
                Some(["sys", "version_info" | "platform" | "implementation" | "modules", ..])
                | Some(["os", "name"] | ["platform", ..]) => true,
                Some([name]) => flags(name),
                Some([.., last]) => *last == "find_spec",
                Some([]) | None => false,
            };
            found |= expr.last_part() == Some("find_spec");
        }
        !found
    });
    found
}
