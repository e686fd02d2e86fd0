/** A workflow that somebody has handed on, as a zip file. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { percent } from "../shared/format.js";
import { replaces } from "./workflow_maker.js";

/** @returns {{element: HTMLElement}} */
export function importForm() {
  const file = h("input", { id: "import-file", type: "file", accept: ".zip,application/zip", "aria-describedby": "import-problem" });
  const name = h("input", { id: "import-name", type: "text", maxlength: "100", autocomplete: "off", placeholder: "As in the file" });
  const problem = h("p", { id: "import-problem", class: "problem", role: "alert", hidden: true });
  const state = h("p", { class: "muted small", role: "status" });
  const button = h("button", { class: "button primary", type: "submit" }, "Import");
  const element = h(
    "form",
    { class: "stack", "aria-label": "Import a workflow", novalidate: true },
    h("div", { class: "field" }, h("label", { class: "label", for: "import-file" }, "Zip file with a schema.json"), file),
    h("div", { class: "field" }, h("label", { class: "label", for: "import-name" }, "Another name"), name),
    problem,
    h("div", { class: "row" }, button, state),
  );
  const tell = (text) => {
    problem.textContent = text;
    problem.hidden = text === "";
  };
  const send = async (force) => {
    const metadata = { force, ...(name.value.trim() && { name: name.value.trim() }) };
    try {
      const taken = await api.upload("/workflows/import", file.files[0], metadata, (part) => fill(state, `Sending, ${percent(part)}`), "workflow");
      location.assign(api.address("ui", "workflows", taken.name));
    } catch (error) {
      fill(state);
      if (error.status !== 409 || force) return tell(error.message);
      if (await replaces(name.value.trim() || "of that name")) await send(true);
    }
  };
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    tell("");
    if (!file.files[0]) {
      tell("Choose a zip file first.");
      return file.focus();
    }
    button.disabled = true;
    await send(false);
    button.disabled = false;
  });
  return { element };
}
