//! A plan as JSON: what a planner answers, and what people hand over in a file. Strict about fields and types, complete
//! about what is wrong; what files mean to each other is checked by [`crate::Plan::new`].

mod json;
mod read;

pub use json::Json;
pub use read::planned_files;
