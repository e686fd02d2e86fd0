/** What was done, asked for as one types; the question is part of the address. */

import { api } from "../shared/api.js";
import { byId, fill, h, keyed } from "../shared/dom.js";
import { memoryCard, recalled } from "./memory_card.js";
import { plural } from "../shared/format.js";

const SETTLED_MS = 250;
const MOST = 8;
const EXAMPLES = 3;

/**
 * Search with the page's own field.
 * @param {{refines: () => boolean, forgotten: (id: string) => void, show: (at: string) => void, empty: () => boolean}} wishes
 *     as of a card; `empty`: nothing at all is remembered
 * @returns {{again: () => void, offer: (memories: any[]) => void}} `again`: ask the same once more, for something was forgotten
 */
export function search(wishes) {
  const field = /** @type {HTMLInputElement} */ (byId("question"));
  const place = byId("answers");
  const said = byId("answered");
  let timer = 0;
  let asked = null;
  const look = async (quietly) => {
    clearTimeout(timer);
    asked?.abort();
    const question = field.value.trim();
    keep(question);
    if (!question) {
      said.textContent = "";
      return fill(place);
    }
    const mine = (asked = new AbortController());
    if (!quietly) said.textContent = "Looking …";
    if (place.childElementCount === 0) fill(place, h("p", { class: "muted", "aria-hidden": "true" }, "Looking …"));
    const query = new URLSearchParams({ q: question, limit: String(MOST) });
    try {
      const answer = await api.get(`/memory?${query}`, { signal: mine.signal });
      if (asked === mine) tell(place, said, answer, wishes, question);
    } catch (error) {
      // An answer to what was typed before it is not told.
      if (asked !== mine || error.name === "AbortError") return;
      said.textContent = "";
      fill(place, h("p", { class: "problem", role: "alert" }, error.message));
    }
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(look, SETTLED_MS);
  };
  field.addEventListener("input", later);
  field.form?.addEventListener("submit", (event) => {
    event.preventDefault();
    look(false);
  });
  addEventListener("popstate", () => {
    field.value = "";
    restore(field, look);
  });
  restore(field, look);
  return {
    again: () => field.value.trim() && look(true),
    /** Offer questions that have an answer here. @param {{summary: string, started_at: string}[]} memories */
    offer: (memories) => fill(byId("examples"), questions(memories).map((text) => example(text, field, look))),
  };
}

/** About what was done, in its own words, and about the day of it; each once. */
function questions(memories) {
  const own = memories.filter((each) => each.source === "recorder");
  const things = own.flatMap(({ summary }) => /"([^"]{3,40})"/.exec(summary)?.[1] ?? []).map((said) => `what did I do with "${said}"`);
  // The daemon reads English dates.
  const days = own.map(({ started_at: at }) => `what did I do on ${new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" })}`);
  return [...new Set(days.slice(0, 1).concat(things))].slice(0, EXAMPLES);
}

function example(text, field, look) {
  const take = () => {
    field.value = text;
    field.focus();
    look(false);
  };
  return h("button", { class: "link example", type: "button", on: { click: take } }, text);
}

/** Ask what the address asks, unless somebody has begun to type already. */
function restore(field, look) {
  field.value ||= new URLSearchParams(location.search).get("q") ?? "";
  look(false);
}

function keep(question) {
  const address = new URL(location.href);
  if (question) address.searchParams.set("q", question);
  else address.searchParams.delete("q");
  if (address.href !== location.href) history.replaceState(null, "", address);
}

function tell(place, said, answer, wishes, question) {
  const { results, message } = answer;
  said.textContent = results.length > 0 ? plural(results.length, "answer") : "Nothing was found.";
  if (results.length === 0) return fill(place, nothing(message, wishes.empty()));
  if (place.dataset.question !== question || !place.querySelector(".answers")) {
    place.dataset.question = question;
    fill(place, h("p", { class: "muted told-too", hidden: true }), h("div", { class: "stack answers" }));
  }
  const more = place.querySelector(".told-too");
  more.textContent = message ?? "";
  more.hidden = !message;
  const make = (found) => memoryCard(recalled(found), { ...wishes, open: true });
  keyed(place.querySelector(".answers"), results, (found) => found.id, make);
}

function nothing(message, empty) {
  const hint = empty
    ? "Nothing is remembered yet: start the recorder below, do something, and ask again a few seconds later."
    : "Ask with words that stood on the screen, name a time, or look through the day below.";
  return h("div", { class: "panel empty" }, h("p", {}, message ?? "Nothing was found."), h("p", {}, hint));
}
