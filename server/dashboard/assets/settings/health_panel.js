/** How Vaider is: what `/health` finds amiss, and what the doctor says. */

import { api } from "../shared/api.js";
import { coded } from "./coded.js";
import { byId, fill, h } from "../shared/dom.js";
import { plural } from "../shared/format.js";

const MOODS = { ok: ["good", "ok"], note: ["warn", "note"], bad: ["bad", "bad"] };
let looking = false;

/** The doctor looks when this comes into sight, and when he is asked to. @param {(report: any) => void} told */
export function healthPanel(told) {
  const look = () => examine(told);
  byId("examine").addEventListener("click", look);
  const sight = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    sight.disconnect();
    look();
  });
  sight.observe(byId("checks"));
}

async function examine(told) {
  if (looking) return;
  looking = true;
  const button = /** @type {HTMLButtonElement} */ (byId("examine"));
  button.disabled = true;
  button.textContent = "Looking …";
  byId("checks").setAttribute("aria-busy", "true");
  try {
    const [health, report] = await Promise.all([api.get("/health"), api.get("/doctor")]);
    fill(byId("problems"), problems(health, report));
    fill(byId("checks"), lists(report.checks));
    told(report);
  } catch (error) {
    fill(byId("problems"), h("p", { class: "problem", role: "alert" }, error.message));
  }
  byId("checks").removeAttribute("aria-busy");
  button.disabled = false;
  button.textContent = "Check again";
  looking = false;
}

/** What needs nobody's attention is a click away; keys have their own place on this page. */
function lists(checks) {
  const shown = checks.filter(({ name }) => !name.startsWith("key "));
  const notes = shown.filter(({ state }) => state !== "ok").sort((one) => (one.state === "bad" ? -1 : 1));
  const fine = shown.filter(({ state }) => state === "ok");
  return [
    notes.length > 0 && h("ul", { class: "list panel" }, notes.map(check)),
    h("details", { class: "panel" }, h("summary", {}, `${plural(fine.length, "check")} found nothing amiss`), h("ul", { class: "list" }, fine.map(check))),
  ];
}

function problems(health, report) {
  const bad = report.checks.filter((each) => each.state === "bad").length;
  if (health.problems.length === 0 && bad === 0) return h("p", {}, h("span", { class: "badge good" }, "ok"), " Nothing keeps Vaider from working. Notes are only good to know.");
  return h("ul", { class: "list panel" }, health.problems.map((problem) => h("li", { class: "problem" }, problem)), bad > 0 && h("li", { class: "problem" }, "The doctor found what keeps Vaider from working; see below."));
}

function check({ name, state, detail, advice }) {
  const [mood, word] = MOODS[state];
  return h(
    "li",
    { class: "check" },
    h("span", { class: `badge ${mood}` }, word),
    h("strong", {}, name),
    h("span", { class: "check-detail" }, coded(detail), advice && h("span", { class: "muted small check-advice" }, coded(advice))),
  );
}
