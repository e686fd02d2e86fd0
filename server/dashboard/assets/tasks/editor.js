/** HEARTBEAT.md: read, edited, saved; an edit on disk is noticed and never overwritten. */

import { api } from "../shared/api.js";
import { conflictView } from "./conflict.js";
import { fill, h } from "../shared/dom.js";
import { markdown } from "../shared/markdown.js";
import { failure, notice } from "../shared/notice.js";
import { linesOf, withLineEnds } from "./line_ends.js";

const MOST = 200_000;

/**
 * @param {{task: string, saved: (task: any) => void}} part
 * @returns {{element: HTMLElement, update: (task: any) => void, dirty: () => boolean}}
 */
export function editor({ task, saved }) {
  const state = { task, saved, latest: null, base: null, editing: false };
  const view = (state.view = h("div", { class: "prose heartbeat" }));
  const area = (state.area = h("textarea", { class: "mono heartbeat-text", rows: "24", spellcheck: "false", "aria-label": "The text of HEARTBEAT.md" }));
  state.state = h("p", { class: "muted small", role: "status" });
  state.trouble = h("div", {});
  state.edit = h("button", { class: "button", type: "button", on: { click: () => begin(state) } }, "Edit");
  state.save = h("button", { class: "button primary", type: "button", on: { click: () => save(state) } }, "Save");
  state.stop = h("button", { class: "button", type: "button", on: { click: () => leave(state) } }, "Cancel");
  state.bar = h("div", { class: "row" }, state.save, state.stop, h("span", { class: "hint" }, h("kbd", {}, "Ctrl"), " ", h("kbd", {}, "S"), " saves"));
  area.addEventListener("input", () => told(state));
  addEventListener("keydown", (event) => {
    if (!state.editing || event.key?.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save(state);
  });
  show(state);
  return {
    element: h("div", { class: "stack" }, h("div", { class: "row between" }, state.edit, state.state), state.trouble, view, area, state.bar),
    update: (latest) => receive(state, latest),
    dirty: () => isDirty(state),
  };
}

function isDirty({ editing, area, base }) {
  return editing && area.value !== asShown(base.text);
}

function render(state, text) {
  const shown = text.replace(/^\ufeff/, "");
  const rest = shown.length > MOST ? h("p", { class: "muted" }, "The rest is not shown here; editing shows all of it.") : null;
  fill(state.view, markdown(shown.slice(0, MOST), { under: 2 }), rest);
}

/** What a field makes of a text: it knows one end of a line. */
function asShown(text) {
  return linesOf(text).join("\n");
}

function receive(state, latest) {
  const before = state.latest;
  state.latest = latest;
  if (before?.version.number === latest.version.number) return;
  render(state, latest.text);
  if (!state.editing) {
    if (before && latest.version.by === "hand") notice(`HEARTBEAT.md was changed by hand: this is version ${latest.version.number}.`);
    return told(state);
  }
  if (isDirty(state)) return differs(state);
  // Nothing of one's own is lost: the field still said what was on disk.
  adopt(state, latest);
  notice(`HEARTBEAT.md was changed meanwhile: you are editing version ${latest.version.number} now.`);
}

function begin(state) {
  state.editing = true;
  adopt(state, state.latest);
  show(state);
  state.area.focus();
  state.area.setSelectionRange(0, 0);
}

function leave(state) {
  const kept = isDirty(state) ? state.area.value : "";
  const base = state.base;
  state.editing = false;
  fill(state.trouble);
  show(state);
  state.edit.focus();
  if (kept) bringBack(state, kept, base, "Your changes are not saved.");
}

/** Offer a text that was given up for as long as the page is open. */
function bringBack(state, text, base, said) {
  const back = h("button", { class: "button small", type: "button" }, "Get my text back");
  const place = h("div", { class: "panel row between" }, h("p", {}, said), back);
  back.addEventListener("click", () => {
    state.editing = true;
    state.base = base;
    state.area.value = text;
    fill(state.trouble);
    show(state);
    state.area.focus();
    if (state.latest.version.number !== base.version.number) differs(state);
  });
  fill(state.trouble, place);
}

/** Edit what is on disk from here on. */
function adopt(state, latest) {
  state.base = latest;
  state.area.value = asShown(latest.text);
  told(state);
}

async function save(state) {
  if (!state.editing || state.save.disabled) return;
  if (!isDirty(state)) return say(state, "Nothing has changed.");
  const typed = state.area.value;
  state.save.disabled = true;
  say(state, "Saving …");
  try {
    const done = await api.put(api.address("tasks", state.task), { text: withLineEnds(typed, state.base.text), version: state.base.version.number });
    kept(state, done, typed);
  } catch (error) {
    say(state, "Not saved.");
    if (error.status === 409) await conflict(state);
    else failure(error);
  }
  state.save.disabled = false;
}

function kept(state, done, typed) {
  state.latest = done;
  state.base = done;
  render(state, done.text);
  fill(state.trouble);
  // What was typed while it was being saved is the next change.
  state.editing = state.area.value !== typed;
  show(state);
  notice(`Saved as version ${done.version.number}.`);
  if (!state.editing) state.edit.focus();
  state.saved(done);
}

async function conflict(state) {
  try {
    state.latest = await api.get(api.address("tasks", state.task));
    await differs(state);
    state.trouble.firstElementChild?.focus();
  } catch (error) {
    failure(error);
  }
}

/** The file is another one than the edit began from: say what was changed, and let it be chosen which of both is kept. */
async function differs(state) {
  const { base, latest } = state;
  try {
    const { diff } = await api.get(`${api.address("tasks", state.task, "versions", latest.version.number)}?against=${base.version.number}`);
    if (!isDirty(state) || state.base !== base || state.latest.version.number !== latest.version.number) return;
    fill(state.trouble, conflictView({ theirs: latest.version, diff, overwrite: () => overwrite(state, latest), reload: () => reload(state) }));
  } catch (error) {
    failure(error);
  }
}

/** Save over a version that was seen; one that is newer still is refused, and shown. */
function overwrite(state, theirs) {
  state.base = theirs;
  fill(state.trouble);
  save(state);
}

function reload(state) {
  const { base, latest } = state;
  const mine = state.area.value;
  adopt(state, latest);
  bringBack(state, mine, base, `You are editing version ${latest.version.number} now.`);
}

function show(state) {
  state.view.hidden = state.editing;
  state.area.hidden = !state.editing;
  state.bar.hidden = !state.editing;
  state.edit.hidden = state.editing;
  if (state.latest) told(state);
}

function told(state) {
  const version = (state.editing ? state.base : state.latest).version.number;
  say(state, isDirty(state) ? "Unsaved changes" : `Version ${version}`);
}

function say(state, text) {
  state.state.textContent = text;
}
