//! Real servers, and what speaks to them.
