/** The form of a task's or a workflow's values: blank means the default, what is sensitive is masked. */

import { h } from "../shared/dom.js";

/**
 * @typedef {{name: string, type?: string, description?: string, example?: string|null, sensitive?: boolean,
 *   optional?: boolean, needed?: boolean}} Parameter
 *
 * @param {Parameter[]} parameters
 * @param {{prefix?: string}} [options] what the ids of its fields begin with, where a page has several
 * @returns {{element: HTMLElement, values: () => Record<string, string>, missing: () => string|null,
 *   suggest: (values: Record<string, string>) => void, begin: () => void, blame: (name: string, message: string) => boolean, clear: () => void}}
 */
export function parametersForm(parameters, { prefix = "value" } = {}) {
  const fields = new Map(parameters.map((parameter, at) => [parameter.name, field(parameter, `${prefix}-${at}`)]));
  const shown = parameters.some(({ example }) => example);
  const element = h(
    "div",
    { class: "stack" },
    shown && h("p", { class: "hint" }, "What is left blank takes the default shown in grey."),
    h("div", { class: "grid" }, [...fields.values()].map((each) => each.element)),
  );
  return {
    element,
    /** What was filled in; what is blank is left out, so that its default holds. */
    values() {
      const filled = [...fields].filter(([, each]) => each.input.value.trim() !== "");
      return Object.fromEntries(filled.map(([name, each]) => [name, each.input.value]));
    },
    /** Begin with these, where nothing is filled in. */
    suggest(values) {
      for (const [name, { input }] of fields) if (input.type !== "password" && !input.value) propose(input, values[name] ?? "");
    },
    /** Go to the first value, ready to be typed over. */
    begin() {
      const first = [...fields.values()][0]?.input;
      first?.focus();
      first?.select();
    },
    /** Tell of the first needed value that is blank, and go there; null when there is none. */
    missing() {
      let first = null;
      for (const [name, each] of fields) {
        const blank = each.needed && each.input.value.trim() === "";
        each.tell(blank ? "This is needed: it has no default." : "");
        if (blank && first === null) first = name;
      }
      if (first !== null) fields.get(first).input.focus();
      return first;
    },
    /** Say at a field what is wrong with it; whether there is such a field. */
    blame(name, message) {
      const found = fields.get(name);
      found?.tell(message);
      found?.input.focus();
      return found !== undefined;
    },
    clear() {
      for (const each of fields.values()) each.input.value = "";
    },
  };
}

/** Whoever comes to it for the first time wants another value. */
function propose(input, value) {
  input.value = value;
  input.addEventListener("click", () => input.select(), { once: true });
}

function field(parameter, id) {
  const { name, description, example, sensitive, optional } = parameter;
  const needed = parameter.needed ?? ((example === null || example === undefined) && !optional);
  const input = control(parameter, id, needed);
  const problem = h("span", { id: `${id}-problem`, class: "problem small", hidden: true });
  const tell = (message) => {
    problem.textContent = message;
    problem.hidden = message === "";
    if (message) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  input.addEventListener("input", () => tell(""));
  const element = h(
    "div",
    { class: "field" },
    h("div", { class: "row between top-aligned" }, h("label", { class: "label", for: id }, description || name), mark(sensitive, needed)),
    sensitive ? masked(input) : input,
    h("span", { id: `${id}-hint`, class: "hint" }, hint(parameter, needed)),
    problem,
  );
  return { element, input, tell, needed };
}

function control(parameter, id, needed) {
  const { example, sensitive, type } = parameter;
  const described = `${id}-hint ${id}-problem`;
  const common = {
    id,
    // Nothing of it is to stay with the browser.
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": described,
    "aria-required": needed ? "true" : null,
  };
  if (sensitive) return h("input", { ...common, type: "password" });
  if ((example ?? "").includes("\n")) return h("textarea", { ...common, rows: "3", placeholder: example });
  const numeric = ["int", "integer", "number", "float"].includes(type ?? "");
  return h("input", { ...common, type: "text", inputmode: numeric ? "decimal" : null, placeholder: example ?? "" });
}

function masked(input) {
  const show = h("button", { class: "button small", type: "button", "aria-pressed": "false" }, "Show");
  show.addEventListener("click", () => {
    const visible = input.type === "password";
    input.type = visible ? "text" : "password";
    show.setAttribute("aria-pressed", String(visible));
    show.textContent = visible ? "Hide" : "Show";
  });
  return h("div", { class: "row" }, h("div", { class: "grow" }, input), show);
}

function mark(sensitive, needed) {
  return h(
    "span",
    { class: "row" },
    sensitive && h("span", { class: "badge muted" }, "sensitive"),
    needed && h("span", { class: "badge warn" }, "needed"),
  );
}

function hint({ name, description, example, sensitive, optional }, needed) {
  const named = description && description !== name ? [h("code", {}, name), " "] : [];
  if (sensitive && needed) return [...named, "Kept in memory for this run only, and masked in all that is written."];
  if (sensitive) return [...named, "Blank takes the default, which is not shown. Kept in memory only."];
  if (needed || example) return named;
  return [...named, optional ? "May be left blank." : "Its default is empty."];
}
