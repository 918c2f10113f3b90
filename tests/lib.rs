//! What is promised in prose, compiled and run: the Rust in the README.

#![doc = include_str!("../README.md")]

pub mod differential;
pub mod harness;
pub mod seed;
