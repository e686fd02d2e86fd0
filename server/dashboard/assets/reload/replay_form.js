/** Doing an entry of reload again: with other values, without some of its steps. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { plural } from "../shared/format.js";
import { parametersForm } from "../tasks/parameters.js";
import { runForm } from "../tasks/run_form.js";

/**
 * @param {string} id the entry's
 * @returns {{element: HTMLElement, update: (entry: any) => void, skip: (indices: number[], all: boolean) => void}}
 */
export function replayForm(id) {
  const element = h("div", { class: "stack" });
  const fixed = h("div", {});
  const left = h("p", { class: "small muted", "aria-live": "polite" });
  let skipped = [];
  let all = false;
  let entry = null;
  let form = null;
  const subject = () => ({ cache_id: id, ...(skipped.length > 0 ? { skip_indices: skipped } : {}) });
  const show = () => {
    if (entry === null) return;
    if (form === null) {
      form = entry.vocabulary === "desktop" ? runForm(subject) : handOverForm(subject);
      fill(element, fixed, form.element, left);
    }
    fill(fixed, fixedValues(entry));
    const fault = all ? "Every action is left out." : entry.stale;
    left.textContent = fault || (skipped.length > 0 ? `${plural(skipped.length, "action")} left out.` : "");
    form.update({ parameters: parametersOf(entry), fault });
  };
  return {
    element,
    update(now) {
      entry = now;
      show();
    },
    skip(indices, every) {
      skipped = indices;
      all = every;
      show();
    },
  };
}

/** Its slots that may have another value, as a task's or a workflow's parameters are told. */
function parametersOf(entry) {
  const isOwn = entry.vocabulary === "desktop";
  const free = entry.slots.filter((slot) => (slot.kind === "value" && slot.rebinds) || (slot.kind === "secret" && isOwn));
  return free.map(({ name, kind, value }) => ({ name, example: value, sensitive: kind === "secret", optional: kind === "secret" }));
}

function fixedValues(entry) {
  const words = {
    value: (slot) => [h("q", {}, slot.value ?? ""), " – picked on the screen, so always this"],
    read: () => "read from the screen each time",
    secret: () => "filled in by the front end",
  };
  const others = entry.slots.filter((slot) => slot.kind === "read" || (slot.kind === "value" && !slot.rebinds) || (slot.kind === "secret" && entry.vocabulary !== "desktop"));
  if (others.length === 0) return null;
  return h("dl", { class: "facts small" }, others.map((slot) => [h("dt", {}, slot.name), h("dd", {}, (words[slot.kind] ?? words.read)(slot))]));
}

/** For actions that another front end carries out. */
function handOverForm(subject) {
  const values = h("div", {});
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const button = h("button", { class: "button primary", type: "submit" }, "Hand it over");
  const note = h("p", { class: "small muted" }, "Its actions go to the front end that listens on ", h("code", {}, "/events"), " and reports what became of them.");
  const element = h("form", { class: "stack", novalidate: true }, values, note, problem, h("div", { class: "row end run-bar" }, button));
  let form = parametersForm([]);
  let shape = "";
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.missing() !== null) return;
    button.disabled = true;
    problem.hidden = true;
    try {
      const { job_id: job } = await api.post("/replay", { ...subject(), params: form.values() });
      location.assign(api.address("ui", "runs", job));
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      button.disabled = false;
    }
  });
  addEventListener("pageshow", () => (button.disabled = false));
  return {
    element,
    update({ parameters, fault }) {
      const now = JSON.stringify(parameters);
      if (now !== shape) {
        shape = now;
        form = parametersForm(parameters);
        fill(values, parameters.length > 0 ? form.element : h("p", { class: "muted" }, "It takes no other values."));
      }
      button.disabled = fault !== "";
    },
  };
}
