/** A run that may not go on without you: the question, and the two answers. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { page, title } from "../shared/jobs.js";
import { failure } from "../shared/notice.js";

/**
 * @param {any} job
 * @param {{approval_id: string, question: string}} approval
 * @returns {HTMLElement} it goes when another front end has answered: whoever shows it takes it away then
 */
export function approvalPanel(job, approval) {
  const answer = async (agree) => {
    for (const button of buttons) button.disabled = true;
    try {
      await api.post(api.address("jobs", job.id, "approvals", approval.approval_id), { agree });
    } catch (error) {
      failure(error);
      for (const button of buttons) button.disabled = false;
    }
  };
  const buttons = [
    h("button", { class: "button primary", type: "button", on: { click: () => answer(true) } }, "Approve"),
    h("button", { class: "button danger", type: "button", on: { click: () => answer(false) } }, "Refuse"),
  ];
  return h(
    "div",
    { class: "panel ask stack", role: "group", "aria-label": `${title(job)} asks` },
    h("p", {}, h("a", { href: page(job) }, title(job)), " asks:"),
    h("p", { class: "question" }, approval.question),
    h("div", { class: "row" }, buttons),
  );
}
