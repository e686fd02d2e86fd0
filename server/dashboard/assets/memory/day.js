/** A day of the recording: chosen, drawn, played, told in words, and forgotten in part. */

import { api } from "../shared/api.js";
import { dayPlayer, holding } from "./day_player.js";
import { dayFilm } from "./day_film.js";
import { KINDS, dayStrip, stretches } from "./day_strip.js";
import { byId, fill, h } from "../shared/dom.js";
import { forgetBetween } from "./forget.js";
import { lasting } from "../shared/format.js";
import { every } from "../shared/polling.js";
import { quoted } from "./quoted.js";

const EVERY_MS = 10_000;
const DAYS_MS = 60_000;
const FORGET_MS = 5 * 60_000;
const ROWS = 200;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Show a day in the page's own place, at first the newest of which something can be played.
 * @param {() => void} forgotten called once something has been forgotten
 * @returns {{now: () => void, show: (at: string) => void}} `show` plays a moment, of whichever day
 */
export function dayView(forgotten) {
  const state = { date: "", day: null, known: [], today: "", range: null, wanted: null, asked: 0, knownAt: 0 };
  const picker = /** @type {HTMLInputElement} */ (byId("day"));
  const player = dayPlayer({ moved: (at) => strip.follow(at), missing: (at) => `Nothing can be played at ${time(at)}: ${what(state.day, at)}.` });
  const words = (at) => `${time(at)}, ${what(state.day, at)}`;
  const play = (at) => player.play(at, state.day);
  const film = dayFilm({ words, go: (at) => [strip.move, play].forEach((each) => each(at)) });
  const strip = dayStrip({ play, words, chosen: (from, until) => choose(state, [from, until]), viewed: film.show, peek: film.peek });
  fill(byId("strip"), film.element, strip.element);
  fill(byId("player"), player.element);
  const look = async () => {
    const day = await asked(state);
    if (day === null) return;
    tell(state, day, strip, picker);
    if (state.wanted === null) return;
    const at = state.wanted;
    state.wanted = null;
    strip.move(at);
    strip.near();
    player.play(at, day);
  };
  const polled = every(EVERY_MS, look);
  const go = (date) => {
    if (!date || date === state.date) return;
    player.stop();
    state.date = date;
    choose(state, null);
    look().catch(() => {});
  };
  wire(state, strip, go, () => {
    state.knownAt = 0;
    player.stop();
    polled.now();
    forgotten();
  });
  picker.addEventListener("change", () => go(picker.value));
  return {
    now: polled.now,
    show(at) {
      state.wanted = Date.parse(at);
      player.stop();
      state.date = localDate(state.wanted);
      look().catch(() => {});
      byId("day-title").scrollIntoView({ block: "start" });
      strip.element.firstElementChild.focus({ preventScroll: true });
    },
  };
}

/** The day that is wanted; null if another one is by now. */
async function asked(state) {
  const mine = ++state.asked;
  const query = new URLSearchParams({ zone: ZONE });
  try {
    await known(state);
    if (!state.date) state.date = state.playable ?? state.today;
    query.set("date", state.date);
    const day = await api.get(`/recorder/day?${query}`);
    return mine === state.asked ? day : null;
  } catch (error) {
    if (mine === state.asked) byId("day-said").textContent = error.message;
    throw error;
  }
}

/** The days with anything; asked for now and then only, for they are looked up one by one. */
async function known(state) {
  if (Date.now() - state.knownAt < DAYS_MS) return;
  const { days, today } = await api.get(`/recorder/days?${new URLSearchParams({ zone: ZONE, limit: "100" })}`);
  Object.assign(state, { known: days.map((each) => each.date), playable: days.find((each) => each.playable)?.date, today, knownAt: Date.now() });
}

function wire(state, strip, go, forgotten) {
  byId("day-before").addEventListener("click", () => go(beside(state, -1)));
  byId("day-after").addEventListener("click", () => go(beside(state, 1)));
  byId("day-today").addEventListener("click", () => go(state.today));
  byId("closer").addEventListener("click", () => strip.zoom(4));
  byId("wider").addEventListener("click", () => strip.zoom(1 / 4));
  byId("forget-stretch").addEventListener("click", async () => {
    const until = Math.min(Date.now(), strip.at() + FORGET_MS);
    const [from, to] = state.range ?? [Math.min(strip.at(), until - 1000), until];
    if (!(await forgetBetween(from, to))) return;
    choose(state, null);
    forgotten();
  });
}

