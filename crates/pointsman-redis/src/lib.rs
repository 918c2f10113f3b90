//! Pointsman's decisions, made in Redis: shared by many workers, one atomic script each.
