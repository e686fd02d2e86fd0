/** A day as a strip: what can be played, what cannot and why, what was blacked out, and what is remembered. */

import { fill, h } from "../shared/dom.js";

/** So close that two hours fill the strip. */
const CLOSE = 12;
const MINUTE = 60_000;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720];
const LABEL_PIXELS = 58;
const DRAG_PIXELS = 6;
const LEAST_PERCENT = 0.04;

/** What is drawn, what it is called, and what that means; the order of the legend. */
export const KINDS = {
  recorded: ["Recorded", "can be played"],
  excluded: ["Partly black", "something excluded was blacked out"],
  memory: ["Memory", "something done that is remembered"],
  paused: ["Paused", "nobody wanted it recorded"],
  off: ["Off", "the recorder did not run"],
  locked: ["Locked", "the screen was locked or asleep"],
  failed: ["Failed", "it should have been recorded and could not be"],
  expired: ["Given way", "it was recorded, and has given way to newer"],
  forgotten: ["Forgotten", "you had it removed"],
  unknown: ["Unknown", "there is no record of it"],
};

/**
 * A strip that one points into, or moves along with the keys.
 * @param {{play: (at: number) => void, chosen: (from: number, until: number) => void, words: (at: number) => string,
 *     viewed: (day: any, from: number, until: number, width: number) => void, peek: (day: any, at: number|null, share?: number) => void}} wishes
 *     what to do with a moment and with a stretch, how a moment is told, and who is told what is in sight and pointed at
 *     `follow` is `move` without a word: a screen reader would never be silent while something plays
 * @returns {{element: HTMLElement, show: (day: any) => void, move: (at: number) => void, follow: (at: number) => void, zoom: (times: number) => void, near: () => void, at: () => number}}
 */
export function dayStrip({ play, chosen, words, viewed, peek }) {
  const { tracks, hand, choice, axis, inner, element } = furniture();
  const state = { day: null, start: 0, end: 1, at: 0, zoom: 1, moved: false, sought: false };

  const part = (at) => (100 * (at - state.start)) / (state.end - state.start);
  const point = (at) => {
    state.at = held(at, state);
    hand.style.setProperty("left", `${part(state.at)}%`);
  };
  // Whoever looks for another moment with the keys is not carried along by what plays.
  const follow = (at) => !state.sought && (point(at), (state.moved = true));
  const put = (at) => {
    point(at);
    inner.setAttribute("aria-valuenow", String(Math.round((state.at - state.start) / 1000)));
    inner.setAttribute("aria-valuetext", words(state.at));
  };
  const show = (day) => {
    const other = day.date !== state.day?.date;
    Object.assign(state, { day, start: Date.parse(day.start), end: Date.parse(day.end), moved: state.moved && !other });
    inner.setAttribute("aria-valuemax", String(Math.round((state.end - state.start) / 1000)));
    fill(tracks, stretches(day).map((one) => bar(one, part)), day.memories.map((memory) => mark(memory, part)), rest(day, part));
    choice.hidden ||= other;
    widen(inner, state, other ? fitting(day, state) : state.zoom);
    // Until somebody points elsewhere, the newest is what one wants to see.
    put(state.moved ? state.at : lastPlayable(day));
    label();
    if (!state.moved) reveal();
    sight();
  };
  const label = () => state.day && fill(axis, labels(state, inner.clientWidth).map((at) => hour(at, part(at))));
  const sight = () => state.day && inSight(element, inner, state, viewed);
  const reveal = () => scrolled(element, (inner.clientWidth * part(state.at)) / 100);
  const move = (at, sought = false) => {
    Object.assign(state, { moved: true, sought });
    put(at);
    reveal();
  };
  const zoom = (times) => {
    widen(inner, state, state.zoom * times);
    label();
    scrolled(element, (inner.clientWidth * part(state.at)) / 100, true);
    sight();
  };
  new ResizeObserver(() => state.day && [label, reveal, sight].forEach((each) => each())).observe(element);
  pointed(element, inner, state, { sight, peek });
  keys(inner, state, move, play);
  pointer(inner, state, { move, play, chosen, choice, part });
  return { element, show, move, follow, zoom, near: () => zoom(Math.max(1, CLOSE / state.zoom)), at: () => state.at };
}

