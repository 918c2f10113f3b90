import { answersOf } from "./answers.mjs";

const core = await import(process.argv[2] ?? "pointsman");
console.log(JSON.stringify(answersOf(core)));
