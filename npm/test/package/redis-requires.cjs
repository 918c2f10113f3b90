const redis = require("pointsman/redis");

import("./redis-answers.mjs").then(async ({ answersOf }) => {
  const imported = await import("pointsman/redis");
  if (imported.RedisLimits !== redis.RedisLimits) throw new Error("import and require give two classes");
  console.log(JSON.stringify(await answersOf(redis)));
});