/** Tell which part of the day is in sight. */
function inSight({ scrollLeft, clientWidth }, { clientWidth: whole }, state, viewed) {
  const at = (pixels) => state.start + ((state.end - state.start) * pixels) / Math.max(1, whole);
  viewed(state.day, at(scrollLeft), at(Math.min(whole, scrollLeft + clientWidth)), clientWidth);
}

/** A moment of the day that has come already. */
function held(at, { start, day }) {
  return Math.min(Math.max(at, start), Math.max(start, Date.parse(day.known_until)));
}

/** Tell when something else comes in sight, and at which moment a mouse points. */
function pointed(element, inner, state, { sight, peek }) {
  element.addEventListener("scroll", sight, { passive: true });
  inner.addEventListener("pointermove", (event) => {
    if (state.day === null || event.pointerType !== "mouse" || event.buttons !== 0) return peek(state.day, null);
    const { left, width } = inner.getBoundingClientRect();
    const seen = element.getBoundingClientRect();
    peek(state.day, state.start + ((event.clientX - left) / width) * (state.end - state.start), (event.clientX - seen.left) / seen.width);
  });
  inner.addEventListener("pointerleave", () => peek(state.day, null));
}

function widen(inner, state, times) {
  state.zoom = Math.min(64, Math.max(1, times));
  inner.style.setProperty("width", `${100 * state.zoom}%`);
}

/** How close a day is seen so that what there is of it fills the strip. */
function fitting(day, { start, end }) {
  const moments = [...day.segments, ...day.memories].flatMap((one) => [Date.parse(one.start), Date.parse(one.end)]);
  if (moments.length === 0) return 1;
  const length = Math.max(...moments) - Math.min(...moments) + 30 * MINUTE;
  return Math.max(1, (end - start) / length);
}

function furniture() {
  const tracks = h("div", { class: "strip-tracks", "aria-hidden": "true" });
  const hand = h("div", { class: "strip-hand" });
  const choice = h("div", { class: "strip-choice", hidden: true });
  const axis = h("div", { class: "strip-axis", "aria-hidden": "true" });
  const named = { "aria-label": "Moment of the day", "aria-describedby": "strip-keys", "aria-valuemin": "0", "aria-valuenow": "0" };
  const inner = h("div", { class: "strip", role: "slider", tabindex: "0", ...named }, tracks, choice, hand, axis);
  return { tracks, hand, choice, axis, inner, element: h("div", { class: "strip-scroll" }, inner) };
}

/** Have a place of the strip in sight, or in the middle. */
function scrolled(element, place, centred = false) {
  const { scrollLeft, clientWidth } = element;
  if (centred || place < scrollLeft || place > scrollLeft + clientWidth) element.scrollLeft = place - clientWidth / 2;
}

/** All stretches of a day, by their beginning: of what kind each is, from when until when. */
export function stretches(day) {
  const [start, end] = [Date.parse(day.start), Date.parse(day.known_until)];
  const found = [
    ...joined(day.segments).map((one) => ({ kind: "recorded", ...one })),
    ...day.gaps.map((gap) => ({ kind: gap.reason in KINDS ? gap.reason : "unknown", from: Date.parse(gap.start), until: Date.parse(gap.end) })),
    ...day.excluded.map((one) => ({ kind: "excluded", from: Date.parse(one.start), until: Date.parse(one.end) })),
  ];
  return found
    .map((one) => ({ ...one, from: Math.max(one.from, start), until: Math.min(one.until, end) }))
    .filter((one) => one.from < one.until)
    .sort((one, other) => one.from - other.from);
}

