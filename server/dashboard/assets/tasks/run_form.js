/** Carrying out a task or a workflow from a page: its values, who decides, where. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { plural } from "../shared/format.js";
import { who } from "../shared/jobs.js";
import { parametersForm } from "./parameters.js";

const DISPLAYS = [
  ["", "As set", ""],
  ["private", "Private", "A virtual display of its own: nothing of yours is touched"],
  ["current", "Mine", "Your own screen; move the mouse to take over"],
];

/**
 * @param {() => {task?: string, workflow?: string}} subject what `POST /replay` is to carry out
 * @param {string | null} [trial] the address that tries it, where it can be tried
 * @returns {{element: HTMLElement, update: (state: {parameters: any[], open?: any[], fault?: string}) => void,
 *   start: () => Promise<void>, needs: () => boolean}}
 */
export function runForm(subject, trial = null) {
  const { element, values, warning, problem, provider, button, buttons } = parts();
  let form = parametersForm([]);
  let shape = "";
  const tell = (text) => {
    problem.textContent = text;
    problem.hidden = text === "";
  };
  const start = () => {
    const display = new FormData(element).get("display");
    const asked = subject();
    if (provider.value) asked.provider = provider.value;
    if (display) asked.display = display;
    return begin("/replay", asked);
  };
  const begin = (address, asked) => send(address, asked, form, button, tell);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    start();
  });
  const tries = { class: "button", type: "button", title: "Once, on a display of its own", on: { click: () => begin(trial, {}) } };
  if (trial !== null) buttons.append(h("button", tries, "Try it"));
  // A page that comes back from the browser's cache may run it again.
  addEventListener("pageshow", () => (button.disabled = false));
  return {
    element,
    update({ parameters, open = [], fault = "" }) {
      // What is being filled in stays, unless it is asked for otherwise now.
      const now = JSON.stringify(parameters);
      if (now !== shape) {
        shape = now;
        form = parametersForm(parameters);
        suggest(form);
        fill(values, parameters.length > 0 ? form.element : h("p", { class: "muted" }, "It takes no values: it does the same each time."));
      }
      button.disabled = fault !== "";
      warning.hidden = open.length === 0;
      fill(warning, warned(open));
    },
    start,
    needs: () => form.missing() !== null,
  };
}

/** Ask for the run and go to its page; what does not fit is said at its field. */
async function send(address, asked, form, button, tell) {
  tell("");
  if (form.missing() !== null) return;
  button.disabled = true;
  try {
    const { job_id: job } = await api.post(address, { ...asked, params: form.values() });
    form.clear();
    location.assign(api.address("ui", "runs", job));
  } catch (error) {
    if (!form.blame(error.body?.field, error.message)) tell(error.message);
    button.disabled = false;
  }
}

/** With the values of the run that this is to be like; what is sensitive was kept nowhere. */
async function suggest(form) {
  const like = new URLSearchParams(location.search).get("like");
  const job = like && (await api.get(api.address("jobs", like)).catch(() => null));
  if (!job) return;
  form.suggest(job.request?.params ?? {});
  form.begin();
}

function parts() {
  const values = h("div", {});
  const warning = h("p", { hidden: true });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const provider = h("select", { id: "run-provider" }, h("option", { value: "" }, "As set"));
  const lacking = h("div", {});
  const button = h("button", { class: "button primary", type: "submit" }, "Run");
  const buttons = h("div", { class: "row run-bar" }, button);
  const choices = whereAndWho(provider, lacking);
  const element = h(
    "form",
    { class: "stack", "aria-label": "Run it", novalidate: true },
    warning,
    values,
    choices,
    problem,
    buttons,
  );
  deciders(provider, lacking);
  preset(element);
  return { element, values, warning, problem, provider, button, buttons };
}

function warned(open) {
  const required = open.filter((each) => each.required).length;
  const which = required > 0 ? `, though ${required === 1 ? "one is" : `${required} are`} marked as required` : "";
  return [h("span", { class: "badge warn" }, plural(open.length, "open question")), ` It may run all the same${which}: what it cannot know it will ask.`];
}

function whereAndWho(provider, lacking) {
  return h(
    "div",
    { class: "grid" },
    h("div", { class: "field" }, h("label", { class: "label", for: "run-provider" }, "Decided by"), provider, lacking),
    h(
      "fieldset",
      { class: "choice" },
      h("legend", {}, "Display"),
      DISPLAYS.map(([value, name, about], at) => h(
        "label",
        { class: "check-field" },
        h("input", { type: "radio", name: "display", value, checked: at === 0 }),
        h("span", {}, name, " ", h("span", { class: "hint" }, about)),
      )),
    ),
  );
}

/** Say what "as set" means now. */
async function preset(form) {
  const answer = await api.get("/settings").catch(() => null);
  const value = (name) => answer?.settings.find((each) => each.name === name)?.value;
  const [display, provider] = [value("display"), value("replay_provider")];
  if (display) form.querySelector("input[name=display] + span .hint").textContent = DISPLAYS.find(([name]) => name === display)?.[1] ?? display;
  if (provider) form.querySelector("#run-provider option").textContent = `As set: ${who(provider)}`;
}

async function deciders(select, lacking) {
  const health = await api.get("/health").catch(() => null);
  if (health === null) return;
  const all = Object.entries(health.deciders);
  select.append(...all.map(([name, { available }]) => h("option", { value: name, disabled: !available }, available ? who(name) : `${name} – not set up`)));
  const without = all.filter(([, { available }]) => !available);
  if (without.length === 0) return;
  fill(
    lacking,
    h(
      "details",
      { class: "small" },
      h("summary", {}, "What the others lack"),
      h("ul", { class: "list" }, without.map(([name, { reason }]) => h("li", {}, h("strong", {}, name), ` ${reason}`))),
      h("a", { href: "/ui/settings" }, "Settings"),
    ),
  );
}
