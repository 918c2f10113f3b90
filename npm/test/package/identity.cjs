const required = require("pointsman");

import("pointsman").then((imported) => {
  console.log(imported.Upstreams === required.Upstreams && imported.PointsmanError === required.PointsmanError);
});
