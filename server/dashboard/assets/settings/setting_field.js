/** One setting as a field of a form: what it is, what it was, and the way back. */

import { coded } from "./coded.js";
import { fill, h } from "../shared/dom.js";
import { drafts } from "./drafts.js";
import { bytes } from "../shared/format.js";
import { listEditor } from "./list_editor.js";

const updates = new WeakMap();
const LABELS = {
  record_exclude_apps: "Programs",
  record_exclude_titles: "Window titles",
  record_exclude_urls: "Addresses",
  record_exclude_usual: "What is usually private",
  record_when: "When to record",
  record_border: "A frame around what is recorded",
  record_input_log: "Note clicks, keys and windows",
  memory_refiner: "Who words memories better",
  embeddings_provider: "Who knows what words mean",
  reload: "Keep what succeeded",
};

/** @param {any} setting as `GET /settings` tells it @returns {HTMLElement} */
export function settingField(setting) {
  const { name } = setting;
  const id = `field-${name}`;
  const control = setting.writable ? controlOf(setting, id) : fixedControl();
  const badges = h("span", { class: "row tight" });
  const actions = h("span", { class: "row tight" });
  const fault = h("p", { class: "problem small", role: "alert", hidden: true });
  const hint = h("p", { id: `${id}-hint`, class: "hint" });
  const words = wordsOf(name);
  const title = setting.writable ? h("label", { class: "label", for: id }, words) : h("span", { class: "label" }, words);
  updates.set(control.element, control);
  const element = h(
    "div",
    { class: "setting", id: `setting-${name}`, dataset: { type: setting.type } },
    h("div", { class: "row between" }, h("span", { class: "row tight" }, title, h("code", { class: "muted setting-name" }, name)), badges),
    control.element,
    hint,
    fault,
    actions,
  );
  updates.set(element, { control, badges, actions, fault, hint });
  updateField(element, setting);
  return element;
}

/** Bring it in line with what is known and wished now. */
export function updateField(element, setting) {
  const { control, badges, actions, fault, hint } = updates.get(element);
  const wished = drafts.wished(setting.name);
  const value = drafts.value(setting.name);
  control.show(value);
  fill(badges, marks(setting, value, wished));
  fill(hint, hintOf(setting, value));
  const wrong = drafts.fault?.field === setting.name;
  fault.hidden = !wrong;
  fault.textContent = wrong ? drafts.fault.message : "";
  element.classList.toggle("wished", wished);
  const action = actionOf(setting, value, wished);
  const now = actions.firstElementChild?.textContent ?? "";
  if ((action?.text ?? "") !== now) fill(actions, action && h("button", { class: "button quiet small", type: "button", on: { click: action.act } }, action.text));
}

/** `max_video_bytes` as people say it. */
export function wordsOf(name) {
  if (LABELS[name] !== undefined) return LABELS[name];
  const words = name.replaceAll("_", " ").replace(/\b(url|ocr|usd|fps)\b/g, (word) => word.toUpperCase());
  return words[0].toUpperCase() + words.slice(1);
}

/** A value as people read it. */
export function shownValue(value) {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  if (typeof value === "boolean") return value ? "on" : "off";
  return value === "" ? "empty" : String(value);
}

function marks(setting, value, wished) {
  const changed = !same(value, setting.default);
  return [
    wished && h("span", { class: "badge accent" }, "not saved"),
    !wished && setting.restart && h("span", { class: "badge warn" }, "at the next start"),
    setting.set_by && h("span", { class: "badge" }, `from ${setting.set_by}`),
    changed && !wished && h("span", { class: "badge" }, "changed"),
  ];
}

function hintOf(setting, value) {
  const range = rangeOf(setting);
  const size = setting.name.endsWith("_bytes") && value > 0 ? `${bytes(value)}. ` : "";
  return [
    coded(setting.description),
    ". ",
    size,
    range && `${range}. `,
    `Default: ${shownValue(setting.default)}.`,
    setting.restart && ` In force now: ${shownValue(setting.value)}.`,
    setting.fixed && ` ${sentence(setting)}`,
  ];
}

function rangeOf({ type, minimum, maximum, above }) {
  if (type !== "number" && type !== "integer") return "";
  const least = above === null ? minimum : above;
  if (least === null || least === undefined) return "";
  if (maximum !== null) return `${above === null ? "" : "Above "}${least} to ${maximum.toLocaleString()}`;
  return above === null ? `At least ${least}` : `Above ${least}`;
}

function actionOf(setting, value, wished) {
  if (!setting.writable) return null;
  if (wished) return { text: "Undo", act: () => drafts.undo(setting.name) };
  if (setting.in_file && !same(value, setting.default)) return { text: "Reset to default", act: () => drafts.wish(setting.name, null) };
  return null;
}

function fixedControl() {
  const element = h("p", { class: "setting-fixed mono" });
  return { element, show: (value) => (element.textContent = shownValue(value)) };
}

function sentence({ name, fixed }) {
  const text = fixed.replace(`'${name}' `, "");
  return text.startsWith("was given") ? `It ${text}` : `Not changed here, for it ${text}`;
}

function controlOf(setting, id) {
  const common = { id, "aria-describedby": `${id}-hint` };
  const wish = (value) => drafts.wish(setting.name, value);
  if (setting.type === "list") {
    const editor = listEditor({ id, label: wordsOf(setting.name), placeholder: exampleOf(setting), change: wish });
    return { element: editor.element, show: editor.show };
  }
  if (setting.type === "boolean") {
    const box = h("input", { ...common, type: "checkbox", on: { change: () => wish(box.checked) } });
    return { element: h("div", { class: "check-field" }, box, h("span", { "aria-hidden": "true" }, "On")), show: (value) => (box.checked = value) };
  }
  if (setting.type === "choice") {
    const select = h("select", { ...common, on: { change: () => wish(select.value) } }, setting.choices.map((choice) => h("option", { value: choice }, choice === "" ? "by itself" : choice)));
    return { element: select, show: (value) => (select.value = value) };
  }
  return setting.type === "text" ? textControl(setting, common, wish) : numberControl(setting, common, wish);
}

function textControl(setting, common, wish) {
  const input = h("input", { ...common, type: "text", maxlength: 500, autocomplete: "off", spellcheck: "false", pattern: setting.pattern, on: { change: () => wish(input.value.trim()) } });
  return { element: input, show: (value) => document.activeElement !== input && (input.value = value) };
}

function numberControl(setting, common, wish) {
  const step = setting.type === "integer" ? 1 : "any";
  const input = h("input", { ...common, type: "number", step, min: setting.minimum ?? setting.above, max: setting.maximum, autocomplete: "off" });
  // Nothing in it stands for the default.
  input.addEventListener("change", () => wish(input.value === "" ? null : input.valueAsNumber));
  return { element: input, show: (value) => document.activeElement !== input && (input.value = String(value)) };
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function exampleOf(setting) {
  const found = /e\.g\. \["([^"]+)"/.exec(setting.description);
  return found ? found[1] : "";
}
