/** When a task is carried out by itself: said in words, repeated back, with its next times. */

import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { fill, h } from "../shared/dom.js";
import { ago, moment } from "../shared/format.js";
import { failure, notice } from "../shared/notice.js";

const TYPED_MS = 300;
const MISSED = [["once", "make up for the latest"], ["skip", "leave them out"], ["all", "make up for each"]];
const DISPLAYS = [["", "as set"], ["private", "a private one"], ["current", "mine, when nobody uses it"]];
const DECIDED = { fired: ["good", "started"], missed: ["warn", "missed"], duplicate: ["muted", "started before"] };
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * @param {{task: string, changed: () => Promise<any>}} part
 * @returns {{element: HTMLElement, load: () => Promise<void>}}
 */
export function schedulePanel({ task, changed }) {
  const path = api.address("tasks", task, "schedule");
  const form = scheduleForm();
  const now = h("div", { class: "stack" });
  const log = h("div", {});
  const remove = h("button", { class: "button danger", type: "button" }, "Remove");
  let told = "";

  const load = async () => {
    const answer = await api.get(path);
    if (told === JSON.stringify(answer)) return;
    told = JSON.stringify(answer);
    fill(now, standing(answer));
    fill(log, decisions(answer.log));
    remove.hidden = !(answer.schedule || answer.fault);
    if (!form.dirty()) form.adopt(answer);
  };
  const hearing = repeatedBack(path, form);
  form.buttons.append(remove);
  form.element.addEventListener("submit", async (event) => {
    event.preventDefault();
    hearing.stop();
    try {
      const kept = await api.put(path, form.wanted());
      form.adopt(kept);
      notice(kept.understood);
      await Promise.all([load(), changed()]);
    } catch (error) {
      fill(form.heard, h("p", { class: "problem", role: "alert" }, error.message));
      form.words.focus();
    }
  });
  remove.addEventListener("click", async () => {
    const text = "The task is then carried out only when somebody starts it. What was decided stays in the log.";
    if (!(await ask({ title: "Remove the schedule?", text, action: "Remove", dangerous: true }))) return;
    try {
      await api.del(path);
      form.adopt({});
      await Promise.all([load(), changed()]);
      notice("The schedule is removed.");
    } catch (error) {
      failure(error);
    }
  });
  return { element: h("div", { class: "stack" }, now, form.element, log), load };
}

/** Say what is understood of the words while they are typed. */
function repeatedBack(path, form) {
  let asked = null;
  let timer = 0;
  const stop = () => {
    clearTimeout(timer);
    asked?.abort();
  };
  const hear = async () => {
    if (form.words.value.trim() === "") return fill(form.heard);
    asked = new AbortController();
    const { signal } = asked;
    try {
      const heard = await api.put(path, { ...form.wanted(), dry_run: true }, { signal });
      fill(form.heard, h("p", {}, heard.understood), needs(heard), times(heard.next, heard.zone));
    } catch (error) {
      if (!signal.aborted) fill(form.heard, h("p", { class: "problem" }, error.message));
    }
  };
  form.element.addEventListener("input", () => {
    stop();
    timer = setTimeout(hear, TYPED_MS);
  });
  return { stop };
}

function scheduleForm() {
  const words = h("input", {
    id: "schedule-words",
    type: "text",
    placeholder: "every weekday at 9:00",
    autocomplete: "off",
    maxlength: "2000",
  });
  const zone = h("input", { id: "schedule-zone", type: "text", autocomplete: "off", maxlength: "100", placeholder: HERE });
  const missed = h("select", { id: "schedule-missed" }, MISSED.map(([value, name]) => h("option", { value }, name)));
  const display = h("select", { id: "schedule-display" }, DISPLAYS.map(([value, name]) => h("option", { value }, name)));
  const heard = h("div", { class: "heard stack tight", role: "status" });
  const buttons = h("div", { class: "row" }, h("button", { class: "button primary", type: "submit" }, "Schedule"));
  const element = h(
    "form",
    { class: "stack", "aria-label": "Schedule", novalidate: true },
    labelled("When", words, "In words, such as “every 2 hours between 9:00 and 17:00” or “in 20 minutes”; or as cron, “0 9 * * 1-5”."),
    heard,
    h(
      "details",
      {},
      h("summary", {}, "Zone, missed times, display"),
      h(
        "div",
        { class: "grid inset" },
        labelled("Zone", zone, "What the times are meant in."),
        labelled("Missed times", missed, "When no daemon ran, or the machine slept."),
        labelled("Display", display, "Where it is carried out."),
      ),
    ),
    buttons,
  );
  return { element, words, heard, buttons, ...state({ words, zone, missed, display, heard }) };
}

