/** What is copied to connect an agent. */

import { api } from "../shared/api.js";
import { copyButton } from "./copying.js";
import { fill, h } from "../shared/dom.js";
import { coded } from "./coded.js";

/**
 * Show them, each with its button.
 * @param {Element} container
 */
export async function showSnippets(container) {
  try {
    const { snippets, token_needed: tokenNeeded, token_file: file } = await api.get("/clients");
    fill(
      container,
      tokenNeeded && h("p", { class: "panel" }, "This daemon wants a token: set the variable ", h("code", {}, "VAIDER_TOKEN"), " for the agent to the text of ", h("code", {}, file), "."),
      h("div", { class: "grid snippets" }, snippets.map(snippet)),
    );
  } catch (error) {
    fill(container, h("p", { class: "problem", role: "alert" }, error.message));
  }
}

function snippet({ title, note, text }) {
  return h(
    "article",
    { class: "panel stack" },
    h("div", { class: "row between" }, h("h3", {}, title), copyButton(title, () => text)),
    h("pre", { tabindex: "0", "aria-label": `${title}: text to copy` }, text),
    h("p", { class: "muted small" }, coded(note)),
  );
}
