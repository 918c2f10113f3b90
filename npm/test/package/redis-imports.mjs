import * as redis from "pointsman/redis";
import { answersOf } from "./redis-answers.mjs";

console.log(JSON.stringify(await answersOf(redis)));
