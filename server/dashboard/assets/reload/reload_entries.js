/** A line of what is kept for reload, and what its badges say. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { ago, moment, ofAll, plural } from "../shared/format.js";
import { actionWords } from "./reload_words.js";

const TRIGGERS = { app_click: "a click on", button_click: "the button", form_submit: "the form", user_message: "asked" };

/** Its page. */
export function entryPage(cacheId) {
  return api.address("ui", "reload", String(cacheId).split("~")[0]);
}

/** A text with its `{places}` set off. @param {string} text */
export function withPlaces(text) {
  const parts = String(text).split(/(\{[^{}\s]{1,80}\})/);
  return parts.map((part, at) => (at % 2 === 1 ? h("span", { class: "badge accent" }, part.slice(1, -1)) : part));
}

/** What brings it back: the words, or what is clicked. */
export function trigger(entry) {
  if (entry.triggerType === "user_message") return entry.request === "" ? ["(no words: it is found by what it does)"] : withPlaces(entry.request);
  return [`${TRIGGERS[entry.triggerType] ?? entry.triggerType} `, h("strong", {}, entry.triggerTarget || "(nothing named)"), entry.request === "" ? null : [": ", withPlaces(entry.request)]];
}

/** Whether its label is its request, as it is of a run. */
export function isSaidTwice(entry) {
  return entry.triggerType === "user_message" && entry.request === entry.label;
}

/** How it stands. @returns {HTMLElement[]} */
export function badges(entry) {
  const badge = (mood, text, title) => h("span", { class: `badge ${mood}`, title }, text);
  return [
    entry.quarantined && badge("bad", "not offered", entry.quarantined),
    entry.stale && badge("bad", "out of date", entry.stale),
    entry.healing && badge("warn", "healing", "Something was found elsewhere; a new version is being tried"),
    !entry.verified && entry.successCount === 0 && badge("warn", "not seen to succeed", "It is offered, but never done without asking"),
    entry.vocabulary === "foreign" && badge("accent", "front end", "Its actions belong to another front end and are handed to it"),
  ].filter(Boolean);
}

/** How often it was used, and how many of these succeeded. */
export function uses(entry) {
  const ended = entry.successCount + entry.failureCount;
  if (entry.useCount === 0) return "not used yet";
  return `used ${entry.useCount}×${ended > 0 ? `, ${ofAll(entry.successCount, ended)} succeeded` : ""}`;
}

/** The values that it was recorded with, each by its name; null without any. */
function values({ slots }) {
  const known = slots.filter(({ value }) => value !== null);
  return known.length > 0 && h("dl", { class: "reload-values small", "aria-label": "Recorded with" }, known.map(({ name, value }) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** What it does, by its first actions. */
function does({ begins, actions }) {
  return [...begins.map(actionWords), ...(begins.length < actions ? ["…"] : [])].join(" → ");
}

export function makeEntry(entry) {
  return h(
    "li",
    { class: "reload-entry" },
    h("div", { class: "row between" }, h("a", { class: "reload-label", href: entryPage(entry.cacheId) }, entry.label || entry.cacheId), h("span", { class: "row badges" })),
    !isSaidTwice(entry) && h("p", { class: "small reload-words" }, trigger(entry)),
    values(entry),
    h("p", { class: "small muted reload-does" }, does(entry)),
    h("p", { class: "small muted" }, h("span", { class: "counts number" }), " · ", h("span", { class: "when" })),
  );
}

export function updateEntry(line, entry) {
  fill(line.querySelector(".badges"), badges(entry));
  line.querySelector(".counts").textContent = `${plural(entry.actions, "action")} · ${uses(entry)}`;
  const since = entry.useCount === 0 ? entry.createdAt : entry.lastUsed;
  const time = h("time", { datetime: since, title: moment(since) }, ago(since));
  fill(line.querySelector(".when"), entry.useCount === 0 ? "recorded " : "last used ", time);
}
