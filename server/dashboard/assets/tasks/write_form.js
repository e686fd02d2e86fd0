/** A task that is written, not shown: a title and a step a line, or a whole HEARTBEAT.md. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";

const EXAMPLE = [
  'Open "http://localhost:8000/report.html" in the browser.',
  'Type "Ada" into the "Recipient" field.',
  'Click the "Send" button.',
].join("\n");

/** @returns {{element: HTMLElement}} */
export function writeForm() {
  const named = { placeholder: "Send the weekly report", "aria-describedby": "write-problem" };
  const title = h("input", { id: "write-name", type: "text", maxlength: "200", autocomplete: "off", ...named });
  const steps = h("textarea", { id: "write-steps", rows: "5", "aria-describedby": "write-hint", placeholder: EXAMPLE });
  const success = h("input", { id: "write-success", type: "text", autocomplete: "off", placeholder: '"Report sent" is shown.' });
  const problem = h("p", { id: "write-problem", class: "problem", role: "alert", hidden: true });
  const button = h("button", { class: "button primary", type: "submit" }, "Write it");
  const element = h(
    "form",
    { class: "stack", "aria-label": "Write a task", novalidate: true },
    h("div", { class: "field" }, h("label", { class: "label", for: "write-name" }, "What it is called"), title),
    h(
      "div",
      { class: "field" },
      h("label", { class: "label", for: "write-steps" }, "What is to be done, a step a line"),
      steps,
      h("span", { id: "write-hint", class: "hint" }, "May be left blank, and written later. What is typed in quotes may be another value at each run."),
    ),
    h("div", { class: "field" }, h("label", { class: "label", for: "write-success" }, "What shows that it is done"), success),
    problem,
    h("div", {}, button),
  );
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    button.disabled = true;
    try {
      const made = await api.post("/tasks", { text: written(title.value, steps.value, success.value) });
      location.assign(api.address("ui", "tasks", made.id));
    } catch (error) {
      problem.textContent = error.code === "invalid_request" && title.value.trim() === "" ? "Say in a few words what it does." : error.message;
      problem.hidden = false;
      title.focus();
    }
    button.disabled = false;
  });
  return { element };
}

/** The document. A whole one that was pasted in stays as it is. */
function written(title, steps, success) {
  if (/^\ufeff?#\s*Task\b/i.test(steps.trim())) return steps;
  const lines = steps.split("\n").map((line) => line.trim().replace(/^(?:\d{1,9}[.)]|[-*+])\s+/, "")).filter(Boolean);
  const plan = lines.length > 0 ? ["SuggestedPlan:", ...lines.map((line, at) => `${at + 1}. ${line}`)] : [];
  const seen = success.trim() ? ["SuccessCriteria:", `- ${success.trim()}`] : [];
  const name = title.split(/\s+/).filter(Boolean).join(" ");
  return ["# Task", name ? `Title: ${name}` : "", ...seen, ...plan, "", "## Questions", ""].join("\n");
}
