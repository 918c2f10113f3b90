// Beside what else there is on npm: `npm run bench`, with `-- --quick` for a first look, with
// `-- chain` or `-- rendezvous` for one part. The peers are installed by `npm ci --prefix bench`.

const parts = ["rendezvous", "chain"];
const wanted = parts.filter((part) => process.argv.includes(part));

for (const part of wanted.length > 0 ? wanted : parts) {
  try {
    await import(`./${part}.mjs`);
  } catch (cause) {
    if (cause.code !== "ERR_MODULE_NOT_FOUND" && cause.code !== "MODULE_NOT_FOUND") throw cause;
    throw new Error("run `npm run build` and `npm ci --prefix bench` first", { cause });
  }
}
