/** Every state that HEARTBEAT.md had: who made it, what it changed, and back to it. */

import { api } from "../shared/api.js";
import { unified } from "./difference.js";
import { fill, h, keyed } from "../shared/dom.js";
import { ago, bytes, moment } from "../shared/format.js";
import { failure, notice } from "../shared/notice.js";

const MORE = 20;
const WRITERS = { hand: "by hand", http: "in the dashboard or by a program", cli: "on the command line", mcp: "by an agent" };

/**
 * @param {{task: string, changed: () => Promise<any>}} part
 * @returns {{element: HTMLElement, update: (newest: number) => void}}
 */
export function versionList({ task, changed }) {
  const list = h("ul", { class: "list" });
  const more = h("button", { class: "button small", type: "button", hidden: true }, "Show more");
  const problem = h("p", { class: "problem", hidden: true });
  const element = h("div", { class: "stack tight" }, list, problem, h("div", { class: "row" }, more));
  let shown = MORE;
  let versions = [];
  let newest = null;

  const show = () => {
    // What cannot be read has no newest version that it is already.
    const last = newest === 0 ? null : versions.at(-1)?.number;
    const found = versions.toReversed().slice(0, shown);
    keyed(list, found, (each) => each.number, (each) => row(task, each, changed), (item, each) => (item.querySelector(".restore").hidden = each.number === last));
    more.hidden = versions.length <= shown;
  };
  more.addEventListener("click", () => {
    shown += MORE;
    show();
  });
  return {
    element,
    async update(number) {
      if (number === newest) return;
      newest = number;
      try {
        ({ versions } = await api.get(api.address("tasks", task, "versions")));
        problem.hidden = true;
        show();
      } catch (error) {
        newest = null;
        problem.textContent = error.message;
        problem.hidden = false;
      }
    },
  };
}

/** Who has written a version, as the middle of a sentence. */
export function writer({ by }) {
  return WRITERS[by] ?? `by ${by}`;
}

function row(task, version, changed) {
  const { number } = version;
  const place = h("div", { hidden: true });
  const look = h("button", { class: "button small", type: "button", "aria-expanded": "false", "aria-label": `Changes of version ${number}` }, "Changes");
  const back = h("button", { class: "button small restore", type: "button", "aria-label": `Restore version ${number}` }, "Restore");
  look.addEventListener("click", () => open(task, number, look, place));
  back.addEventListener("click", async () => {
    back.disabled = true;
    try {
      const done = await api.post(api.address("tasks", task, "restore"), { version: number });
      await changed();
      notice(`HEARTBEAT.md is what it was in version ${number}; this is version ${done.version.number}, and can be taken back too.`);
    } catch (error) {
      failure(error);
    }
    back.disabled = false;
  });
  return h(
    "li",
    { class: "stack tight" },
    h(
      "div",
      { class: "row between" },
      h(
        "div",
        { class: "row" },
        h("strong", { class: "number" }, `Version ${number}`),
        h("time", { class: "muted", datetime: version.at, title: moment(version.at) }, ago(version.at)),
      ),
      h("div", { class: "row" }, look, back),
    ),
    h("p", { class: "muted small" }, [version.why || "changed", writer(version), bytes(version.size)].join(" · ")),
    place,
  );
}

async function open(task, number, look, place) {
  const opens = place.hidden;
  look.setAttribute("aria-expanded", String(opens));
  place.hidden = !opens;
  if (!opens || place.firstElementChild) return;
  try {
    const { diff, text } = await api.get(api.address("tasks", task, "versions", number));
    const label = `Changes of version ${number}`;
    fill(place, number === 1 || diff === "" ? h("pre", { tabindex: "0", "aria-label": `Version ${number}` }, text) : unified(diff, label));
  } catch (error) {
    fill(place, h("p", { class: "problem" }, error.message));
  }
}
