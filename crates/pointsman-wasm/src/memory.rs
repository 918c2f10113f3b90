//! The memory that JavaScript writes arguments into and reads answers from.
//!
//! A list of texts lies there as for each its length (four bytes, the lowest first) and its
//! UTF-8 bytes; numbers behind them are four bytes each.

use core::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;

/// How many numbers an answer may have.
const NUMBERS: usize = 16;

thread_local! {
    static ARGUMENTS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: [Cell<f64>; NUMBERS] = const { [const { Cell::new(0.0) }; NUMBERS] };
}

/// Makes room for `bytes` bytes of arguments, what is there stays, and returns where they begin.
/// The memory may have grown: views of it must be made anew.
#[wasm_bindgen(js_name = reserveArguments)]
pub fn reserve_arguments(bytes: usize) -> *const u8 {
    ARGUMENTS.with_borrow_mut(|arguments| {
        if arguments.len() < bytes {
            arguments.resize(bytes.next_power_of_two(), 0);
        }
        arguments.as_ptr()
    })
}

/// Gives back the arguments' memory beyond `bytes` bytes, after an unusually long one.
#[wasm_bindgen(js_name = shrinkArguments)]
pub fn shrink_arguments(bytes: usize) {
    ARGUMENTS.with_borrow_mut(|arguments| {
        arguments.truncate(bytes);
        arguments.shrink_to_fit();
    });
}

/// Where the numbers of an answer begin; they stay there.
#[wasm_bindgen(js_name = answerNumbers)]
pub fn answer_numbers() -> *const f64 {
    ANSWER.with(|answer| answer.as_ptr().cast())
}

/// Reads the first `bytes` bytes of the arguments.
pub(crate) fn with_arguments<T>(bytes: usize, read: impl FnOnce(Reader<'_>) -> T) -> T {
    ARGUMENTS.with_borrow(|arguments| read(Reader(&arguments[..bytes])))
}

/// The answer of the core, whose arguments were checked before the call.
pub(crate) fn checked<T>(answer: Result<T, pointsman::Error>) -> T {
    answer.unwrap_or_else(|_| unreachable!("the caller has checked its arguments"))
}

/// Writes the numbers of an answer.
pub(crate) fn answer<const N: usize>(numbers: [f64; N]) {
    ANSWER.with(|answer| {
        for (slot, number) in answer.iter().zip(numbers) {
            slot.set(number);
        }
    });
}

/// What is left of the arguments.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// All that is left.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.0
    }

    /// All that is left, as text.
    pub(crate) fn text(&self) -> &'a str {
        as_text(self.0)
    }

    pub(crate) fn number(&mut self) -> u32 {
        let (number, rest) = self.0.split_at(4);
        self.0 = rest;
        u32::from_le_bytes(number.try_into().expect("four bytes were split off"))
    }

    pub(crate) fn numbers(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.number()).collect()
    }

    /// A number below 2^53, in two halves, the lower one first.
    pub(crate) fn whole(&mut self) -> u64 {
        u64::from(self.number()) | u64::from(self.number()) << 32
    }

    pub(crate) fn wholes(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.whole()).collect()
    }

    pub(crate) fn framed_bytes(&mut self) -> &'a [u8] {
        let length = self.number() as usize;
        let (framed, rest) = self.0.split_at(length);
        self.0 = rest;
        framed
    }

    pub(crate) fn framed_text(&mut self) -> &'a str {
        as_text(self.framed_bytes())
    }

    pub(crate) fn byte_strings(&mut self, count: usize) -> Vec<&'a [u8]> {
        (0..count).map(|_| self.framed_bytes()).collect()
    }

    pub(crate) fn texts(&mut self, count: usize) -> Vec<&'a str> {
        (0..count).map(|_| self.framed_text()).collect()
    }
}

fn as_text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).expect("an encoder wrote this text")
}
