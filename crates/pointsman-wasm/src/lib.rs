//! The pointsman core for JavaScript.
//!
//! Two layers over the same core. [`values`] exports `order`, `pick`, `chain` and `prefixBytes`
//! for plain JavaScript values, for those who compile this crate into a page of their own. The
//! other modules are what the npm package calls: numbers cross the boundary as they are, text and
//! lists lie in the [`memory`] that both sides see.
//!
//! There is no logic here: convert, call the core, convert. What the npm package calls cannot
//! fail, but where it answers whether there was room: its TypeScript has checked the arguments
//! against the core's bounds, and where it has not the core traps.

pub mod affinity;
pub mod chain;
#[cfg(feature = "values")]
pub mod error;
pub mod lease;
pub mod least_used;
pub mod limits;
pub mod memory;
pub mod rotation;
pub mod upstreams;
#[cfg(feature = "values")]
pub mod values;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
