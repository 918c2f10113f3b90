//! The core as WebAssembly, twice: with SIMD for those who run WebAssembly, and for the oldest
//! engines, which becomes the JavaScript build.

use crate::command::{Outcome, patiently, quietly};
use crate::setup::{Compiler, compiler};
use crate::{read, root, step, write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";

/// What wasm-bindgen's types leave out: how the glue is told which instance to call.
const SET_WASM: &str = "export function __wbg_set_wasm(exports: object): void;\n";

/// One way of compiling the core.
struct Variant {
    name: &'static str,
    features: &'static str,
}

/// What every engine with SIMD has (Chrome 91, Firefox 89, Safari 16.4, Node 16.4 and later).
const SIMD: Variant = Variant {
    name: "simd",
    features: "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals",
};

/// What `wasm2js` can turn into JavaScript.
const BASE: Variant = Variant {
    name: "base",
    features: "+mutable-globals",
};

/// A module and the glue that it needs, as wasm-bindgen leaves them.
struct Bound {
    module: PathBuf,
    glue: String,
    types: String,
}

/// Compiles both variants and leaves in `npm/gen`: `core.bound.wasm`, `core.base.wasm`, and the one
/// glue that serves both, with its types.
pub fn build() -> Outcome<()> {
    let compiler = compiler()?;
    step("the core as WebAssembly, with std from source (a minute or two when it is cold)");
    let (simd, base) = patiently(|| {
        thread::scope(|scope| {
            let simd = scope.spawn(|| bind(&SIMD, &compiler));
            let base = bind(&BASE, &compiler);
            (simd.join(), base)
        })
    });
    let simd = simd.map_err(|_| "the SIMD build panicked")??;
    let base = base?;
    if simd.glue != base.glue || simd.types != base.types {
        return Err("the two builds need different glue: one glue must serve both".into());
    }
    let gen_folder = root().join("npm/gen");
    write(
        &gen_folder.join("core.js"),
        shared_by_instances(&simd.glue)?,
    )?;
    write(
        &gen_folder.join("core.d.ts"),
        format!("{}{SET_WASM}", simd.types),
    )?;
    write(&gen_folder.join("core.bound.wasm"), read(&simd.module)?)?;
    write(&gen_folder.join("core.base.wasm"), read(&base.module)?)
}

/// Builds the wrapper as those do who compile it into a page of their own, with its exports for
/// plain values, and leaves it in `npm/gen/values` for its test.
pub fn build_values() -> Outcome<()> {
    let compiler = compiler()?;
    step("the wrapper with its exports for plain values");
    let module = patiently(|| compile(&SIMD, &compiler, &[]))?;
    let folder = root().join("npm/gen/values");
    let mut bindgen = Bindgen::new();
    let bindgen = bindgen.input_path(&module).out_name("values");
    (bindgen.nodejs_module(true))
        .and_then(|bindgen| bindgen.generate(&folder))
        .map_err(|error| format!("wasm-bindgen: {error:?}"))
}

/// Compiles the core alone with nothing but core and alloc.
pub fn prove_no_std() -> Outcome<()> {
    let compiler = compiler()?;
    step("the core with core and alloc alone");
    let mut cargo = cargo(&compiler, "build", "no-std", "core,alloc");
    let core = ["--package", "pointsman", "--no-default-features"];
    patiently(|| quietly(cargo.env("RUSTFLAGS", "").args(core)))?;
    Ok(())
}

fn bind(variant: &Variant, compiler: &Compiler) -> Outcome<Bound> {
    let module = compile(variant, compiler, &["--no-default-features"])?;
    let folder = module.with_file_name("bound");
    let named = |error| format!("wasm-bindgen: {error:?}");
    Bindgen::new()
        .input_path(&module)
        .out_name("core")
        .bundler(true)
        .map_err(named)?
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&folder)
        .map_err(named)?;
    let text = |name: &str| -> Outcome<String> {
        String::from_utf8(read(&folder.join(name))?).map_err(|error| error.to_string())
    };
    Ok(Bound {
        module: folder.join("core_bg.wasm"),
        glue: text("core_bg.js")?,
        types: text("core.d.ts")?,
    })
}

