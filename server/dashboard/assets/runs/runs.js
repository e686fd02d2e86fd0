/** All runs, the newest first: which of them ended how, and each again with other values. */

import { api } from "../shared/api.js";
import { byId, fill, h, keyed } from "../shared/dom.js";
import { ago, lasting, moment, plural } from "../shared/format.js";
import { badge, page, thumbnail, title, waysOn, who, why } from "../shared/jobs.js";
import { every } from "../shared/polling.js";
import { running } from "../shared/running.js";

const MOST = 500;
const list = h("ul", { class: "list panel" });
const FILTERS = {
  state: (run) => run.headline?.label ?? run.state,
  subject: (run) => run.task || run.workflow || "",
  decider: (run) => run.provider,
};
let runs = [];

const asked = every(30000, async () => {
  try {
    ({ jobs: runs } = await api.get(`/jobs?brief=true&kind=replay&limit=${MOST}`));
    for (const [name, of] of Object.entries(FILTERS)) offer(byId(name), new Set(runs.map(of).filter(Boolean)));
    show();
  } catch (error) {
    fill(byId("runs"), h("p", { class: "problem" }, error.message));
  }
});
running.ended(() => asked.now());
byId("filters").addEventListener("input", show);
byId("filters").addEventListener("submit", (event) => event.preventDefault());

/** What there is to choose from; what is chosen stays. */
function offer(select, values) {
  keyed(select, ["", ...[...values].sort()], (value) => value, (value) => h("option", { value }, select.id === "decider" ? who(value) : value));
}

function show() {
  const wanted = Object.entries(FILTERS).map(([name, of]) => [byId(name).value, of]);
  const day = byId("day").value;
  const found = runs.filter((run) => wanted.every(([value, of]) => !value || of(run) === value) && (!day || localDay(run.created_at) === day));
  byId("count").textContent = runs.length === 0 ? "" : found.length === runs.length ? `${plural(runs.length, "run")}${runs.length === MOST ? ", the newest" : ""}` : `${found.length} of ${plural(runs.length, "run")}`;
  if (found.length === 0) return fill(byId("runs"), nothing());
  if (!list.isConnected) fill(byId("runs"), list);
  keyed(list, found, (run) => `${run.id} ${run.state}`, row);
}

function nothing() {
  const text = runs.length === 0 ? "Nothing was run yet." : "No run is like that.";
  return h("div", { class: "panel empty" }, h("p", {}, text), runs.length === 0 && h("a", { class: "button primary", href: "/ui/tasks" }, "Run a task"));
}

function row(run) {
  const facts = [run.provider && `by ${who(run.provider)}`, run.duration_ms !== null && lasting(run.duration_ms), run.steps > 0 && plural(run.steps, "action")].filter(Boolean).join(", ");
  return h(
    "li",
    { class: "runs-row" },
    thumbnail(run),
    h("a", { href: page(run) }, h("strong", {}, title(run))),
    h("span", { class: "row" }, badge(run), h("time", { class: "muted small", datetime: run.created_at, title: moment(run.created_at) }, ago(run.created_at)), h("span", { class: "muted small" }, facts)),
    h("span", { class: "row end" }, waysOn(run)),
    why(run) && h("p", { class: "muted small runs-why" }, why(run)),
  );
}

function localDay(iso) {
  const day = new Date(iso);
  const two = (number) => String(number).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
