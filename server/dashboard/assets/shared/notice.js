/** What has just happened, told once, in passing. */

import { byId, h } from "./dom.js";

const SHOWN_MS = 8000;
const MOST = 4;

/** Tell something. @param {string} text @param {"info"|"bad"} [kind] */
export function notice(text, kind = "info") {
  const place = byId("notices");
  const close = () => item.remove();
  const item = h(
    "div",
    { class: `notice ${kind}` },
    h("span", {}, text),
    h("button", { class: "button quiet", type: "button", "aria-label": "Dismiss", on: { click: close } }, "×"),
  );
  while (place.children.length >= MOST) place.firstElementChild?.remove();
  place.append(item);
  setTimeout(close, kind === "bad" ? 2 * SHOWN_MS : SHOWN_MS);
}

/** Tell that something failed, and what to do. @param {Error} error */
export function failure(error) {
  if (error?.name === "AbortError") return;
  notice(error?.message || String(error), "bad");
}
