import { pick } from "./index.js"; console.log(pick("a", ["b"]));
