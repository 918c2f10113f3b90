//! One call of a script, and the reply that it must get.

use super::{Reply, Scripts};
use crate::seed::Draws;

/// As the scripts write a number: as text from 2^52 on.
impl From<u64> for Reply {
    fn from(n: u64) -> Self {
        match i64::try_from(n) {
            Ok(n) if n < 1 << 52 => Self::Int(n),
            _ => Self::Bytes(n.to_string().into()),
        }
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::Bytes(text.into())
    }
}

/// A script, its key and its arguments.
pub struct Call {
    script: &'static str,
    key: String,
    args: Vec<Vec<u8>>,
}

impl Call {
    /// A call at this instant, without a deadline.
    pub fn at(now_ms: u64, script: &'static str, key: &str) -> Self {
        let (key, args) = (key.into(), Vec::new());
        Self { script, key, args }.number(now_ms).number(0)
    }

    /// With one argument more.
    pub fn text(mut self, argument: impl AsRef<[u8]>) -> Self {
        self.args.push(argument.as_ref().into());
        self
    }

    /// With one argument more.
    pub fn number(self, argument: u64) -> Self {
        self.text(argument.to_string())
    }

    /// With many arguments more.
    pub fn texts<T: AsRef<[u8]>>(self, arguments: impl IntoIterator<Item = T>) -> Self {
        arguments.into_iter().fold(self, Self::text)
    }

    /// Runs it, and panics where the reply is another.
    pub fn answers(self, expected: &[Reply], draws: &Draws, scripts: &mut dyn Scripts) {
        let args: Vec<&[u8]> = self.args.iter().map(Vec::as_slice).collect();
        let got = scripts.run(self.script, &self.key, &args);
        if got.as_deref() != Ok(expected) {
            let args: Vec<_> = args
                .iter()
                .map(|arg| arg.escape_ascii().to_string())
                .collect();
            panic!(
                "{} {} {args:?}:\n     got {got:?}\nexpected {expected:?}\n{draws}",
                self.script, self.key
            );
        }
    }

    /// Runs it, and panics where it is not refused for an argument.
    pub fn is_refused(self, draws: &Draws, scripts: &mut dyn Scripts) {
        let args: Vec<&[u8]> = self.args.iter().map(Vec::as_slice).collect();
        match scripts.run(self.script, &self.key, &args) {
            Err(text) if text.starts_with("POINTSMAN_ARG ") => {}
            got => panic!(
                "{} {}: got {got:?}\nexpected POINTSMAN_ARG\n{draws}",
                self.script, self.key
            ),
        }
    }
}

/// The elements of a reply.
#[macro_export]
macro_rules! reply {
    ($($element:expr),* $(,)?) => { [$($crate::differential::Reply::from($element)),*] };
}
