//! From `rustpython-parser`'s tree to ours: statements, and the thread on which all parsing happens.
//! Together with `expr_reader` the only code that knows that parser.

use super::{Alias, ClassDef, FunctionDef, Handler, MAX_DEPTH, MatchCase, Stmt, StmtKind, Tree, Try, WithItem};
use crate::source::{Source, Span, Unreadable};
use rustpython_parser::ast::{self, Ranged};
use rustpython_parser::{Mode, parse};

/// Stack of the parsing thread. Dropping the parser's own tree recurses once per level of the text, and a file of
/// the largest size can have half a million levels; a smaller stack would abort the whole service.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Reads `text` on a thread with a large stack and hands the tree to `then` on that same thread.
///
/// # Errors
/// The text breaks the policy of [`Source`], or this parser cannot read it (the interpreter may).
pub(crate) fn with_tree<T: Send>(
    text: &str,
    then: impl FnOnce(&Tree, &Source<'_>) -> T + Send,
) -> Result<T, Unreadable> {
    let source = Source::new(text)?;
    let work = || read(&source).map(|tree| then(&tree, &source));
    on_big_stack(work)?
}

/// Runs `work` on a thread of its own with a large stack.
pub(crate) fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Unreadable> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("pysource".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .map_err(|error| Unreadable::new(format!("no thread to parse on: {error}")))?
            .join()
            .map_err(|_| Unreadable::new("the parser failed on this file"))
    })
}

fn read(source: &Source<'_>) -> Result<Tree, Unreadable> {
    let module = parse(source.text(), Mode::Module, "module").map_err(|error| {
        let pos = source.pos(u32::from(error.offset) as usize);
        Unreadable::at(format!("the parser cannot read this: {}", error.error), pos)
    })?;
    let mut reader = Reader::default();
    let body = match &module {
        ast::Mod::Module(module) => reader.block(&module.body),
        ast::Mod::Interactive(_) | ast::Mod::Expression(_) | ast::Mod::FunctionType(_) => {
            return Err(Unreadable::new("the parser returned no module"));
        }
    };
    match reader.too_deep {
        Some(at) => Err(Unreadable::at(
            format!("the code is nested more than {MAX_DEPTH} levels deep"),
            source.pos(at.start as usize),
        )),
        None => Ok(Tree { body }),
    }
}

/// The state of one conversion.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) depth: u32,
    /// Where the code was too deep; the tree is then not used.
    pub(super) too_deep: Option<Span>,
}

pub(super) fn span(node: &impl Ranged) -> Span {
    Span {
        start: node.start().into(),
        end: node.end().into(),
    }
}

fn names(list: &[ast::Identifier]) -> Vec<String> {
    list.iter().map(ast::Identifier::to_string).collect()
}

fn aliases(list: &[ast::Alias]) -> Vec<Alias> {
    list.iter()
        .map(|alias| Alias {
            span: span(alias),
            name: alias.name.to_string(),
            asname: alias.asname.as_ref().map(ast::Identifier::to_string),
        })
        .collect()
}

impl Reader {
    fn block(&mut self, list: &[ast::Stmt]) -> Vec<Stmt> {
        list.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &ast::Stmt) -> Stmt {
        let span = span(stmt);
        if self.depth >= MAX_DEPTH {
            self.too_deep.get_or_insert(span);
            return Stmt {
                span,
                kind: StmtKind::Pass,
            };
        }
        self.depth += 1;
        let kind = self.stmt_kind(stmt);
        self.depth -= 1;
        Stmt { span, kind }
    }

