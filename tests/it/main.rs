//! What the whole library must do, tested from outside.

mod affinity;
mod lease;
mod rotation;
mod seed;
