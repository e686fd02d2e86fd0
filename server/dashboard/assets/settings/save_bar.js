/** What waits to be saved, and saving it. */

import { ask } from "../shared/dialog.js";
import { byId, fill, h } from "../shared/dom.js";
import { drafts } from "./drafts.js";
import { plural } from "../shared/format.js";
import { notice } from "../shared/notice.js";
import { shownValue, wordsOf } from "./setting_field.js";

/** What leaves this machine from then on. */
const LEAVING = {
  memory_refiner: {
    gemini: "Clips of what you did and the words of its steps go to Gemini.",
    vision: "Pictures of what you did and the words of its steps go to the server of vision_base_url.",
    memories: "Whole segments of the recording go to Memories.ai, and lie there until they are forgotten here.",
  },
  embeddings_provider: {
    gemini: "The words of what you did, and of each question about it, go to Gemini.",
    openai: "The words of what you did, and of each question about it, go to OpenAI, or to the server of embeddings_base_url.",
  },
  provider: {
    gemini: "Each video that is watched or learned from goes to Gemini, unless somebody asks for another provider.",
    vision: "Key frames of each video that is watched, and the text in it, go to the server of vision_base_url.",
  },
  replay_provider: Object.fromEntries(
    ["anthropic", "openai", "gemini", "tagged"].map((name) => [name, `Screenshots of the display of each run go to ${name === "tagged" ? "the server of tagged_provider" : name}.`]),
  ),
};

/** Show it whenever there is something to be saved. */
export function saveBar() {
  const told = h("p", { class: "grow", role: "status" });
  // They stay the same elements: what is typed becomes a change as soon as one of them is pressed.
  const discard = h("button", { class: "button", type: "button", on: { click: drafts.discard } }, "Discard");
  const keep = h("button", { class: "button primary", type: "button", on: { click: save } }, "Save");
  fill(byId("save-bar"), told, discard, keep);
  drafts.on(() => show(told));
  addEventListener("beforeunload", (event) => {
    if (drafts.count > 0) event.preventDefault();
  });
}

function show(told) {
  byId("save-bar").hidden = drafts.count === 0;
  const names = drafts.names().map(wordsOf).join(", ");
  fill(
    told,
    drafts.fault
      ? h("span", { class: "problem" }, drafts.fault.message)
      : drafts.count > 0 && [h("strong", {}, `${plural(drafts.count, "change")} not saved`), h("span", { class: "muted save-names" }, ` ${names}`)],
  );
}

async function save() {
  for (const [name, value] of drafts.names().map((each) => [each, drafts.value(each)])) {
    const leaves = LEAVING[name]?.[value];
    if (!leaves) continue;
    const text = `${leaves} What left is listed under Privacy. You can set it back at any time.`;
    if (!(await ask({ title: `${wordsOf(name)}: ${shownValue(value)}?`, text, action: "Yes, save" }))) return;
  }
  const names = drafts.names();
  if (await drafts.save()) {
    const waits = names.some((name) => drafts.setting(name).restart);
    return notice(waits ? "Saved; in force when the daemon is started again." : "Saved, and in force now.");
  }
  const field = drafts.fault.field && byId(`field-${drafts.fault.field}`);
  if (!field) return;
  field.closest("details")?.setAttribute("open", "");
  field.focus();
}
