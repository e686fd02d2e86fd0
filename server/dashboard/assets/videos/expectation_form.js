/** What should have happened, and who is to judge: the same fields wherever a video is asked about. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";

const WHO = { auto: "Automatic", local: "Offline, without a key", gemini: "Gemini", vision: "OpenAI-compatible model" };
const UNDERSTOOD = [
  ["there", '"Saved" is shown', 'I see "Saved"', 'the page contains "Saved"'],
  ["not there", '"Error" is not shown', 'never appears', 'no "Error"'],
  ["going, staying", '"Loading" disappears', '"Saved" stays for at least 3 s', 'until "B" appears'],
  ["order", '"Cart" is shown before "Paid"', '"A", then "B"'],
  ["time", "within 2 s", 'within 2 s after "Submit"', "no later than 5 s", "at 0:05"],
  ["number", "exactly 3 times", "at least twice", "once"],
  ["moments", "at the start", "at the end", "first", "last"],
  ["typing, change", '"alice" is typed', 'changes from "0" to "1"'],
  ["several", '"A" and "B" are shown', "or", "but", "then"],
];

/**
 * Fields for a form.
 * @param {{expectations?: string[], provider?: string}} [before]
 * @returns {{element: HTMLElement, value: () => {expectations: string[], provider?: string}, clear: () => void}}
 */
export function expectationForm(before = {}) {
  const lines = h("textarea", { rows: 4, spellcheck: false, "aria-describedby": "lines-hint", placeholder: '"Order 1042 confirmed" is shown\nno "Error"', value: (before.expectations ?? []).join("\n") });
  const who = h("select", { "aria-describedby": "who-hint" }, h("option", { value: "" }, "As in the settings"));
  const hint = h("span", { class: "hint", id: "who-hint" });
  lackedBy(who, hint, before.provider ?? "");
  return {
    element: h(
      "div",
      { class: "stack" },
      h(
        "label",
        { class: "field" },
        h("span", {}, "What should have happened"),
        lines,
        h("span", { class: "hint", id: "lines-hint" }, "One a line; may be left empty. Put what must be read into quotes."),
      ),
      understood(),
      h("label", { class: "field" }, h("span", {}, "Who watches"), who, hint),
    ),
    value() {
      const expectations = lines.value.split("\n").map((line) => line.trim()).filter(Boolean);
      return who.value ? { expectations, provider: who.value } : { expectations };
    },
    clear() {
      lines.value = "";
    },
  };
}

function understood() {
  const row = ([name, ...examples]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, examples.flatMap((each, place) => [place > 0 && " · ", h("code", {}, each)])));
  return h(
    "details",
    {},
    h("summary", { class: "small" }, "What is understood offline"),
    h("p", { class: "hint" }, "A model answers whatever is asked. The offline analyser understands quoted text in ordinary word order, and says “unclear”, with the reason, to everything else."),
    h("div", { class: "scroll understood", tabindex: 0, role: "region", "aria-label": "What is understood offline" }, h("table", { class: "table small" }, h("tbody", {}, UNDERSTOOD.map(row)))),
  );
}

/** Who could be asked; those that cannot now say what they lack. */
async function lackedBy(select, hint, wanted) {
  try {
    const { providers } = await api.get("/health");
    const names = ["auto", ...Object.keys(providers)];
    select.append(...names.map((name) => h("option", { value: name, disabled: providers[name]?.available === false }, WHO[name] ?? name)));
    select.value = names.includes(wanted) && providers[wanted]?.available !== false ? wanted : "";
    const lacking = Object.entries(providers).filter(([, one]) => !one.available).map(([name]) => WHO[name] ?? name);
    if (lacking.length > 0) fill(hint, `Not set up: ${lacking.join(", ")}. `, "The ", h("a", { href: "/ui/settings" }, "settings"), " say what they need.");
  } catch {
    // Without the list the setting's provider is asked, which is what most want.
  }
}
