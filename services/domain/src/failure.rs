//! The classes of failure, which decide what happens next before anything is repaired.

use crate::stage::Disposition;
use std::fmt;

/// A call to something outside that did not succeed.
pub trait CallError: fmt::Display {
    /// Whether to repeat it.
    fn disposition(&self) -> Disposition;
    /// Whether it ended because we no longer wanted it.
    fn is_cancelled(&self) -> bool;
}

/// Why something did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureClass {
    /// The model's code is wrong.
    Code,
    /// Files disagree with each other or with the plan.
    Contract,
    /// A package, a file or a network that the program needs is missing.
    Environment,
    /// The wall-clock or CPU limit was reached.
    Timeout,
    /// No output for longer than the stall limit.
    Stall,
    /// The memory limit was reached.
    Memory,
    /// The process limit was reached, or a process outlived the run.
    Processes,
    /// The disk limit was reached.
    Disk,
    /// The output limit was reached.
    Output,
    /// The program did what it may not do.
    Policy,
    /// The model did not give a usable answer.
    Model,
    /// Interlock itself is at fault. Never spends the repair budget.
    Harness,
}

impl FailureClass {
    /// Every class, once.
    pub const ALL: [FailureClass; 12] = [
        FailureClass::Code,
        FailureClass::Contract,
        FailureClass::Environment,
        FailureClass::Timeout,
        FailureClass::Stall,
        FailureClass::Memory,
        FailureClass::Processes,
        FailureClass::Disk,
        FailureClass::Output,
        FailureClass::Policy,
        FailureClass::Model,
        FailureClass::Harness,
    ];

    /// Whether the model may be asked to mend it. Everything else needs a human's lever.
    pub const fn repairable(self) -> bool {
        matches!(self, FailureClass::Code | FailureClass::Contract)
    }

    /// The name used in records' views and reports.
    pub const fn name(self) -> &'static str {
        match self {
            FailureClass::Code => "code",
            FailureClass::Contract => "contract",
            FailureClass::Environment => "environment",
            FailureClass::Timeout => "timeout",
            FailureClass::Stall => "stall",
            FailureClass::Memory => "memory",
            FailureClass::Processes => "processes",
            FailureClass::Disk => "disk",
            FailureClass::Output => "output",
            FailureClass::Policy => "policy",
            FailureClass::Model => "model",
            FailureClass::Harness => "harness",
        }
    }

    /// What a human can do about it, in one sentence.
    pub const fn lever(self) -> &'static str {
        match self {
            FailureClass::Code | FailureClass::Contract => "say in a hint how it should be done, or change the task",
            FailureClass::Environment => {
                "add the package to the lock file, or the file to the task's inputs, or the host to program.network"
            }
            FailureClass::Timeout => "raise limits.wall_seconds",
            FailureClass::Stall => "raise limits.stall_seconds, or have the program report progress",
            FailureClass::Memory => "raise limits.memory_mb",
            FailureClass::Processes => "raise limits.processes, or have the program end its children",
            FailureClass::Disk => "raise limits.disk_mb or limits.file_mb",
            FailureClass::Output => "raise limits.output_mb, or have the program print less",
            FailureClass::Policy => "read the findings; the program did what the sandbox forbids",
            FailureClass::Model => "check the model's address, key, name and output limit",
            FailureClass::Harness => "run `interlock doctor`, then try again",
        }
    }
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
