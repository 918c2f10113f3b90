// On a host without WebAssembly: importing is no error, the first call is one, and so is the next.
const core = await import("pointsman/wasm");
const codes = [1, 2].map(() => {
  try {
    return core.pick("key", ["a"]);
  } catch (error) {
    return `${error.name} ${error.code} because of ${error.cause.name}`;
  }
});
console.log(JSON.stringify(codes));
