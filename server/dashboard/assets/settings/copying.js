/** Text that is copied by a button. */

import { h } from "../shared/dom.js";

const SAID_MS = 2500;

/**
 * A button that copies, and says so where it stands and to screen readers.
 * @param {string} what the button's full name ends with it, e.g. `Cursor`
 * @param {() => string} text
 */
export function copyButton(what, text) {
  let timer = 0;
  const label = h("span", { "aria-hidden": "true" }, "Copy");
  const said = h("span", { class: "visually-hidden", role: "status" });
  const say = (word, sentence) => {
    label.textContent = word;
    said.textContent = sentence;
    clearTimeout(timer);
    timer = setTimeout(() => {
      label.textContent = "Copy";
      said.textContent = "";
    }, SAID_MS);
  };
  const copy = async () => {
    if (await copied(text())) say("Copied", `${what}: copied`);
    else say("Select it and press Ctrl+C", "The browser does not let this page copy: select the text and press Ctrl+C.");
  };
  return h(
    "span",
    { class: "row" },
    h("button", { class: "button small", type: "button", "aria-label": `Copy: ${what}`, on: { click: copy } }, label),
    said,
  );
}

/** Copy a text; whether the browser lets this page. @param {string} text */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

/** Where the page is not served by this machine, browsers have no clipboard to write to. */
function copiedBySelection(text) {
  const before = document.activeElement;
  const area = h("textarea", { value: text, class: "visually-hidden", "aria-hidden": "true", tabindex: "-1" });
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  before?.focus();
  return done;
}