    fn stmt_kind(&mut self, stmt: &ast::Stmt) -> StmtKind {
        match stmt {
            ast::Stmt::FunctionDef(def) => StmtKind::Function(Box::new(FunctionDef {
                name: def.name.to_string(),
                params: self.params(&def.args),
                body: self.block(&def.body),
                decorators: self.exprs(&def.decorator_list),
                returns: self.optional(&def.returns),
                is_async: false,
                type_params: def.type_params.iter().map(span).collect(),
            })),
            ast::Stmt::AsyncFunctionDef(def) => StmtKind::Function(Box::new(FunctionDef {
                name: def.name.to_string(),
                params: self.params(&def.args),
                body: self.block(&def.body),
                decorators: self.exprs(&def.decorator_list),
                returns: self.optional(&def.returns),
                is_async: true,
                type_params: def.type_params.iter().map(span).collect(),
            })),
            ast::Stmt::ClassDef(def) => StmtKind::Class(Box::new(ClassDef {
                name: def.name.to_string(),
                bases: self.exprs(&def.bases),
                keywords: self.keywords(&def.keywords),
                body: self.block(&def.body),
                decorators: self.exprs(&def.decorator_list),
                type_params: def.type_params.iter().map(span).collect(),
            })),
            ast::Stmt::Return(stmt) => StmtKind::Return(self.optional(&stmt.value)),
            ast::Stmt::Delete(stmt) => StmtKind::Delete(self.exprs(&stmt.targets)),
            ast::Stmt::Assign(stmt) => StmtKind::Assign {
                targets: self.exprs(&stmt.targets),
                value: self.expr(&stmt.value),
            },
            ast::Stmt::TypeAlias(stmt) => StmtKind::TypeAlias {
                name: self.expr(&stmt.name),
                value: self.expr(&stmt.value),
            },
            ast::Stmt::AugAssign(stmt) => StmtKind::AugAssign {
                target: self.expr(&stmt.target),
                value: self.expr(&stmt.value),
            },
            ast::Stmt::AnnAssign(stmt) => StmtKind::AnnAssign {
                target: self.expr(&stmt.target),
                annotation: self.expr(&stmt.annotation),
                value: self.optional(&stmt.value),
            },
            ast::Stmt::For(stmt) => StmtKind::For {
                target: self.expr(&stmt.target),
                iter: self.expr(&stmt.iter),
                body: self.block(&stmt.body),
                orelse: self.block(&stmt.orelse),
            },
            ast::Stmt::AsyncFor(stmt) => StmtKind::For {
                target: self.expr(&stmt.target),
                iter: self.expr(&stmt.iter),
                body: self.block(&stmt.body),
                orelse: self.block(&stmt.orelse),
            },
            ast::Stmt::While(stmt) => StmtKind::While {
                test: self.expr(&stmt.test),
                body: self.block(&stmt.body),
                orelse: self.block(&stmt.orelse),
            },
            ast::Stmt::If(stmt) => StmtKind::If {
                test: self.expr(&stmt.test),
                body: self.block(&stmt.body),
                orelse: self.block(&stmt.orelse),
            },
            ast::Stmt::With(stmt) => self.with(&stmt.items, &stmt.body),
            ast::Stmt::AsyncWith(stmt) => self.with(&stmt.items, &stmt.body),
            ast::Stmt::Match(stmt) => StmtKind::Match {
                subject: self.expr(&stmt.subject),
                cases: stmt.cases.iter().map(|case| self.case(case)).collect(),
            },
            ast::Stmt::Raise(stmt) => StmtKind::Raise {
                exc: self.optional(&stmt.exc),
                cause: self.optional(&stmt.cause),
            },
            ast::Stmt::Try(stmt) => self.attempt(&stmt.body, &stmt.handlers, &stmt.orelse, &stmt.finalbody),
            ast::Stmt::TryStar(stmt) => self.attempt(&stmt.body, &stmt.handlers, &stmt.orelse, &stmt.finalbody),
            ast::Stmt::Assert(stmt) => StmtKind::Assert {
                test: self.expr(&stmt.test),
                message: self.optional(&stmt.msg),
            },
            ast::Stmt::Import(stmt) => StmtKind::Import(aliases(&stmt.names)),
            ast::Stmt::ImportFrom(stmt) => StmtKind::ImportFrom {
                module: stmt.module.as_ref().map(ast::Identifier::to_string),
                names: aliases(&stmt.names),
                level: stmt.level.map_or(0, |level| level.to_u32()),
            },
            ast::Stmt::Global(stmt) => StmtKind::Global(names(&stmt.names)),
            ast::Stmt::Nonlocal(stmt) => StmtKind::Nonlocal(names(&stmt.names)),
            ast::Stmt::Expr(stmt) => StmtKind::Expr(self.expr(&stmt.value)),
            ast::Stmt::Pass(_) => StmtKind::Pass,
            ast::Stmt::Break(_) => StmtKind::Break,
            ast::Stmt::Continue(_) => StmtKind::Continue,
        }
    }

    fn with(&mut self, items: &[ast::WithItem], body: &[ast::Stmt]) -> StmtKind {
        StmtKind::With {
            items: items
                .iter()
                .map(|item| WithItem {
                    context: self.expr(&item.context_expr),
                    target: self.optional(&item.optional_vars),
                })
                .collect(),
            body: self.block(body),
        }
    }

    fn attempt(
        &mut self,
        body: &[ast::Stmt],
        handlers: &[ast::ExceptHandler],
        orelse: &[ast::Stmt],
        finalbody: &[ast::Stmt],
    ) -> StmtKind {
        let mut list = Vec::new();
        for ast::ExceptHandler::ExceptHandler(handler) in handlers {
            list.push(Handler {
                kind: self.optional(&handler.type_),
                name: handler.name.as_ref().map(ast::Identifier::to_string),
                body: self.block(&handler.body),
            });
        }
        StmtKind::Try(Box::new(Try {
            body: self.block(body),
            handlers: list,
            orelse: self.block(orelse),
            finalbody: self.block(finalbody),
        }))
    }

    fn case(&mut self, case: &ast::MatchCase) -> MatchCase {
        let mut binds = Vec::new();
        let mut exprs = Vec::new();
        self.pattern(&case.pattern, &mut binds, &mut exprs);
        MatchCase {
            binds,
            exprs,
            guard: self.optional(&case.guard),
            body: self.block(&case.body),
        }
    }
}
