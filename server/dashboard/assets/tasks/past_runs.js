/** What became of a task or a workflow each time. */

import { api } from "../shared/api.js";
import { h, keyed } from "../shared/dom.js";
import { badge, confirmedBy, who } from "../shared/jobs.js";
import { ago, lasting, moment, plural } from "../shared/format.js";

const MORE = 10;

/**
 * @param {string[]} path of what was run, e.g. `["tasks", "send-it"]`
 * @returns {{element: HTMLElement, load: () => Promise<void>}}
 */
export function pastRuns(path) {
  const list = h("ul", { class: "list" });
  const note = h("p", { class: "muted" }, "Looking …");
  const more = h("button", { class: "button small", type: "button", hidden: true }, "Show more");
  let shown = MORE;
  let runs = [];
  const show = () => {
    keyed(list, runs.slice(0, shown), (run) => run.run_id, (run) => row(path, run), (item, run) => {
      item.querySelector("time").textContent = ago(run.started_at);
    });
    more.hidden = runs.length <= shown;
    note.hidden = runs.length > 0;
    list.hidden = runs.length === 0;
    note.textContent = "It was not run yet.";
  };
  more.addEventListener("click", () => {
    shown += MORE;
    show();
  });
  return {
    element: h("div", { class: "stack tight" }, note, list, h("div", { class: "row" }, more)),
    async load() {
      try {
        ({ runs } = await api.get(api.address(...path, "runs")));
        note.classList.remove("problem");
        show();
      } catch (error) {
        note.hidden = false;
        note.classList.add("problem");
        note.textContent = error.message;
      }
    },
  };
}

function row(path, run) {
  const steps = run.spent?.steps;
  const facts = [confirmedBy(run.confirmed_by), lasting(run.duration_ms), steps !== undefined && plural(steps, "action"), `by ${who(run.provider, run.model)}`];
  const when = moment(run.started_at);
  const params = Object.entries(run.params ?? {});
  return h(
    "li",
    { class: "stack tight" },
    h(
      "div",
      { class: "row between" },
      h(
        "div",
        { class: "row" },
        badge(run),
        h("time", { datetime: run.started_at, title: when }),
        h("span", { class: "muted small" }, facts.filter(Boolean).join(" · ")),
      ),
      h(
        "div",
        { class: "row" },
        run.job_id && h("a", { href: api.address("ui", "runs", run.job_id), "aria-label": `Actions of the run of ${when}` }, "Actions"),
        h("a", { href: api.address(...path, "runs", run.run_id, "report"), "aria-label": `Report of the run of ${when}` }, "Report"),
      ),
    ),
    run.headline.mood !== "good" && h("p", { class: "small said" }, run.headline.text),
    params.length > 0 && h(
      "details",
      { class: "small" },
      h("summary", {}, `With ${plural(params.length, "value")}`),
      h("dl", { class: "facts" }, params.map(([name, value]) => [h("dt", {}, name), h("dd", { class: "said" }, value)])),
    ),
  );
}
