/** What is offered for a request, with its values and what differs, and what is near but cannot be done now. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { plural } from "../shared/format.js";
import { failure } from "../shared/notice.js";
import { entryPage } from "./reload_entries.js";

const MATCHES = {
  same: ["good", "the same"],
  offer: ["warn", "compare"],
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
  const inputs = option.slots.map(slotInput);
  return h(
    "li",
    { class: "stack" },
    h("div", { class: "row" }, h("span", { class: `badge ${mood}` }, words), h("a", { href: entryPage(option.cacheId) }, option.label || option.cacheId)),
    option.differs.length > 0 && h("ul", { class: "small", "aria-label": "What differs" }, option.differs.map((line) => h("li", {}, line))),
    ...inputs.map(({ element }) => element),
    h("p", { class: "small muted" }, `${plural(option.actions, "action")}, similarity ${option.similarity.toFixed(2)}.`),
    h("div", { class: "row end" }, h("button", { class: "button small", type: "button", "aria-label": `Do it again: ${option.label}`, on: { click: () => start(option, inputs) } }, "Do it again")),
  );
}

/** A value that may be changed before it is filled in; it begins as the request seems to say it. */
function slotInput({ name, value, proposed }) {
  const input = h("input", { type: "text", value: proposed ?? value ?? "" });
  const recorded = proposed !== null && proposed !== value ? h("span", { class: "small muted" }, `recorded: ${value}`) : null;
  return { name, value, input, element: h("label", { class: "stack small" }, name, input, recorded) };
}

function refusal({ cacheId, label, reason }) {
  return h("li", {}, h("a", { href: entryPage(cacheId) }, label || cacheId), h("p", { class: "small muted" }, reason));
}

async function start(option, inputs) {
  const changed = inputs.filter(({ input, value }) => input.value !== value).map(({ name, input }) => [name, input.value]);
  try {
    const { job_id: job } = await api.post("/replay", { cache_id: entryOf(option.cacheId), values: Object.fromEntries(changed) });
    location.assign(api.address("ui", "runs", job));
  } catch (error) {
    failure(error);
  }
}

/** The values are spelt out, so that the offer's own need not be remembered. */
function entryOf(cacheId) {
  return cacheId.split("~")[0];
}
