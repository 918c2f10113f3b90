use crate::script::Script;
use redis::{ErrorKind, RedisError};
use std::fmt;

/// Why a call has no outcome.
///
/// "Not now", "never" and "gone" are outcomes, not errors. After an error reply of a script
/// (`POINTSMAN_…`) nothing has changed in Redis. After a lost connection or a timeout it is not
/// known whether the call ran: repeat it with the same id.
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Repr);

#[derive(Debug, Clone, PartialEq)]
enum Repr {
    Redis {
        operation: &'static str,
        error: RedisError,
    },
    Unreadable {
        operation: &'static str,
        text: String,
    },
    Argument(String),
    Random(getrandom::Error),
}

impl Error {
    /// The first word of the error reply; `POINTSMAN_ARG` also for an argument that was refused
    /// before it was sent. `None` where no such reply came.
    ///
    /// | word | what it means |
    /// |---|---|
    /// | `POINTSMAN_ARG` | an argument cannot be used; the text names it, its value and the bound |
    /// | `POINTSMAN_DEADLINE` | the call reached Redis after its deadline |
    /// | `POINTSMAN_TYPE`, `POINTSMAN_KIND`, `POINTSMAN_FORMAT` | the key holds no hash, another family's state, or that of another release |
    /// | `POINTSMAN_DATA` | the key holds a field that has been damaged |
    /// | `OOM`, `NOPERM`, `LOADING` … | what the server itself says |
    pub fn code(&self) -> Option<&str> {
        match &self.0 {
            Repr::Redis { error, .. } => word_and_text(error).map(|(word, _)| word),
            Repr::Argument(_) => Some("POINTSMAN_ARG"),
            Repr::Unreadable { .. } | Repr::Random(_) => None,
        }
    }

    /// An argument cannot be used; the text names it, its value and the bound.
    pub fn is_argument(&self) -> bool {
        self.code() == Some("POINTSMAN_ARG")
    }

    /// The call reached Redis after its deadline, and was not run.
    pub fn is_deadline(&self) -> bool {
        self.code() == Some("POINTSMAN_DEADLINE")
    }

    /// No Redis that may write has answered: the connection failed or timed out, or the server is
    /// loading its data, busy with a script, a replica, or without its cluster.
    ///
    /// Not these: an error of a script, wrong data, missing permission, and full memory (`OOM`),
    /// where the server is there and refuses.
    pub fn is_unreachable(&self) -> bool {
        match &self.0 {
            Repr::Redis { error, .. } => is_unreachable(error),
            Repr::Unreadable { .. } | Repr::Argument(_) | Repr::Random(_) => false,
        }
    }

    /// The reply is not one that this release knows. It is never taken for a grant.
    pub fn is_unreadable(&self) -> bool {
        matches!(&self.0, Repr::Unreadable { .. })
    }

    pub(crate) fn redis(script: &Script, error: RedisError) -> Self {
        let operation = script.name;
        Self(Repr::Redis { operation, error })
    }

    pub(crate) fn unreadable(script: &Script, text: String) -> Self {
        let operation = script.name;
        Self(Repr::Unreadable { operation, text })
    }

    pub(crate) fn argument(text: String) -> Self {
        Self(Repr::Argument(text))
    }

    pub(crate) fn random(error: getrandom::Error) -> Self {
        Self(Repr::Random(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Redis { operation, error } => match word_and_text(error) {
                Some((word, text)) => write!(f, "{operation}: {word} {text}"),
                None => write!(f, "{operation}: {error}"),
            },
            Repr::Unreadable { operation, text } => {
                write!(f, "the reply of {operation} cannot be read: {text}")
            }
            Repr::Argument(text) => f.write_str(text),
            Repr::Random(error) => write!(f, "no random number: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Repr::Redis { error, .. } => Some(error),
            Repr::Random(error) => Some(error),
            Repr::Unreadable { .. } | Repr::Argument(_) => None,
        }
    }
}

/// An error reply, in its first word and the rest.
///
/// Servers before Redis 7 put an error of a command in a script behind words of their own:
/// `ERR Error running script (call to f_…): @user_script:90: @user_script: 90: -OOM command not …`.
fn word_and_text(error: &RedisError) -> Option<(&str, &str)> {
    let word = error.code()?;
    let text = error.detail().unwrap_or_default();
    if word == "ERR" && text.starts_with("Error running script") {
        if let Some((_, inner)) = text.split_once(": -") {
            return Some(inner.split_once(' ').unwrap_or((inner, "")));
        }
    }
    Some((word, text))
}

fn is_unreachable(error: &RedisError) -> bool {
    if let Some((word, text)) = word_and_text(error) {
        return match word {
            "LOADING" | "BUSY" | "READONLY" | "MASTERDOWN" | "CLUSTERDOWN" | "TRYAGAIN"
            | "NOREPLICAS" => true,
            "ERR" => text.starts_with("max number of clients"),
            _ => false,
        };
    }
    matches!(
        error.kind(),
        ErrorKind::Io
            | ErrorKind::ClusterConnectionNotFound
            | ErrorKind::MasterNameNotFoundBySentinel
            | ErrorKind::NoValidReplicasFoundBySentinel
    )
}
