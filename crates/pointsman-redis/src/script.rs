use redis::{Cmd, ConnectionLike, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value};

/// A script of the bundle, and how it is run.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Script {
    /// The operation, as its file is called without `.lua`.
    pub name: &'static str,
    /// The SHA-1 of `source`, in lower-case hex digits.
    pub sha1: &'static str,
    /// What Redis runs, byte for byte.
    pub source: &'static str,
}

impl Script {
    /// Runs it on one key: EVALSHA, and where the server does not know the script, one EVAL, which
    /// also makes it known. Nothing else is retried, so an error means at most one run.
    pub fn run<A: AsRef<[u8]>>(
        &self,
        con: &mut dyn ConnectionLike,
        key: &[u8],
        args: &[A],
    ) -> RedisResult<Value> {
        match self.evalsha(key, args).query(con) {
            Err(error) if is_unknown_script(&error) => self.eval(key, args).query(con),
            answer => answer,
        }
    }

    /// [`run`](Self::run) over an asynchronous connection.
    #[cfg(feature = "tokio")]
    pub async fn run_async<A: AsRef<[u8]>>(
        &self,
        con: &mut impl redis::aio::ConnectionLike,
        key: &[u8],
        args: &[A],
    ) -> RedisResult<Value> {
        match self.evalsha(key, args).query_async(con).await {
            Err(error) if is_unknown_script(&error) => self.eval(key, args).query_async(con).await,
            answer => answer,
        }
    }

    /// The command by digest. It fails with NOSCRIPT where the server does not know the script.
    pub fn evalsha<A: AsRef<[u8]>>(&self, key: &[u8], args: &[A]) -> Cmd {
        command("EVALSHA", self.sha1, key, args)
    }

    /// The command with the whole text: for pipelines, which cannot fall back.
    pub fn eval<A: AsRef<[u8]>>(&self, key: &[u8], args: &[A]) -> Cmd {
        command("EVAL", self.source, key, args)
    }
}

fn command<A: AsRef<[u8]>>(name: &str, script: &str, key: &[u8], args: &[A]) -> Cmd {
    let mut command = redis::cmd(name);
    command.arg(script).arg(1).arg(key);
    for arg in args {
        command.arg(arg.as_ref());
    }
    command
}

fn is_unknown_script(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}
