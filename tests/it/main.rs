//! What the whole library must do, tested from outside.

// A test fails by a panic, in its helpers too.
#![allow(clippy::unwrap_used)]

mod affinity;
mod bad_input;
mod bundle;
mod client;
mod lease;
mod limits_model;
mod lua_readme;
mod redis;
mod rendezvous;
mod rotation;
mod shared_links;
mod shared_rotation;
mod tidy;
mod value_stability;
mod vectors;
