//! What the whole library must do, tested from outside.

mod affinity;
mod lease;
mod rendezvous;
mod rotation;
mod seed;
mod value_stability;
mod vectors;
