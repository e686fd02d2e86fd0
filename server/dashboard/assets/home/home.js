/** Home: what is asked of you, what runs, what came of it, and how Vaider itself is. */

import { api } from "../shared/api.js";
import { approvalPanel } from "../runs/approval.js";
import { byId, fill, h, keyed } from "../shared/dom.js";
import { isFirstVisit } from "../settings/first_visit.js";
import { taskQuestions } from "../tasks/lesson_result.js";
import { ago, lasting, moment, plural } from "../shared/format.js";
import { badge, bar, isFinal, kind, moveBar, page, thumbnail, title, waysOn, who, why, words } from "../shared/jobs.js";
import { live } from "../shared/live.js";
import { every } from "../shared/polling.js";
import { recorderSummary } from "./recorder_summary.js";
import { runSteps } from "./running_steps.js";
import { running } from "../shared/running.js";
import { stopJob } from "../shared/stopping.js";

const RESULTS = 12;
const COMING = 5;
let tasks = [];
let entries = [];
const steps = runSteps(() => showRunning());

isFirstVisit().then((first) => first && location.replace("/ui/welcome"));

running.on((found) => {
  entries = found;
  steps.follow(found.map(({ job }) => job));
  showRunning();
  showAsks();
});
running.ended(() => results.now());
live.state((state) => {
  if (state === "offline") fill(byId("healthy"), h("p", { class: "problem" }, "The daemon does not answer. Start it with ", h("code", {}, "vaider serve"), "; this page goes on by itself then."));
});
live.back(() => [results, states, plans].forEach((each) => each.now()));

const results = every(30000, async () => {
  try {
    const { jobs } = await api.get(`/jobs?brief=true&limit=${RESULTS * 2}`);
    showResults(jobs.filter((job) => isFinal(job.state)).slice(0, RESULTS));
  } catch (error) {
    fill(byId("latest"), h("p", { class: "problem" }, error.message));
  }
});

const states = every(5000, async () => {
  const health = await api.get("/health").catch(() => null);
  if (health === null) return;
  recorderSummary(byId("recording"), health.recorder);
  showHealth(health);
});

const plans = every(30000, async () => {
  ({ tasks } = await api.get("/tasks"));
  showPlans();
  showAsks();
});

function showRunning() {
  const place = byId("running");
  if (entries.length === 0) {
    return fill(
      place,
      h(
        "div",
        { class: "panel row between" },
        h("p", { class: "muted" }, "Nothing is running."),
        h("p", { class: "row" }, h("a", { class: "button", href: "/ui/videos" }, "Watch a video"), h("a", { class: "button", href: "/ui/tasks" }, "Run a task")),
      ),
    );
  }
  if (!place.firstElementChild?.classList.contains("cards")) fill(place, h("div", { class: "cards" }));
  keyed(place.firstElementChild, [...entries].reverse(), ({ job }) => job.id, makeCard, updateCard);
}

function makeCard(entry) {
  const { job } = entry;
  return h(
    "article",
    { class: "panel stack" },
    h("div", { class: "row between" }, h("h3", {}, h("a", { href: page(job) }, title(job))), h("span", { class: "badge accent" }, kind(job))),
    h("p", { class: "card-step", hidden: true }, h("strong", {}), h("span", {})),
    h("p", { class: "card-words" }),
    bar(entry.event, `Progress of ${title(job)}`),
    h("div", { class: "row" }, h("a", { class: "button small", href: page(job) }, "Watch"), h("button", { class: "button small", type: "button", on: { click: () => stopJob(job) } }, "Stop")),
  );
}

function updateCard(card, entry) {
  const [step, said] = [card.querySelector(".card-step"), card.querySelector(".card-words")];
  const at = steps.at(entry.job.id);
  const text = entry.approval ? "Waits for your answer" : words(entry.event);
  step.hidden = at === null;
  step.firstElementChild.textContent = at?.number ? `Now at ${at.number}: ` : "Now: ";
  step.lastElementChild.textContent = at?.text ?? "";
  said.classList.toggle("muted", at !== null);
  // An event that begins a step says what the line above says.
  said.textContent = at !== null && text.includes(at.text) ? "" : text;
  moveBar(card, entry.event);
}