function choose(state, range) {
  state.range = range;
  byId("forget-stretch").textContent = range ? `Forget ${time(range[0])} – ${time(range[1])} …` : "Forget a stretch …";
}

/** The next day with anything in that direction; where there is none, the day beside it. */
function beside(state, way) {
  const there = state.known.filter((date) => (way < 0 ? date < state.date : date > state.date)).sort();
  const found = way < 0 ? there.at(-1) : there[0];
  if (found) return found;
  const next = new Date(`${state.date}T12:00:00`);
  next.setDate(next.getDate() + way);
  const date = localDate(next.getTime());
  return date > state.today ? "" : date;
}

function tell(state, day, strip, picker) {
  Object.assign(state, { day, date: day.date });
  picker.max = state.today;
  if (document.activeElement !== picker) picker.value = day.date;
  byId("day-after").disabled = day.date >= state.today;
  byId("day-today").disabled = day.date === state.today;
  strip.show(day);
  const there = new Set([...stretches(day).map((one) => one.kind), day.memories.length > 0 && "memory"]);
  fill(byId("legend"), Object.entries(KINDS).filter(([kind]) => there.has(kind)).map(legend));
  const played = stretches(day).filter((one) => one.kind === "recorded").reduce((sum, one) => sum + one.until - one.from, 0);
  const words = [played > 0 ? `${lasting(played)} can be played` : "Nothing can be played", `${day.memories.length === 1 ? "1 memory" : `${day.memories.length} memories`}`];
  byId("day-said").textContent = `${dayName(day.date)}: ${words.join(", ")}.${played > 0 ? "" : elsewhere(state)}`;
  table(state, day);
}

/** Where to look when there is nothing to play. */
function elsewhere(state) {
  const before = state.known.filter((date) => date < state.date).sort().at(-1);
  if (before) return ` The day before with something in it is ${dayName(before)}.`;
  return state.known.length === 0 ? " Start the recorder, and the day fills up." : "";
}

/** The same in words: for those who do not see the strip, and to be read. */
function table(state, day) {
  const rows = stretches(day).map((one) => [one.from, one.until, KINDS[one.kind].join(": ")]);
  const memories = day.memories.map((memory) => [Date.parse(memory.start), Date.parse(memory.end), ["Memory: ", quoted(memory.summary)]]);
  const all = [...rows, ...memories].sort((one, other) => one[0] - other[0]);
  const text = JSON.stringify([day.date, all.map(([from, until]) => [from, until])]);
  if (state.told === text) return;
  state.told = text;
  const left = all.length - ROWS + day.left_off;
  fill(
    byId("day-rows"),
    all.slice(-ROWS).map(([from, until, words]) => h("tr", {}, h("td", { class: "number" }, stamp(from)), h("td", { class: "number" }, stamp(until)), h("td", {}, words))),
  );
  byId("day-left").textContent = left > 0 && all.length > ROWS ? `The newest ${ROWS} are told.` : "";
}

/** What there is of a moment, in words. */
function what(day, at) {
  if (day === null) return "";
  const here = stretches(day).filter((one) => one.from <= at && at <= one.until);
  const known = here.find((one) => one.kind !== "excluded");
  const black = here.some((one) => one.kind === "excluded") ? ", partly black" : "";
  if (holding(day, at) !== null) return `recorded${black}`;
  return known ? KINDS[known.kind].join(", ").toLowerCase() : "not recorded";
}

function legend([kind, [name, meaning]]) {
  return h("li", {}, h("span", { class: `strip-sample ${kind}`, "aria-hidden": "true" }), h("span", {}, name), h("span", { class: "visually-hidden" }, `: ${meaning}`));
}

function time(at) {
  return new Date(at).toLocaleTimeString(undefined, { timeStyle: "medium" });
}

function stamp(at) {
  return h("time", { datetime: new Date(at).toISOString() }, time(at));
}

function dayName(date) {
  return new Date(`${date}T12:00:00`).toLocaleDateString(undefined, { dateStyle: "full" });
}

function localDate(at) {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 10);
}
