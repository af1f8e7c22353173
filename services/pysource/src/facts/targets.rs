//! What a name in the text stands for, as far as its own file tells. `workspace::resolve` follows it further.

/// A module as an import statement names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ModuleRef {
    /// Leading dots.
    pub(crate) level: u32,
    /// The dotted name after the dots; empty for `from . import x`.
    pub(crate) name: String,
}

impl ModuleRef {
    pub(crate) fn absolute(name: impl Into<String>) -> Self {
        Self {
            level: 0,
            name: name.into(),
        }
    }
}

/// Where a dotted name starts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Root {
    /// `import a.b as x`; `import a.b` gives `a`.
    Module(ModuleRef),
    /// `from m import name`.
    Member(ModuleRef, String),
    /// A name of this file's own module.
    Local(String),
    /// A name that nothing in the file binds.
    Builtin(String),
}

/// A dotted name: where it starts, and the attributes after that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    pub(crate) root: Root,
    pub(crate) path: Vec<String>,
}

impl Target {
    pub(crate) fn root(root: Root) -> Self {
        Self { root, path: Vec::new() }
    }

    /// The last name of the chain.
    pub(crate) fn last(&self) -> Option<&str> {
        let root = match &self.root {
            Root::Module(module) => module.name.rsplit('.').next(),
            Root::Member(_, name) | Root::Local(name) | Root::Builtin(name) => Some(name.as_str()),
        };
        self.path.last().map(String::as_str).or(root)
    }

    pub(crate) fn with(mut self, path: &[&str]) -> Self {
        self.path.extend(path.iter().map(|part| (*part).to_owned()));
        self
    }
}

/// How it is known that a variable holds an instance of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// `x = C(…)`: exactly this class, or what the function `C` returns.
    Constructed,
    /// `def f(x: C)`: this class or one below it.
    Annotated,
    /// `self` in a method: this class or one below it.
    Own,
    /// `super()` in a method of this class: whatever stands above it in the order of its bases.
    Above,
}

/// A variable that is bound once, to an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    pub(crate) class: Target,
    pub(crate) how: How,
    /// What is asked of an object of the class to get the instance: `x = C(…).make()` asks for `make`.
    pub(crate) links: Vec<Link>,
    /// The variable is handed to other code, which could add attributes.
    pub(crate) escapes: bool,
}

/// One step from an object to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// `x.name`
    Attribute(String),
    /// `x.name(…)`
    Method(String),
}

/// What an attribute of an object holds, as far as the class's text tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// What the class or function gives when it is called.
    Result(Target),
    /// What the annotation of the parameter says that it is set to.
    Annotated(Target),
    /// What the attribute's own annotation says.
    Declared(Target),
    /// Nothing is known, or it is set in several places.
    Unclear,
}

/// What a chain of attributes starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Target(Target),
    Instance(Instance, Vec<String>),
}
