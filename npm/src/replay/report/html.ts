import type { Replay } from "../replay.js";
export function htmlReport(_: Replay): string { return ""; }
