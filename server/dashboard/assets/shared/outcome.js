/** How something ended: one line, one picture, and a button to the moment that shows it. */

import { h } from "./dom.js";

const SIGNS = { good: "✓", warn: "?", bad: "✗", muted: "■" };

/** The sign of a mood, which says the same as its colour. */
export function sign(mood) {
  return SIGNS[mood] ?? "·";
}

/**
 * @param {{mood: string, text: string}} headline
 * @param {{picture?: HTMLElement|null, caption?: string, show?: string, primary?: boolean, go?: () => void, details?: string, more?: any}} [options]
 *   what the picture shows, the words of the button, whether it is the first thing to do, what it does, what the line
 *   leaves out, and what stands below it
 * @returns {HTMLElement}
 */
export function outcomePanel(headline, { picture = null, caption = "", show = "", primary = true, go = () => {}, details = "", more = null } = {}) {
  return h(
    "section",
    { class: `panel outcome ${headline.mood}`, "aria-label": "Outcome" },
    h(
      "div",
      { class: "stack grow" },
      h(
        "div",
        { class: "row between top-aligned" },
        h("p", { class: "outcome-line grow", role: "heading", "aria-level": "2" }, h("span", { class: "outcome-sign", "aria-hidden": "true" }, sign(headline.mood)), " ", headline.text),
        show && h("button", { class: `button ${primary ? "primary" : ""}`, type: "button", on: { click: go } }, show),
      ),
      details && h("details", { class: "small" }, h("summary", {}, "Details"), h("p", { class: "muted" }, details)),
      more,
    ),
    picture && pictured(show ? h("button", { class: "outcome-picture", type: "button", "aria-label": `${show}: its picture`, on: { click: go } }, picture) : h("div", { class: "outcome-picture" }, picture), caption),
  );
}

function pictured(shown, caption) {
  return caption ? h("figure", {}, shown, h("figcaption", { class: "muted small" }, caption)) : shown;
}
