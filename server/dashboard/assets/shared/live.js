/** What happens in the daemon, as it happens; shared by all windows where the browser can. */

import { follow } from "./stream.js";

const events = new Set();
const states = new Set();
const returns = new Set();
let state = "connecting";
let again = () => {};

export const live = {
  /** Each event of each job. @param {(event: import("./stream.js").JobEvent) => void} listener */
  on: (listener) => joined(events, listener),
  /** `connecting`, `live`, `behind` or `offline`, now and whenever it changes. */
  state(listener) {
    listener(state);
    return joined(states, listener);
  },
  /** The stream was away and is there again: what a page shows may be out of date. */
  back: (listener) => joined(returns, listener),
  /** Try now, not in a moment. */
  again: () => again(),
};

function joined(listeners, listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function receive(message) {
  if (message.state !== undefined && message.state !== state) {
    state = message.state;
    for (const listener of states) listener(state);
  }
  if (message.event !== undefined) for (const listener of events) listener(message.event);
  if (message.back !== undefined) for (const listener of returns) listener();
}

function join() {
  const address = new URL("./stream_worker.js", import.meta.url).href;
  // The policy's only purpose; it makes no markup.
  const policy = globalThis.trustedTypes?.createPolicy("vaider-worker", { createScriptURL: () => address });
  const connect = () => {
    const { port } = new SharedWorker(policy?.createScriptURL("") ?? address, { type: "module", name: "vaider" });
    port.addEventListener("message", ({ data }) => receive(data));
    port.start();
    again = () => port.postMessage("again");
    addEventListener("pagehide", () => port.postMessage("bye"), { once: true });
  };
  connect();
  // A page that comes back from the browser's cache missed what happened.
  addEventListener("pageshow", (shown) => {
    if (!shown.persisted) return;
    connect();
    receive({ back: true });
  });
}

if ("SharedWorker" in globalThis) join();
else again = follow(receive).again;
