//! Signatures and decorators, as written.

use super::targets::Target;
use super::wrapping::Wrapping;
use crate::source::Pos;

/// A function of the module or a method of one of its classes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) pos: Pos,
    pub(crate) params: Params,
    pub(crate) decorators: Vec<Decorator>,
    /// What the return annotation names, where it names a class alone. Never set for generators and coroutines.
    pub(crate) returns: Option<Target>,
    /// What it does as a decorator.
    pub(crate) wrapping: Wrapping,
    /// The signature as text, on one line.
    pub(crate) shown: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Params {
    pub(crate) posonly: Vec<Param>,
    pub(crate) args: Vec<Param>,
    pub(crate) vararg: bool,
    pub(crate) kwonly: Vec<Param>,
    pub(crate) kwarg: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) has_default: bool,
}

/// `@name` or `@name(…)`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decorator {
    /// `None` where it is no dotted name.
    pub(crate) target: Option<Target>,
    /// Written with brackets.
    pub(crate) called: bool,
    /// Keyword arguments with a literal truth value, of a decorator that is called.
    pub(crate) switches: Vec<(String, bool)>,
    /// Called with an argument that is not one of these.
    pub(crate) other_arguments: bool,
}
