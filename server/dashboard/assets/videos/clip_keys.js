/** The keys of a video's page, and what they do. */

import { h } from "../shared/dom.js";

const OFF = "vaider-keys-off";
const TOLD = [
  [["j"], "next action"], [["k"], "action before"], [["J", "K"], "next event, event before"], [["Space"], "play or pause"], [["←", "→"], "a frame back or on"],
  [["/"], "search the timeline"], [["?"], "this help"], [["Esc"], "leave the search"],
];

/** @param {Record<string, () => void>} actions by the key, as `KeyboardEvent.key` calls it */
export function clipKeys(actions) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
    // A slider moves by its own arrows.
    if (event.target instanceof HTMLInputElement && event.key.startsWith("Arrow")) return;
    if (localStorage.getItem(OFF) && event.key !== "?") return;
    const isPressing = event.key === " " && event.target instanceof Element && event.target.closest("button, summary, a, select");
    const action = actions[event.key];
    if (!action || isPressing || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    action();
  }, { capture: true });
}

/** Tell them; whoever talks to the computer can switch them off. */
export function tellKeys() {
  const off = h("input", { type: "checkbox", checked: Boolean(localStorage.getItem(OFF)) });
  off.addEventListener("change", () => (off.checked ? localStorage.setItem(OFF, "1") : localStorage.removeItem(OFF)));
  const close = h("button", { class: "button primary", type: "button" }, "Close");
  const dialog = /** @type {HTMLDialogElement} */ (h(
    "dialog",
    { class: "dialog stack", "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", { class: "facts" }, TOLD.flatMap(([keys, what]) => [h("dt", {}, keys.flatMap((key) => [h("kbd", {}, key), " "])), h("dd", {}, what)])),
    h("label", { class: "check-field" }, off, "Use no keys on this page but ?"),
    h("div", { class: "row end" }, close),
  ));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function isWriting(target) {
  return target instanceof Element && target.closest("input[type=search], input[type=text], textarea, select, [contenteditable]") !== null;
}