fn compile(variant: &Variant, compiler: &Compiler, features: &[&str]) -> Outcome<PathBuf> {
    let flags = [
        "-Zunstable-options",
        "-Cpanic=immediate-abort",
        "-Ctarget-cpu=mvp",
        &format!("-Ctarget-feature={}", variant.features),
        "-Clink-arg=-zstack-size=65536",
    ];
    let mut cargo = cargo(
        compiler,
        "rustc",
        variant.name,
        "core,alloc,std,panic_abort",
    );
    cargo.env("RUSTFLAGS", flags.join(" "));
    // As a cdylib alone: next to an rlib it would be linked without LTO, many times as large.
    let library = [
        "--package",
        "pointsman-wasm",
        "--lib",
        "--crate-type",
        "cdylib",
    ];
    quietly(
        cargo
            .args(library)
            .args(features)
            .args(["--profile", "wasm"]),
    )?;
    let built = target_folder(variant.name).join(TARGET).join("wasm");
    Ok(built.join("pointsman_wasm.wasm"))
}

fn cargo(compiler: &Compiler, subcommand: &str, name: &str, std_parts: &str) -> Command {
    let mut cargo = Command::new(&compiler.cargo);
    cargo
        .current_dir(root())
        .env("RUSTC", &compiler.rustc)
        .env("RUSTC_BOOTSTRAP", "1")
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER",
            &compiler.linker,
        )
        .env("CARGO_TARGET_DIR", target_folder(name))
        .env_remove("RUSTUP_TOOLCHAIN")
        .args([subcommand, "--target", TARGET])
        .args(["-Z", &format!("build-std={std_parts}")])
        .args(["-Z", "build-std-features=optimize_for_size"]);
    cargo
}

/// Each variant has a folder of its own, so that none rebuilds what another built.
fn target_folder(name: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target
        .unwrap_or_else(|| root().join("target"))
        .join(Path::new("wasm").join(name))
}

/// Two changes to wasm-bindgen's glue, so that it serves one instance after another. Both must
/// find their places.
///
/// - It keeps views of a memory until that memory is detached. The memory of the JavaScript build
///   is replaced when it grows, and not detached: compare it instead.
/// - It frees what was forgotten in the instance of that moment: free it in its own.
fn shared_by_instances(glue: &str) -> Outcome<String> {
    let mut changed = glue.to_string();
    for kind in ["Uint8Array", "Uint32Array", "Float64Array"] {
        let cached = format!("cached{kind}Memory0");
        let old = format!("{cached} === null || {cached}.byteLength === 0");
        let new = format!("{cached} === null || {cached}.buffer !== wasm.memory.buffer");
        changed = changed.replace(&old, &new);
    }
    let detached = "cachedDataViewMemory0.buffer.detached === true || (cachedDataViewMemory0.buffer.detached === undefined && cachedDataViewMemory0.buffer !== wasm.memory.buffer)";
    let replaced = "cachedDataViewMemory0.buffer !== wasm.memory.buffer";
    changed = changed.replace(detached, replaced);
    if changed.contains("byteLength === 0") || changed.contains("detached") {
        return Err("wasm-bindgen's glue keeps views in a way that is not known here".into());
    }
    let registries = changed.matches("new FinalizationRegistry(ptr =>").count();
    let registered = changed
        .matches(".register(this, this.__wbg_ptr, this)")
        .count();
    if registries == 0
        || registered < registries
        || registries != changed.matches("new FinalizationRegistry").count()
    {
        return Err("wasm-bindgen's glue frees objects in a way that is not known here".into());
    }
    Ok(changed
        .replace(
            "new FinalizationRegistry(ptr =>",
            "new FinalizationRegistry(({ ptr, wasm }) =>",
        )
        .replace(
            ".register(this, this.__wbg_ptr, this)",
            ".register(this, { ptr: this.__wbg_ptr, wasm }, this)",
        ))
}
