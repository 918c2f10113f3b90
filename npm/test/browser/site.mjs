// A site on a free loopback port: the package as it is, no bundler, and a policy for each page.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const folder = (path) => new URL(path, import.meta.url);
const FOLDERS = { dist: folder("../../dist/"), test: folder("../package/"), browser: folder("./") };
const PAGE = '<!doctype html><title>pointsman</title><script type="module" src="/browser/page.mjs"></script>';

const POLICIES = {
  open: undefined,
  strict: "default-src 'none'; script-src 'self'",
  wasm: "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'",
};

/** Starts the site; `url(policy, entry)` is a page that imports `dist/<entry>`. */
export async function openSite() {
  const server = createServer((request, response) => {
    answer(new URL(request.url, "http://localhost").pathname, response).catch(() => {
      response.writeHead(404).end();
    });
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    url: (policy, entry) => `${origin}/page/${policy}?entry=/dist/${entry}`,
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}

async function answer(path, response) {
  const [, folderName, name] = path.split("/");
  if (folderName === "page") {
    const policy = POLICIES[name];
    response.writeHead(200, { "content-type": "text/html", ...(policy && { "content-security-policy": policy }) });
    response.end(PAGE);
    return;
  }
  const content = await readFile(new URL(name, FOLDERS[folderName]));
  response.writeHead(200, { "content-type": "text/javascript" }).end(content);
}