/** What the fields of a schedule say, and whether somebody has changed them. */
function state({ words, zone, missed, display, heard }) {
  const wanted = () => ({
    schedule: words.value,
    missed: missed.value,
    ...(zone.value.trim() && { zone: zone.value.trim() }),
    ...(display.value && { display: display.value }),
  });
  // Somebody may have typed before the first answer came.
  let adopted = JSON.stringify(wanted());
  return {
    wanted,
    dirty: () => JSON.stringify(wanted()) !== adopted,
    adopt(answer) {
      words.value = answer.words ?? "";
      zone.value = answer.zone || HERE;
      missed.value = answer.missed ?? "once";
      const where = answer.display ?? "";
      // A numbered display was written by hand.
      if (![...display.options].some((each) => each.value === where)) display.append(h("option", { value: where }, where));
      display.value = where;
      fill(heard);
      adopted = JSON.stringify(wanted());
    },
  };
}

function labelled(name, input, hint) {
  input.setAttribute("aria-describedby", `${input.id}-hint`);
  return h(
    "div",
    { class: "field" },
    h("label", { class: "label", for: input.id }, name),
    input,
    h("span", { id: `${input.id}-hint`, class: "hint" }, hint),
  );
}

function standing(answer) {
  if (answer.fault) return h("p", { class: "problem" }, answer.fault);
  if (!answer.schedule) return h("p", { class: "muted" }, "It is carried out only when somebody starts it.");
  const words = answer.schedule[0].toUpperCase() + answer.schedule.slice(1);
  const said = h("p", {}, h("strong", {}, words), " ", h("span", { class: "muted" }, answer.zone));
  return [said, needs(answer), times(answer.next, answer.zone)];
}

function needs({ needs: names }) {
  if (!names?.length) return null;
  return h("p", { class: "problem" }, `No schedule can give ${names.join(", ")}: write ${names.length === 1 ? "a value" : "values"} into the plan, or each time is missed.`);
}

/** The next times, in the zone of who looks. */
function times(next, zone) {
  if (!next?.length) return h("p", { class: "muted" }, "It has no further times.");
  const elsewhere = zone && zone !== HERE;
  return h(
    "div",
    { class: "stack tight" },
    h("p", { class: "label" }, `Next, in your time${elsewhere ? ` (${HERE})` : ""}`),
    h("ol", { class: "times" }, next.map((each) => h(
      "li",
      {},
      h("time", { datetime: each, title: each }, dayAndTime(each)),
      " ",
      h("span", { class: "muted small" }, ago(each)),
    ))),
  );
}

function dayAndTime(iso) {
  return new Date(iso).toLocaleString(undefined, { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

function decisions(log) {
  if (!log?.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, "What was decided of late"),
    h("ul", { class: "list" }, log.map((entry) => {
      const [mood, word] = DECIDED[entry.outcome] ?? ["muted", entry.outcome];
      return h(
        "li",
        {},
        h(
          "div",
          { class: "row" },
          h("span", { class: `badge ${mood}` }, word),
          h("time", { datetime: entry.decided_at }, moment(entry.decided_at)),
          entry.job_id && h("a", { href: api.address("ui", "runs", entry.job_id) }, "The run"),
        ),
        entry.reason && h("p", { class: "muted small" }, entry.reason),
      );
    })),
  );
}
