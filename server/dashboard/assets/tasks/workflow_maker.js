/** A workflow made of a task: its name is asked for, and an older one of that name only replaced when that is said. */

import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { h } from "../shared/dom.js";
import { failure } from "../shared/notice.js";

/** @param {string} task its id */
export async function workflowMaker(task) {
  const name = h("input", { id: "workflow-name", type: "text", value: task, maxlength: "100", autocomplete: "off" });
  const sure = await ask({
    title: "Make a workflow of it?",
    text: "A workflow is replayed step by step and can be handed on. Each line of the plan must be understood; the task stays as it is.",
    action: "Make it",
    content: h("div", { class: "field" }, h("label", { class: "label", for: "workflow-name" }, "Name"), name),
  });
  if (sure) await make(task, name.value.trim() || task, false);
}

async function make(task, name, force) {
  try {
    const made = await api.post(api.address("tasks", task, "workflow"), { name, force });
    location.assign(api.address("ui", "workflows", made.name));
  } catch (error) {
    if (error.status !== 409 || force) return failure(error);
    if (await replaces(name)) await make(task, name, true);
  }
}

/** Whether an older workflow may go. @param {string} name */
export function replaces(name) {
  return ask({
    title: `Replace the workflow ${name}?`,
    text: "There is one of that name already. It is kept as a backup beside the new one.",
    action: "Replace",
    dangerous: true,
  });
}
