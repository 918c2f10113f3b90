const core = require(process.argv[2] ?? "pointsman");

import("./answers.mjs").then(({ answersOf }) => console.log(JSON.stringify(answersOf(core))));
