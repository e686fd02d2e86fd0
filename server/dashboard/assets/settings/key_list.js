/** Keys of providers: whether there are any, and giving and taking them; a key is never shown. */

import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { fill, h, keyed, link } from "../shared/dom.js";
import { failure, notice } from "../shared/notice.js";
import { tellWindows, whenChangedElsewhere } from "./other_windows.js";

let known = { keys: [], keyring: "none", file: null };
/** The rows that a key is being typed into. */
const open = new Set();

/** Show them, and go on doing so. @param {Element} container @returns {() => Promise<void>} asks again */
export function keyList(container) {
  const list = h("ul", { class: "list panel" });
  const note = h("p", { class: "muted small" });
  const load = async () => {
    try {
      known = await api.get("/keys");
      if (!list.isConnected) fill(container, note, list);
      draw();
    } catch (error) {
      if (!list.isConnected) fill(container, h("p", { class: "problem", role: "alert" }, error.message));
    }
  };
  const draw = () => {
    keyed(list, known.keys, (key) => key.name, () => h("li", { class: "key" }), (row, key) => update(row, key, load));
    note.textContent = told();
  };
  load();
  whenChangedElsewhere("keys", load);
  return load;
}

function told() {
  if (known.keyring === "usable") return "New keys go into this machine's keyring.";
  if (known.keyring === "locked") return "This machine's keyring is locked: unlock it to use and to keep keys.";
  return `This machine has no keyring that keeps secrets. With your consent a key goes into ${known.file}, which only you can read, not encrypted.`;
}

function update(row, key, load) {
  const state = `${JSON.stringify(key)} ${open.has(key.name)}`;
  if (row.dataset.state === state) return;
  const hadFocus = row.contains(document.activeElement);
  row.dataset.state = state;
  const kept = key.source === "keyring" || key.source === "file";
  const toggle = (shown) => {
    if (shown) open.add(key.name);
    else open.delete(key.name);
    update(row, key, load);
    row.querySelector(shown ? "input" : "button")?.focus();
  };
  fill(
    row,
    h(
      "div",
      { class: "row between top-aligned" },
      h("div", { class: "grow" }, h("div", { class: "row" }, h("h3", {}, key.title), badge(key)), h("p", { class: "muted small" }, `${sentence(key.adds)} `, where(key))),
      h(
        "div",
        { class: "row" },
        h("button", { class: "button small", type: "button", "aria-label": `${kept ? "Replace" : "Set"} the key of ${key.title}`, on: { click: () => toggle(true) } }, kept ? "Replace" : "Set"),
        kept && h("button", { class: "button danger small", type: "button", "aria-label": `Remove the key of ${key.title}`, on: { click: () => remove(key, load) } }, "Remove"),
      ),
    ),
    key.problem && h("p", { class: "problem small" }, key.problem),
    open.has(key.name) && form(key, toggle, load),
  );
  if (hadFocus && !row.contains(document.activeElement)) row.querySelector("button")?.focus();
}

function badge(key) {
  if (key.saved) return h("span", { class: "badge good" }, `saved, ${place(key.source)}`);
  return key.problem ? h("span", { class: "badge warn" }, "not known") : h("span", { class: "badge muted" }, "not set");
}

function place(source) {
  return { keyring: "in the keyring", file: "in a file" }[source] ?? `from ${source}`;
}

function where(key) {
  const page = key.page && link(key.page);
  return page ? h("a", { href: page, target: "_blank", rel: "noreferrer" }, "Make one", h("span", { class: "visually-hidden" }, ` for ${key.title}, in a new window`)) : null;
}

function form(key, toggle, load) {
  const id = `key-${key.name}`;
  const input = h("input", { id, type: "password", autocomplete: "off", spellcheck: "false", maxlength: 4096, required: true, "aria-describedby": `${id}-hint` });
  const fault = h("p", { class: "problem small", role: "alert" });
  const button = h("button", { class: "button primary", type: "submit" }, "Save");
  const submit = async (event) => {
    event.preventDefault();
    const value = input.value.trim();
    // It is in no field any more before anything else happens.
    input.value = "";
    if (value === "") return;
    button.disabled = true;
    fault.textContent = await kept(key, value);
    button.disabled = false;
    if (fault.textContent !== "") return input.focus();
    toggle(false);
    await load();
  };
  const variables = key.variables.join(" or ");
  return h(
    "form",
    { class: "stack key-form", autocomplete: "off", on: { submit } },
    h("div", { class: "field" }, h("label", { class: "label", for: id }, `Key of ${key.title}`), input, h("span", { id: `${id}-hint`, class: "hint" }, key.variables.includes(key.source) ? `${key.source} of the daemon's environment wins over a kept key.` : `${variables} in the daemon's environment would win over it.`)),
    fault,
    h("div", { class: "row end" }, h("button", { class: "button", type: "button", on: { click: () => toggle(false) } }, "Cancel"), button),
  );
}

/** Keep it; what went wrong, or nothing. */
async function kept(key, value) {
  const inFile = known.keyring === "none";
  if (inFile && !(await agreed())) return "Nothing was kept.";
  try {
    await api.put(api.address("keys", key.name), inFile ? { key: value, store: "file" } : { key: value });
    tellWindows("keys");
    notice(`The key of ${key.title} is kept. Runs and analyses use it from now on.`);
    return "";
  } catch (error) {
    return error.message;
  }
}

function agreed() {
  const text = `This machine has no keyring that keeps secrets. The key would be written to ${known.file}, not encrypted, readable by you alone. The other way is a variable of the daemon's environment.`;
  return ask({ title: "Keep keys in a file?", text, action: "Keep it in the file" });
}

async function remove(key, load) {
  const sure = { title: `Remove the key of ${key.title}?`, text: "It is forgotten here. To make it useless elsewhere, delete it at the provider too.", action: "Remove", dangerous: true };
  if (!(await ask(sure))) return;
  try {
    await api.del(api.address("keys", key.name));
    tellWindows("keys");
    notice(`The key of ${key.title} is forgotten.`);
  } catch (error) {
    failure(error);
  }
  await load();
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
