/** The plan of a task as a list: read beside the film, and edited line by line; HEARTBEAT.md is what is written. */

import { api } from "../shared/api.js";
import { fill, h, keyed } from "../shared/dom.js";
import { failure, notice } from "../shared/notice.js";
import { momentButton } from "./task_film.js";

/**
 * @param {{task: string, film: ReturnType<typeof import("./task_film.js").taskFilm>, saved: (task: any) => void}} part
 * @returns {{element: HTMLElement, update: (task: any) => void, dirty: () => boolean}}
 */
export function planList({ task, film, saved }) {
  const state = { task, film, saved, plan: [], version: 0, drafts: null, made: 0 };
  state.list = h("ol", { class: "plan" });
  state.none = h("p", { class: "muted" }, "It has no plan yet: what is to be done is asked when it is run.");
  state.problem = h("p", { class: "problem", role: "alert", hidden: true });
  state.edit = h("button", { class: "button", type: "button", on: { click: () => begin(state) } }, "Edit the plan");
  const add = h("button", { class: "button small", type: "button", on: { click: () => insert(state, state.drafts.length) } }, "Add a step");
  const save = h("button", { class: "button primary", type: "button", on: { click: () => write(state, save) } }, "Save the plan");
  const stop = h("button", { class: "button", type: "button", on: { click: () => leave(state) } }, "Cancel");
  state.bar = h("div", { class: "row", hidden: true }, save, stop, add);
  return {
    element: h("div", { class: "stack" }, state.none, state.list, state.problem, h("div", { class: "row" }, state.edit), state.bar),
    update(latest) {
      state.latest = latest.version.number;
      state.plan = latest.plan;
      if (state.drafts === null) show(state);
    },
    dirty: () => state.drafts !== null && told(state).join("\n") !== state.before,
  };
}

function show(state) {
  const editing = state.drafts !== null;
  state.edit.hidden = editing;
  state.bar.hidden = !editing;
  state.none.hidden = editing || state.plan.length > 0;
  state.edit.textContent = state.plan.length > 0 ? "Edit the plan" : "Write a plan";
  if (editing) return keyed(state.list, state.drafts, (each) => each.key, (each) => draft(state, each), (item, each) => renumber(item, state.drafts.indexOf(each), state.drafts.length));
  fill(state.list, state.plan.map((step) => shown(state.film, step)));
}

function shown(film, step) {
  const { number, text, inferred, t_ms: from, until_ms: until } = step;
  const play = () => film.play(from, until ?? from, text);
  return h(
    "li",
    { class: "plan-step" },
    h("span", { class: "plan-number muted number", "aria-hidden": "true" }, `${number}.`),
    h("span", { class: "grow said" }, text, " ", inferred && h("span", { class: "badge muted", title: "Told from what changed on the screen: no log says what was done." }, "inferred")),
    from !== null && film.has() && momentButton(from, text, play),
  );
}

function begin(state) {
  state.drafts = state.plan.map(({ text }) => ({ key: (state.made += 1), text }));
  state.version = state.latest;
  state.before = state.drafts.map(({ text }) => text).join("\n");
  fill(state.list);
  if (state.drafts.length === 0) return insert(state, 0);
  show(state);
  state.list.querySelector("textarea")?.focus();
}

function draft(state, each) {
  const field = h("textarea", { rows: "1", value: each.text, class: "plan-text" });
  field.addEventListener("input", () => (each.text = field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    // A step is one line: the next one is another step.
    event.preventDefault();
    insert(state, state.drafts.indexOf(each) + 1);
  });
  const button = (sign, what, act) => h("button", { class: "button small", type: "button", dataset: { what }, on: { click: act } }, sign);
  return h(
    "li",
    { class: "plan-step" },
    h("span", { class: "plan-number muted number", "aria-hidden": "true" }),
    field,
    h(
      "span",
      { class: "toolbar plan-buttons" },
      button("↑", "Move up", ({ currentTarget }) => move(state, each, -1, currentTarget)),
      button("↓", "Move down", ({ currentTarget }) => move(state, each, 1, currentTarget)),
      button("×", "Leave out", () => remove(state, each)),
    ),
  );
}

function renumber(item, at, count) {
  const [number, field, buttons] = item.children;
  number.textContent = `${at + 1}.`;
  field.setAttribute("aria-label", `Step ${at + 1}`);
  for (const button of buttons.children) button.setAttribute("aria-label", `${button.dataset.what}: step ${at + 1}`);
  buttons.children[0].disabled = at === 0;
  buttons.children[1].disabled = at === count - 1;
}

function insert(state, at) {
  const each = { key: (state.made += 1), text: "" };
  state.drafts.splice(at, 0, each);
  show(state);
  state.list.querySelector(`[data-key="${each.key}"] textarea`).focus();
}

function move(state, each, way, button) {
  const at = state.drafts.indexOf(each);
  state.drafts.splice(at, 1);
  state.drafts.splice(at + way, 0, each);
  show(state);
  if (button.disabled) button.closest("li").querySelector("textarea").focus();
  else button.focus();
}

function remove(state, each) {
  const at = state.drafts.indexOf(each);
  state.drafts.splice(at, 1);
  show(state);
  (state.list.children[Math.min(at, state.drafts.length - 1)]?.querySelector("textarea") ?? state.bar.lastElementChild).focus();
}

function leave(state) {
  state.drafts = null;
  state.problem.hidden = true;
  show(state);
  state.edit.focus();
}

function told({ drafts }) {
  return drafts.map(({ text }) => text.trim()).filter(Boolean);
}

async function write(state, button) {
  button.disabled = true;
  state.problem.hidden = true;
  try {
    const done = await api.put(api.address("tasks", state.task, "plan"), { steps: told(state), version: state.version });
    leave(state);
    notice(`Written into HEARTBEAT.md: this is version ${done.version.number}.`);
    state.saved(done);
  } catch (error) {
    if (error.code === "offline") failure(error);
    state.problem.hidden = false;
    state.problem.textContent = error.status === 409 ? "HEARTBEAT.md was changed meanwhile. What you wrote stays here: copy what you need, cancel, and edit the plan as it is now." : error.message;
  }
  button.disabled = false;
}
