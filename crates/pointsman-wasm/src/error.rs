//! Errors of the core as JavaScript's.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

/// The code of an argument that cannot be used.
const ARGUMENT: &str = "ARGUMENT";

/// An `Error` whose `code` is a fixed word, with `argument`, `value` and `bound` beside it.
pub struct Fault {
    message: String,
    details: Vec<(&'static str, String)>,
}

impl Fault {
    /// A value of a type that has no place there.
    pub(crate) fn of_type(argument: &str, bound: &str) -> Self {
        Self::argument(argument, "of another type", bound)
    }

    fn argument(argument: &str, value: &str, bound: &str) -> Self {
        Self {
            message: format!("{argument} is {value}, but must be {bound}"),
            details: vec![
                ("argument", argument.into()),
                ("value", value.into()),
                ("bound", bound.into()),
            ],
        }
    }
}

impl From<pointsman::Error> for Fault {
    fn from(error: pointsman::Error) -> Self {
        Self::argument(error.argument(), &error.value(), &error.bound())
    }
}

impl From<Fault> for JsValue {
    fn from(fault: Fault) -> Self {
        let error: JsValue = js_sys::Error::new(&fault.message).into();
        let set = |name: &str, value: &str| {
            // A new Error object takes any property.
            let _ = Reflect::set(&error, &name.into(), &value.into());
        };
        set("name", "PointsmanError");
        set("code", ARGUMENT);
        for (name, value) in &fault.details {
            set(name, value);
        }
        error
    }
}
