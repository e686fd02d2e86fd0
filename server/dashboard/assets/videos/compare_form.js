/** Holds a video beside that of a good run, which is chosen among those that were watched. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { ago } from "../shared/format.js";
import { failure } from "../shared/notice.js";
import { title } from "../shared/jobs.js";

const MOST = 50;

/** A list of the other videos that were watched; the one that is chosen is the good run. */
export function compareForm(job) {
  const choice = h("select", { "aria-label": "Compare with a good run", on: { focus: () => list(choice, job), change: () => compare(choice.value, job) } }, h("option", { value: "" }, "Compare with …"));
  return choice;
}

async function list(choice, job) {
  if (choice.options.length > 1) return;
  try {
    const { jobs } = await api.get(`/jobs?brief=true&kind=analysis&state=done&limit=${MOST}`);
    choice.append(...jobs.filter((each) => each.id !== job.id).map((each) => h("option", { value: each.id }, `${title(each)}, ${ago(each.created_at)}`)));
  } catch (error) {
    failure(error);
  }
}

async function compare(good, job) {
  if (!good) return;
  try {
    const { job_id: id } = await api.post("/compare", { good, bad: job.id });
    location.assign(api.address("ui", "comparisons", id));
  } catch (error) {
    failure(error);
  }
}
