/** Questions before something that cannot be taken back. */

import { h } from "./dom.js";

/**
 * Ask, and wait for the answer; Escape means no.
 * @param {{title: string, text?: string, action: string, dangerous?: boolean, content?: Node}} question
 * @returns {Promise<boolean>}
 */
export function ask({ title, text = "", action, dangerous = false, content = null }) {
  return new Promise((resolve) => {
    const answer = (value) => () => dialog.close(value);
    const yes = h(
      "button",
      { class: `button ${dangerous ? "danger" : "primary"}`, type: "button", on: { click: answer("yes") } },
      action,
    );
    const no = h("button", { class: "button", type: "button", on: { click: answer("") } }, "Cancel");
    const dialog = /** @type {HTMLDialogElement} */ (
      h(
        "dialog",
        { class: "dialog stack", "aria-labelledby": "dialog-title" },
        h("h2", { id: "dialog-title" }, title),
        text && h("p", {}, text),
        content,
        h("div", { class: "row end" }, no, yes),
      )
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
    // What destroys must not be one stroke of Enter away.
    (dangerous ? no : yes).focus();
  });
}
