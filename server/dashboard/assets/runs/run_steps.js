/** A run as a checklist: its plan, what was done for each step and what came of it, and where it is now. */

import { api } from "../shared/api.js";
import { fill, h, keyed } from "../shared/dom.js";
import { plural } from "../shared/format.js";
import { checklist, folded, waited } from "./run_plan.js";

const OUTCOMES = {
  confirmed: ["good", "✓", "The screen reacted"],
  no_visible_effect: ["warn", "○", "No visible effect"],
  failed: ["bad", "✗", "Failed"],
  refused: ["bad", "⊘", "Refused"],
};
const VERDICTS = { pass: ["good", "seen"], fail: ["bad", "not seen"], unclear: ["warn", "unclear"] };
const STATES = { done: ["✓", "done"], now: ["▶", "now"], stopped: ["✗", "it stopped here"], todo: ["○", "to come"] };

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
    /** @param {any} tale @param {Set<string>} pictures the screenshots that there are @param {boolean} over @param {string} nothing said when there are no steps */
    show(tale, pictures, over, nothing) {
      context.pictures = pictures;
      const parts = checklist(tale, over);
      if (parts.length === 0) return fill(place, h("p", { class: "panel muted" }, nothing));
      if (!list.isConnected) fill(place, dropped, list);
      dropped.hidden = tale.dropped === 0;
      dropped.textContent = `${tale.dropped} earlier actions are left out here; the report has them all.`;
      keyed(list, parts, (each) => each.key, makePart, (item, each) => updatePart(item, each, context));
    },
    /** Bring an action into view, and point at it. @param {string} key */
    reveal(key) {
      const act = list.querySelector(`.run-step[data-key="${CSS.escape(key)}"]`);
      act?.closest("details")?.setAttribute("open", "");
      act?.scrollIntoView({ block: "center" });
      act?.setAttribute("tabindex", "-1");
      act?.focus({ preventScroll: true });
    },
    /** Bring the step that it is at into view. */
    follow() {
      const now = list.querySelector('.run-line[data-state="now"]') ?? list.querySelector('.run-subtask[data-state="now"]');
      if (!now) return;
      const below = now.getBoundingClientRect().bottom - place.getBoundingClientRect().bottom;
      const above = place.getBoundingClientRect().top - now.getBoundingClientRect().top;
      if (below > 0) place.scrollTop += below + 16;
      else if (above > 0) place.scrollTop -= above + 16;
    },
  };
}

function makePart() {
  return h(
    "li",
    { class: "run-subtask" },
    h("p", { class: "run-subtask-text" }, h("span", { class: "run-state", "aria-hidden": "true" }), h("span", { class: "grow" }), h("span", { class: "muted small run-number" })),
    h("p", { class: "muted small run-looks" }),
    h("ol", { class: "run-lines" }),
    h("div", { class: "run-check" }),
  );
}

function updatePart(item, part, context) {
  const [head, looks, lines, check] = item.children;
  item.dataset.state = part.state;
  head.hidden = part.text === "";
  const [sign, said, number] = head.children;
  [sign.textContent] = STATES[part.state];
  // A plan in one part is headed by what it is to bring about.
  const heading = part.number ? part.text : `Goal: ${part.text}`;
  if (said.textContent !== heading) said.textContent = heading;
  number.textContent = part.number;
  looks.hidden = !part.looksFor || part.subtask?.check;
  looks.textContent = part.looksFor && `Then to be seen: ${part.looksFor}`;
  // One step that says what its part says would say it twice.
  keyed(lines, part.lines, (each) => each.key, makeLine, (element, line) => updateLine(element, line, context));
  if (part.state === "now") item.setAttribute("aria-current", "step");
  else item.removeAttribute("aria-current");
  const result = part.subtask?.check && checked(part.subtask.check);
  const told = `${part.subtask?.check?.verdict} ${part.subtask?.result}`;
  if (check.dataset.told === told) return;
  check.dataset.told = told;
  fill(check, result, part.subtask?.done && part.subtask.failed && part.subtask.result && h("p", { class: "muted small" }, part.subtask.result));
}

function makeLine() {
  const acts = h("ol", { class: "run-steps" });
  return h(
    "li",
    { class: "run-line" },
    h("span", { class: "run-state", "aria-hidden": "true" }),
    h("div", { class: "grow" }, h("p", { class: "run-line-text" }), h("p", { class: "run-now small" }), h("details", { class: "small" }, h("summary", {}), acts)),
  );
}

function updateLine(item, line, context) {
  const [sign, [text, now, details]] = [item.children[0], item.children[1].children];
  const [mark, said] = STATES[line.state];
  item.dataset.state = line.state;
  sign.textContent = mark;
  if (item.dataset.said !== `${line.text} ${said}`) {
    item.dataset.said = `${line.text} ${said}`;
    fill(text, line.text, h("span", { class: "visually-hidden" }, ` (${said})`));
  }
  now.hidden = line.state !== "now" && line.state !== "stopped";
  if (!now.hidden) fill(now, doing(line));
  const acts = folded(line.acts);
  details.hidden = acts.length === 0;
  const [summary, list] = details.children;
  const told = summed(line.acts);
  if (summary.textContent !== told) summary.textContent = told;
  keyed(list, acts, (each) => (Array.isArray(each) ? `waits ${each[0].key}` : each.key), (each) => (Array.isArray(each) ? makeWaits() : makeStep(each)), (element, each) => {
    if (Array.isArray(each)) element.textContent = waited(each);
    else updateStep(element, each, context);
  });
}

/** What it does for the step, or last did, and why it waits. */
function doing(line) {
  const act = line.acts.at(-1);
  if (!act) return "Looking at the screen";
  if (act.problem) return h("span", { class: "problem" }, act.problem);
  if (!act.waits) return act.why && act.why !== line.text && !act.why.startsWith(line.text.slice(0, 20)) ? `${act.why}: ${act.words}` : act.words;
  const waits = folded(line.acts).at(-1);
  const acted = line.acts.findLast((each) => !each.waits && each.kind === "step");
  return `${waited(waits)} for ${acted ? `the screen after “${acted.words.replace(/ at \(?\d+, \d+\)?$/, "")}”` : "what it looks for"}`;
}

function summed(acts) {
  const steps = acts.filter((each) => each.kind === "step");
  const waits = steps.filter((each) => each.waits).length;
  const done = steps.length - waits;
  return [done > 0 && plural(done, "action"), waits > 0 && plural(waits, "wait"), steps.length === 0 && "what was said"].filter(Boolean).join(", ");
}

/** What was expected, and what is seen of it. */
export function checked(check) {
  const [mood, said] = VERDICTS[check.verdict] ?? ["muted", check.verdict];
  return h(
    "div",
    { class: "run-checked" },
    h("p", {}, h("span", { class: `badge ${mood}` }, said), " ", check.expected),
    check.verdict !== "pass" && h("p", { class: "muted small" }, check.evidence),
  );
}

function makeWaits() {
  return h("li", { class: "run-note muted" });
}

function makeStep(step) {
  if (step.kind === "note") return h("li", { class: "run-note muted" }, step.words);
  return h(
    "li",
    { class: "run-step" },
    h("div", { class: "run-thumb" }),
    h(
      "div",
      { class: "grow" },
      h("p", { class: "run-words" }, step.words),
      step.why && h("p", { class: "run-why" }, step.why),
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