function showAsks() {
  const approvals = entries.filter((entry) => entry.approval).map((entry) => ({ key: entry.approval.approval_id, entry }));
  // Where somebody has answered, what can be done next stays until the page is left.
  const isOpen = ({ id }) => byId("asks").querySelector(`[data-key="${CSS.escape(id)}"] [aria-expanded="true"]`) !== null;
  const open = tasks.filter((task) => task.open_questions > 0 || isOpen(task)).slice(0, COMING).map((task) => ({ key: task.id, task }));
  keyed(byId("asks"), [...approvals, ...open], (ask) => ask.key, makeAsk, updateAsk);
}

function makeAsk({ entry, task }) {
  if (entry) return approvalPanel(entry.job, entry.approval);
  const place = h("div", { hidden: true });
  const answer = h("button", { class: "button primary", type: "button", "aria-label": `Answer ${task.title}`, "aria-expanded": "false" }, "Answer");
  answer.addEventListener("click", () => {
    place.hidden = !place.hidden;
    answer.setAttribute("aria-expanded", String(!place.hidden));
    if (!place.firstElementChild) fill(place, taskQuestions(task.id, () => plans.now()).element);
  });
  return h(
    "div",
    { class: "panel ask stack" },
    h("div", { class: "row between" }, h("p", { class: "grow" }, h("a", { href: api.address("ui", "tasks", task.id) }, task.title), " ", h("span", { class: "asks-what" })), answer),
    place,
  );
}

/** What is being answered stays as it is. */
function updateAsk(element, { task }) {
  if (!task) return;
  const more = task.open_questions > 1 ? ` And ${plural(task.open_questions - 1, "other question")}.` : "";
  element.querySelector(".asks-what").textContent = task.open_questions > 0 ? `asks: ${task.asks}${more}` : "asks nothing any more.";
}

function showResults(jobs) {
  if (jobs.length === 0) {
    return fill(
      byId("latest"),
      h(
        "div",
        { class: "panel empty" },
        h("p", {}, "Nothing was done yet."),
        h("p", { class: "row" }, h("a", { class: "button primary", href: "/ui/welcome" }, "Get started"), h("a", { class: "button", href: "/ui/videos" }, "Watch a video")),
      ),
    );
  }
  fill(byId("latest"), h("ul", { class: "list panel" }, jobs.map(resultRow)));
}

function resultRow(job) {
  return h(
    "li",
    { class: "result" },
    thumbnail(job),
    h("a", { href: page(job) }, h("strong", {}, title(job)), h("span", { class: "muted" }, kind(job))),
    h("span", { class: "row result-state" }, badge(job), waysOn(job)),
    h("span", { class: "muted result-when" }, job.finished_at && h("time", { datetime: job.finished_at, title: moment(job.finished_at) }, ago(job.finished_at))),
    why(job) && h("span", { class: "muted result-why" }, why(job)),
  );
}

function showPlans() {
  const coming = tasks.filter((task) => task.next).sort((one, other) => one.next.localeCompare(other.next)).slice(0, COMING);
  const place = byId("upcoming");
  if (coming.length === 0) return fill(place, h("p", { class: "muted" }, "No task is scheduled. ", h("a", { href: "/ui/tasks" }, "Schedule one")));
  fill(
    place,
    h("ul", { class: "list" }, coming.map((task) => h(
      "li",
      { class: "row between" },
      h("a", { href: api.address("ui", "tasks", task.id) }, task.title),
      h("time", { class: "muted", datetime: task.next, title: moment(task.next) }, ago(task.next)),
    ))),
  );
}

function showHealth(health) {
  const ready = Object.entries(health.providers).filter(([, one]) => one.available).map(([name]) => name);
  fill(
    byId("healthy"),
    health.problems.length > 0
      ? h("ul", { class: "list problems" }, health.problems.map((problem) => h("li", { class: "problem" }, problem)))
      : h("p", {}, h("span", { class: "badge good" }, "ok"), " Nothing is amiss."),
    h("p", { class: "muted" }, `Vaider ${health.version}, up ${lasting(health.uptime_seconds * 1000)}. Videos are watched by ${ready.map((name) => who(name)).join(", ") || "nobody"}. `, h("a", { href: "/ui/settings#health" }, "Look closer")),
  );
}
