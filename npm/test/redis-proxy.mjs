// A TCP proxy that loses replies: the server has run the command, the client never hears of it.
import { once } from "node:events";
import { connect, createServer } from "node:net";

/** Starts a proxy before the server at `port`. */
export async function startProxy(port) {
  const proxy = new Proxy(port);
  await proxy.open();
  return proxy;
}

class Proxy {
  #target;
  #listener;
  #sockets = new Set();
  #loses;

  constructor(target) {
    this.#target = target;
  }

  async open() {
    this.#listener = createServer((client) => this.#join(client)).listen(0, "127.0.0.1");
    await once(this.#listener, "listening");
    this.port = this.#listener.address().port;
  }

  /** Loses the reply to the next command that contains this text, and the connection with it. */
  loseReplyTo(text) {
    this.#loses = Buffer.from(text);
  }

  async close() {
    const closed = once(this.#listener, "close");
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(client) {
    const server = connect(this.#target, "127.0.0.1");
    let isLost = false;
    const end = () => {
      for (const socket of [client, server]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    client.on("data", (sent) => {
      if (this.#loses !== undefined && sent.includes(this.#loses)) {
        isLost = true;
        this.#loses = undefined;
      }
      server.write(sent);
    });
    server.on("data", (reply) => {
      if (isLost) end();
      else client.write(reply);
    });
  }
}
