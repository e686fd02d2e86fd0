/** What would be offered for a request, and what is alike but would not be, each with its reason. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { percent, plural } from "../shared/format.js";
import { failure } from "../shared/notice.js";
import { entryPage } from "./reload_entries.js";

const MATCHES = {
  exact: ["good", "the same"],
  rebound: ["good", "with other values"],
  similar: ["warn", "in other words"],
};

/** The answer of `POST /reload/options`. @returns {(HTMLElement|string)[]} */
export function showOptions({ options, refused }) {
  return [
    options.length === 0 && h("p", {}, h("strong", {}, "Nothing would be offered."), refused.length === 0 && " Nothing alike is kept."),
    options.length > 0 && h("ul", { class: "list", "aria-label": "Would be offered" }, options.map(offer)),
    refused.length > 0 && h("h3", {}, "Alike, but not offered"),
    refused.length > 0 && h("ul", { class: "list", "aria-label": "Alike, but not offered" }, refused.map(refusal)),
  ].filter(Boolean);
}

function offer(option) {
  const [mood, words] = MATCHES[option.match] ?? ["muted", option.match];
  const changed = Object.entries(option.rebound);
  return h(
    "li",
    { class: "stack" },
    h("div", { class: "row" }, h("span", { class: `badge ${mood}` }, words), h("a", { href: entryPage(option.cacheId) }, option.label || option.cacheId)),
    changed.length > 0 && h("ul", { class: "changes small" }, changed.map(([old, now]) => h("li", {}, h("del", {}, old), " ", h("span", { "aria-hidden": "true" }, "→"), " ", h("ins", {}, now)))),
    h("p", { class: "small muted" }, `${option.reason} ${plural(option.actions, "action")}, similarity ${percent(option.similarity)}.`),
    h("div", { class: "row end" }, h("button", { class: "button small", type: "button", "aria-label": `Do it again: ${option.label}`, on: { click: () => start(option) } }, "Do it again")),
  );
}

function refusal({ cacheId, label, reason }) {
  return h("li", {}, h("a", { href: entryPage(cacheId) }, label || cacheId), h("p", { class: "small muted" }, reason));
}

async function start(option) {
  try {
    const { job_id: job } = await api.post("/replay", { cache_id: option.cacheId });
    location.assign(api.address("ui", "runs", job));
  } catch (error) {
    failure(error);
  }
}
