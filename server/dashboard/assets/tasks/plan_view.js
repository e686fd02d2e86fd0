/** What a workflow does, for people: its parts, and how each was done when it was shown. */

import { h } from "../shared/dom.js";

const ACTIONS = {
  CLICK: "Click", DOUBLE_CLICK: "Double-click", RIGHT_CLICK: "Right-click", MIDDLE_CLICK: "Middle-click", TYPE: "Type",
  KEYPRESS: "Press", SCROLL: "Scroll", DRAG: "Drag", EXTRACT: "Read", OPEN_APP: "Open", OPEN_URL: "Go to",
};

/** @param {{workflow: any, notes: string[]}} answer @returns {HTMLElement} */
export function planView({ workflow, notes }) {
  return h(
    "div",
    { class: "stack" },
    notes.length > 0 && h(
      "div",
      { class: "panel ask stack tight" },
      h("p", { class: "label" }, "What in its file has no effect"),
      h("ul", { class: "faults" }, notes.map((each) => h("li", {}, each))),
    ),
    workflow.detailed_task_description && h("p", { class: "said" }, workflow.detailed_task_description),
    h("ol", { class: "subtasks" }, workflow.plan.subtasks.map(subtask)),
    workflow.success_criteria && h("div", {}, h("h3", {}, "It has succeeded when"), h("p", { class: "said" }, workflow.success_criteria)),
  );
}

function subtask({ text, steps, dependencies }) {
  return h(
    "li",
    {},
    h("p", { class: "said" }, text),
    dependencies.length > 0 && h("p", { class: "muted small" }, `After ${dependencies.join(", ")}`),
    steps.length > 0 && h("details", { open: steps.length <= 12 }, h("summary", {}, "Step by step"), h("ol", { class: "steps" }, steps.map(step))),
  );
}

function step(each) {
  const value = each.action_value !== null && each.action_value !== "" && h("code", { class: "said" }, each.action_value);
  const where = each.target.primary && h("span", {}, value ? " – " : "", each.target.primary);
  return h(
    "li",
    { class: "step" },
    h(
      "p",
      {},
      h("span", { class: "badge accent" }, ACTIONS[each.action_type] ?? each.action_type),
      " ",
      value,
      where,
      each.variable_name && [" as ", h("code", {}, each.variable_name)],
    ),
    each.intent && h("p", { class: "muted small said" }, each.intent),
    each.post_action.length > 0 && h("p", { class: "muted small said" }, `Then: ${each.post_action.join("; ")}`),
  );
}
