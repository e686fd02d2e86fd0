/** A list of texts that is edited in place. */

import { fill, h } from "../shared/dom.js";

/**
 * @param {{id: string, label: string, placeholder?: string, change: (values: string[]) => void}} options
 * @returns {{element: HTMLElement, show: (values: string[]) => void}}
 */
export function listEditor({ id, label, placeholder = "", change }) {
  let values = [];
  const rows = h("ul", { class: "editor-rows", "aria-label": label });
  const added = h("input", { id, type: "text", placeholder, autocomplete: "off", spellcheck: "false", maxlength: 500 });
  const tell = (next) => {
    values = next;
    change(next);
  };
  const add = () => {
    const text = added.value.trim();
    added.value = "";
    if (text !== "" && !values.includes(text)) tell([...values, text]);
  };
  added.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    add();
  });
  // Whoever goes on without pressing Add meant it too.
  added.addEventListener("change", add);
  const row = (value, at) => {
    const edit = (event) => {
      const text = event.target.value.trim();
      tell(text === "" ? without(values, at) : values.map((each, place) => (place === at ? text : each)));
    };
    const remove = () => {
      tell(without(values, at));
      added.focus();
    };
    return h(
      "li",
      { class: "editor-row" },
      h("input", { type: "text", value, maxlength: 500, spellcheck: "false", "aria-label": `${label}, ${at + 1}`, on: { change: edit } }),
      h("button", { class: "button quiet small", type: "button", "aria-label": `Remove ${value}`, on: { click: remove } }, "Remove"),
    );
  };
  return {
    element: h("div", { class: "editor" }, rows, h("div", { class: "editor-row" }, added, h("button", { class: "button small", type: "button", on: { click: add } }, "Add"))),
    show(next) {
      // What is typed in just now is left alone.
      if (JSON.stringify(next) === rows.dataset.shown) return;
      values = next;
      rows.dataset.shown = JSON.stringify(next);
      fill(rows, next.map(row));
      rows.hidden = next.length === 0;
    },
  };
}

function without(values, at) {
  return values.filter((_, place) => place !== at);
}
