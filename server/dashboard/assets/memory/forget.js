/** A stretch of the recording removed, after asking: its pictures, its log, and what is remembered of it. */

import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { h } from "../shared/dom.js";
import { lasting, moment, plural } from "../shared/format.js";
import { failure, notice } from "../shared/notice.js";

const GONE = "Pictures, logs and memories of it are removed from the disk. This cannot be taken back.";

/** Forget the last so many minutes. @param {number} minutes @returns {Promise<boolean>} whether it was done */
export async function forgetLast(minutes) {
  const title = `Forget the last ${minutes === 1 ? "minute" : `${minutes} minutes`}?`;
  if (!(await ask({ title, text: GONE, action: "Forget", dangerous: true }))) return false;
  return remove({ last: `${minutes}m` });
}

/** Forget from one moment to another, which may still be changed. @param {number} from @param {number} until */
export async function forgetBetween(from, until) {
  const begin = field("From", from);
  const end = field("Until", until);
  const content = h("div", { class: "row" }, begin.element, end.element);
  if (!(await ask({ title: "Forget a stretch?", text: GONE, content, action: "Forget", dangerous: true }))) return false;
  const [since, to] = [begin.moment(), end.moment()];
  if (since === null || to === null || since >= to) {
    notice("Nothing was forgotten: the stretch has to begin before it ends.", "bad");
    return false;
  }
  return remove({ since: new Date(since).toISOString(), until: new Date(to).toISOString() });
}

async function remove(stretch) {
  notice("Forgetting: what is left of a segment is encoded anew.");
  try {
    const { since, until, segments, memories } = await api.post("/recorder/forget", stretch);
    const length = lasting(Date.parse(until) - Date.parse(since));
    const parts = [plural(segments, "segment"), plural(memories, "memory").replace("memorys", "memories")];
    notice(`Forgotten: ${length} from ${moment(since)} on (${parts.join(", ")}).`);
    return true;
  } catch (error) {
    failure(error);
    return false;
  }
}

function field(label, at) {
  const input = h("input", { type: "datetime-local", step: "1", value: local(at) });
  const element = h("label", { class: "field grow" }, h("span", {}, label), input);
  return { element, moment: () => (input.value ? new Date(input.value).getTime() : null) };
}

/** As the field spells it: the clock on the wall. */
function local(at) {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
