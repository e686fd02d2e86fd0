/** What other windows of this browser need to know at once; those elsewhere ask now and then. */

const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("vaider-changes") : null;

/** Tell them that something has changed. @param {"settings"|"keys"} what */
export function tellWindows(what) {
  channel?.postMessage(what);
}

/** Called when another window has changed it. @param {"settings"|"keys"} what @param {() => void} listener */
export function whenChangedElsewhere(what, listener) {
  channel?.addEventListener("message", ({ data }) => data === what && listener());
}
