/** The steps of a run as they happen: why, what, and what came of it. */

import { api } from "../shared/api.js";
import { fill, h, keyed } from "../shared/dom.js";

const OUTCOMES = {
  confirmed: ["good", "✓", "The screen reacted"],
  no_visible_effect: ["warn", "○", "No visible effect"],
  failed: ["bad", "✗", "Failed"],
  refused: ["bad", "⊘", "Refused"],
};
const VERDICTS = { pass: ["good", "seen"], fail: ["bad", "not seen"], unclear: ["warn", "unclear"] };

/**
 * @param {HTMLElement} place
 * @param {string} job its id
 * @param {(name: string) => void} open shows a screenshot large
 */
export function stepList(place, job, open) {
  const list = h("ol", { class: "run-subtasks" });
  const dropped = h("p", { class: "muted small", hidden: true });
  const context = { job, open, pictures: new Set() };
  return {
    /** @param {any} tale @param {Set<string>} pictures the screenshots that there are @param {string} nothing said when there are no steps */
    show(tale, pictures, nothing) {
      context.pictures = pictures;
      if (tale.subtasks.length === 0) return fill(place, h("p", { class: "panel muted" }, nothing));
      if (!list.isConnected) fill(place, dropped, list);
      dropped.hidden = tale.dropped === 0;
      dropped.textContent = `${tale.dropped} earlier steps are left out here; the report has them all.`;
      keyed(list, tale.subtasks, (each) => each.key, makeSubtask, (item, each) => updateSubtask(item, each, tale, context));
    },
    /** Bring a step into view, and point at it. @param {string} key */
    reveal(key) {
      const step = list.querySelector(`[data-key="${CSS.escape(key)}"]`);
      step?.scrollIntoView({ block: "center" });
      step?.setAttribute("tabindex", "-1");
      step?.focus();
    },
    /** Bring the newest step into view. */
    follow() {
      const newest = list.querySelector(":scope > li:last-child .run-step:last-child");
      if (newest) place.scrollTop = place.scrollHeight;
    },
  };
}

function makeSubtask() {
  return h("li", { class: "run-subtask" }, h("p", { class: "run-subtask-text" }), h("ol", { class: "run-steps" }), h("div", { class: "run-check" }));
}

function updateSubtask(item, subtask, tale, context) {
  const [text, steps, check] = item.children;
  const number = subtask.index >= 0 ? `${subtask.index + 1} of ${tale.total}: ` : "";
  text.textContent = `${number}${subtask.text}`;
  text.hidden = subtask.text === "";
  item.classList.toggle("done", subtask.done && !subtask.failed);
  item.classList.toggle("failed", subtask.failed);
  keyed(steps, subtask.steps, (each) => each.key, (step) => makeStep(step, context), (element, step) => updateStep(element, step, context));
  fill(check, subtask.check && checked(subtask.check), subtask.done && subtask.result && h("p", { class: "muted small" }, subtask.result));
}

/** What was expected, and what is seen of it. */
export function checked(check) {
  const [mood, said] = VERDICTS[check.verdict] ?? ["muted", check.verdict];
  return h(
    "div",
    { class: "run-checked" },
    h("p", {}, h("span", { class: `badge ${mood}` }, said), " ", check.expected),
    h("p", { class: "muted small" }, check.evidence),
  );
}

function makeStep(step, context) {
  if (step.kind === "note") return h("li", { class: "run-note muted" }, step.words);
  return h(
    "li",
    { class: "run-step" },
    h("div", { class: "run-thumb" }),
    h(
      "div",
      { class: "grow" },
      step.why && h("p", { class: "run-why" }, step.why),
      h("p", { class: "run-words" }, step.words),
      step.value && h("p", {}, h("span", { class: "muted" }, `${step.value.name} = `), h("span", { class: "mono" }, step.value.value)),
      h("p", { class: "run-outcome small" }),
    ),
  );
}

function updateStep(element, step, context) {
  if (step.kind === "note") return;
  const thumb = element.querySelector(".run-thumb");
  if (thumb.childElementCount === 0 && context.pictures.has(step.picture)) {
    const source = `${api.address("jobs", context.job, "screenshots", step.picture)}?width=160`;
    const image = h("img", { class: "picture", src: source, alt: "", loading: "lazy", decoding: "async", width: 80, height: 45 });
    fill(thumb, h("button", { type: "button", class: "run-thumb-button", "aria-label": `Screen before: ${step.words}`, on: { click: () => context.open(step.picture) } }, image));
  }
  const told = `${step.outcome} ${step.evidence} ${step.problem}`;
  if (element.dataset.told === told) return;
  element.dataset.told = told;
  fill(element.querySelector(".run-outcome"), result(step));
}

function result(step) {
  if (step.problem) return h("span", { class: "problem" }, `✗ ${step.problem}`);
  if (!step.outcome) return h("span", { class: "muted" }, "…");
  const [mood, sign, said] = OUTCOMES[step.outcome] ?? ["muted", "·", step.outcome];
  return [h("span", { class: `run-sign ${mood}`, "aria-hidden": "true" }, sign), h("span", { class: "muted" }, ` ${step.evidence || said}`)];
}
