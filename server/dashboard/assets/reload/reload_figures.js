/** What reload was good for, in figures and small charts. */

import { h, svg } from "../shared/dom.js";
import { bytes, lasting, ofAll, plural } from "../shared/format.js";

const SHOWN = 6;
const USES = [["succeeded", "good"], ["failed", "bad"], ["interrupted", "warn"], ["open", "accent"]];

/** The tiles of the answer of `GET /reload/stats`. @returns {HTMLElement[]} */
export function figures(told) {
  const hits = sum(told.hits);
  const asked = hits + sum(told.misses);
  const used = sum(told.uses);
  const ended = (told.uses.succeeded ?? 0) + (told.uses.failed ?? 0);
  const uses = USES.map(([name, mood]) => ({ name, mood, count: told.uses[name] ?? 0 })).filter(({ count }) => count > 0);
  return [
    tile("Kept", told.entries.toLocaleString(), [bytes(told.bytes), told.quarantined > 0 && `${told.quarantined} not offered`, told.set_aside > 0 && `${told.set_aside} unreadable`]),
    tile(
      "Requests that led to a replay",
      asked === 0 ? "–" : ofAll(hits, asked),
      [asked === 0 ? "Nothing was asked yet" : "However the replay ended"],
      asked > 0 && stacked("Requests", [{ name: "led to a replay", mood: "accent", count: hits }, { name: "did not", mood: "none", count: asked - hits }]),
    ),
    tile("Time saved", told.saved_ms > 0 ? lasting(told.saved_ms) : "–", [told.saved_calls > 0 ? `and ${plural(told.saved_calls, "model call")}` : "No model call yet"]),
    tile(
      "Replays that succeeded",
      ended === 0 ? "–" : ofAll(told.uses.succeeded, ended),
      [uses.filter(({ name }) => name !== "succeeded").map(({ name, count }) => `${count.toLocaleString()} ${name}`).join(" · ") || (ended === 0 ? "None yet" : "None failed")],
      used > 0 && stacked("Replays", uses),
    ),
  ];
}

/** Why there was no offer, the most frequent reason first. */
export function reasons(told) {
  const refused = Object.entries(told.refusals);
  const missed = Object.entries(told.misses).filter(([reason]) => reason !== "refused").map(([reason, count]) => [capital(reason), count]);
  const all = [...refused, ...missed].sort(([, one], [, other]) => other - one);
  if (all.length === 0) return h("p", { class: "muted" }, "Nothing was refused yet. Where a request is alike but not the same, its reason is counted here.");
  const most = all[0][1];
  const rows = all.map(([reason, count]) => bar(reason, count, most));
  return [
    h("ul", { class: "list bars" }, rows.slice(0, SHOWN)),
    rows.length > SHOWN && h("details", {}, h("summary", { class: "small" }, `${rows.length - SHOWN} rarer reasons`), h("ul", { class: "list bars" }, rows.slice(SHOWN))),
  ];
}

function tile(name, value, notes, chart = null) {
  return h(
    "div",
    { class: "panel figure" },
    h("h3", { class: "figure-name" }, name),
    h("p", { class: "figure-value number" }, value),
    chart,
    h("p", { class: "muted small" }, notes.filter(Boolean).join(" · ")),
  );
}

function stacked(name, parts) {
  const total = sum(Object.fromEntries(parts.map((part) => [part.name, part.count])));
  let at = 0;
  const boxes = parts.map(({ mood, count }) => {
    const box = svg("rect", { class: `part ${mood}`, x: at, y: 0, width: (100 * count) / total, height: 8 });
    at += (100 * count) / total;
    return box;
  });
  const words = parts.map((part) => `${part.count} ${part.name}`).join(", ");
  return svg("svg", { class: "chart", viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": `${name}: ${words}` }, boxes);
}

function bar(reason, count, most) {
  const line = svg("rect", { class: "part warn", x: 0, y: 0, width: Math.max(1, (100 * count) / most), height: 4 });
  return h(
    "li",
    {},
    h("div", { class: "row between" }, h("span", { class: "grow" }, reason), h("strong", { class: "number" }, count.toLocaleString())),
    svg("svg", { class: "chart thin", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, line),
  );
}

function capital(text) {
  return text === "" ? text : `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function sum(counts) {
  return Object.values(counts ?? {}).reduce((total, count) => total + count, 0);
}
