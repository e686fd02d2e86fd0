/** Starting the daemon again, for what waits for it. */

import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { h } from "../shared/dom.js";
import { failure, notice } from "../shared/notice.js";

const SURE = {
  title: "Start the daemon again?",
  text: "It takes a few seconds, and this page comes back by itself. What runs on a desktop is stopped; videos that are being watched are begun again by themselves.",
  action: "Restart",
};

/** @returns {HTMLElement} */
export function restartButton() {
  const button = h("button", { class: "button primary", type: "button", on: { click: restart } }, "Restart now");
  return button;

  async function restart() {
    if (!(await ask(SURE))) return;
    button.disabled = true;
    button.textContent = "Restarting …";
    try {
      await api.post("/settings/restart");
      notice("The daemon starts again.");
    } catch (error) {
      button.disabled = false;
      button.textContent = "Restart now";
      failure(error);
    }
  }
}
