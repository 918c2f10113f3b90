//! What is promised in prose, compiled and run: the Rust in the README.

#![doc = include_str!("../README.md")]
