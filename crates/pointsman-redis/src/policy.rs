use crate::{Error, Taken};

/// What a take answers when [no Redis that may write can be reached](Error::is_unreachable).
///
/// It is for takes alone: a lease or a pick cannot be made up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnUnreachable {
    /// The error: nothing goes out that was not counted.
    #[default]
    Closed,
    /// [`Taken::Open`], which carries the error: work goes on without the limit, as fast as its
    /// workers are. If the reply alone was lost, it has been counted all the same.
    Open,
}

impl OnUnreachable {
    pub(crate) fn answer(self, error: Error) -> Result<Taken, Error> {
        match self {
            Self::Open if error.is_unreachable() => Ok(Taken::Open { error }),
            _ => Err(error),
        }
    }
}
