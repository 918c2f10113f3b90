//! Real servers, and what speaks to them.

pub mod cluster;
pub mod proxy;
pub mod resp;
pub mod scripts;
pub mod server;
pub mod user;
