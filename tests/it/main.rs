//! What the whole library must do, tested from outside.

// A test fails by a panic, in its helpers too.
#![allow(clippy::unwrap_used)]

mod affinity;
mod bad_input;
mod lease;
mod limits_model;
mod rendezvous;
mod rotation;
mod tidy;
mod value_stability;
mod vectors;