/** Where the newest picture of a day is that can be played; else where the day begins. */
function lastPlayable(day) {
  const last = day.segments.filter((segment) => segment.playable).at(-1);
  return last ? Math.max(Date.parse(last.start), Date.parse(last.end) - MINUTE) : Date.parse(day.start);
}

/** Segments that follow each other are one bar. */
function joined(segments) {
  const found = [];
  for (const segment of segments) {
    const [from, until] = [Date.parse(segment.start), Date.parse(segment.end)];
    if (found.length > 0 && from - found.at(-1).until < 5000) found.at(-1).until = until;
    else found.push({ from, until });
  }
  return found;
}

function bar({ kind, from, until }, part) {
  const element = h("div", { class: `strip-bar ${kind}` });
  element.style.setProperty("left", `${part(from)}%`);
  element.style.setProperty("width", `${Math.max(LEAST_PERCENT, part(until) - part(from))}%`);
  return element;
}

function mark(memory, part) {
  const element = h("div", { class: "strip-mark", title: memory.summary });
  element.style.setProperty("left", `${part(Date.parse(memory.start))}%`);
  return element;
}

/** What has not happened yet. */
function rest(day, part) {
  const element = h("div", { class: "strip-bar future" });
  element.style.setProperty("left", `${part(Date.parse(day.known_until))}%`);
  element.style.setProperty("right", "0");
  return element;
}

function labels({ start, end }, pixels) {
  const most = Math.max(1, Math.floor(pixels / LABEL_PIXELS));
  const step = (STEPS.find((minutes) => (end - start) / (minutes * MINUTE) <= most) ?? 720) * MINUTE;
  const found = [];
  for (let at = start; at < end; at += step) found.push(at);
  return found;
}

function hour(at, percent) {
  const element = h("span", {}, new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" }));
  element.style.setProperty("left", `${percent}%`);
  return element;
}

function keys(inner, state, move, play) {
  const steps = { ArrowLeft: -MINUTE, ArrowDown: -MINUTE, ArrowRight: MINUTE, ArrowUp: MINUTE, PageDown: -60 * MINUTE, PageUp: 60 * MINUTE };
  inner.addEventListener("keydown", (event) => {
    if (state.day === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) move(state.at + steps[event.key] / (event.shiftKey ? 12 : 1), true);
    else if (event.key === "Home") move(state.start, true);
    else if (event.key === "End") move(state.end, true);
    else if (event.key === "Enter" || event.key === " ") {
      move(state.at);
      play(state.at);
    } else return;
    event.preventDefault();
  });
}

function pointer(inner, state, { move, play, chosen, choice, part }) {
  let began = null;
  const moment = (event) => {
    const { left, width } = inner.getBoundingClientRect();
    return state.start + ((event.clientX - left) / width) * (state.end - state.start);
  };
  const span = (event) => [began.at, moment(event)].sort((one, other) => one - other);
  inner.addEventListener("pointerdown", (event) => {
    // A finger that moves scrolls the strip.
    if (state.day === null || event.button !== 0) return;
    began = { x: event.clientX, at: moment(event), far: false };
    if (event.pointerType === "mouse") inner.setPointerCapture(event.pointerId);
  });
  inner.addEventListener("pointermove", (event) => {
    if (began === null || event.pointerType !== "mouse") return;
    began.far ||= Math.abs(event.clientX - began.x) > DRAG_PIXELS;
    if (!began.far) return;
    const [from, until] = span(event);
    choice.hidden = false;
    choice.style.setProperty("left", `${part(from)}%`);
    choice.style.setProperty("width", `${part(until) - part(from)}%`);
  });
  inner.addEventListener("pointerup", (event) => {
    if (began === null) return;
    const [from, until] = span(event);
    const { far } = began;
    began = null;
    if (far) return chosen(from, until);
    choice.hidden = true;
    move(from);
    play(from);
  });
  inner.addEventListener("pointercancel", () => (began = null));
}
