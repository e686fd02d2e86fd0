/** One stream for all windows of this browser: it allows six connections to a host, and each window needs some. */

import { follow } from "./stream.js";

const ports = new Set();
const stream = follow((message) => {
  for (const port of ports) port.postMessage(message);
});

self.addEventListener("connect", (connection) => {
  const port = connection.ports[0];
  ports.add(port);
  port.addEventListener("message", ({ data }) => {
    if (data === "bye") ports.delete(port);
    if (data === "again") stream.again();
  });
  port.start();
  port.postMessage({ state: stream.state() });
});
