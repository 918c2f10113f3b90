//! The scripts on real servers: each release of the matrix, both protocols.

mod arguments;
mod bounds;
mod calls;
mod damage;
mod differential;
mod failover;
mod faults;
mod growth;
mod keys;
mod lease_ids;
mod load;
mod lost;
mod outcomes;
mod replies;
mod surroundings;
mod table;
mod vectors;
