// Importing must start nothing, read no clock and draw nothing: hosts forbid these at start-up.
const used = [];
const watch = (object, name) => {
  const original = object[name];
  Object.defineProperty(object, name, {
    configurable: true,
    get() {
      used.push(name);
      return original;
    },
  });
};
watch(Math, "random");
watch(Date, "now");
watch(globalThis.crypto, "getRandomValues");
watch(globalThis.crypto, "randomUUID");
watch(WebAssembly, "Module");
watch(WebAssembly, "Instance");

const core = await import(process.argv[2] ?? "pointsman");
const atImport = [...used];
core.pick("key", ["a", "b"]);
console.log(JSON.stringify({ atImport, atFirstCall: [...new Set(used)].sort() }));
