/** What is never recorded, how the rest is, and what of it has left this machine. */

import { api } from "../shared/api.js";
import { coded } from "./coded.js";
import { fill, h, link } from "../shared/dom.js";
import { drafts } from "./drafts.js";
import { exclusionPreview } from "../memory/exclusions.js";
import { bytes, moment } from "../shared/format.js";
import { settingField, updateField } from "./setting_field.js";

const EXCLUDED = ["record_exclude_apps", "record_exclude_titles", "record_exclude_urls", "record_exclude_usual"];
const KEPT = ["record_keep_segments", "record_keep_days", "record_keep_bytes", "memory_keep_days"];
const LEAVES = ["memory_refiner", "memory_refiner_daily_calls", "memories_base_url", "embeddings_provider", "embeddings_model", "embeddings_base_url"];
const SENT = 50;
const fields = new Map();

/** Whether a setting stands here, not among the limits. */
export function isPrivate(name) {
  return EXCLUDED.includes(name) || KEPT.includes(name) || LEAVES.includes(name) || (name.startsWith("record_") && name !== "record_microphone");
}

/** Build it once the settings are known. @param {Element} container */
export function privacyPanel(container) {
  const recording = drafts.all.settings.map((setting) => setting.name).filter((name) => isPrivate(name) && ![...EXCLUDED, ...KEPT, ...LEAVES].includes(name));
  const preview = h("div", { class: "stack" });
  const sent = h("div", {});
  fill(
    container,
    h(
      "div",
      { class: "panel stack" },
      h("h3", {}, "Never recorded"),
      h("p", { class: "muted small" }, coded("Patterns regard no case. One without `*` and `?` is looked for anywhere in the text; one with them has to match the whole of it.")),
      h("div", { class: "setting-grid" }, EXCLUDED.map(field)),
      h("h4", {}, "What would be blacked out now"),
      preview,
    ),
    group("The recording", recording),
    group("How long it is kept", KEPT),
    h("div", { class: "panel stack" }, h("h3", {}, "What leaves this machine"), sent, h("div", { class: "setting-grid" }, LEAVES.map(field))),
  );
  let refiner = null;
  drafts.on(() => {
    for (const [name, element] of fields) updateField(element, drafts.setting(name));
    const now = drafts.setting("memory_refiner").value;
    if (now !== refiner) showSent(sent);
    refiner = now;
  });
  watchWindows(preview);
}

function group(title, names) {
  return h("details", { class: "panel", open: false }, h("summary", {}, title), h("div", { class: "setting-grid" }, names.map(field)));
}

function field(name) {
  const element = settingField(drafts.setting(name));
  fields.set(name, element);
  return element;
}

/** The windows are asked for only while the picture of them is on the screen. */
function watchWindows(place) {
  let preview = null;
  const wished = () => Object.fromEntries(EXCLUDED.map((name) => [name.replace("record_", ""), drafts.value(name)]));
  drafts.on(() => preview?.refresh());
  new IntersectionObserver(([entry]) => {
    if (entry.isIntersecting && preview === null) preview = exclusionPreview(place, wished);
    if (!entry.isIntersecting && preview !== null) {
      preview.stop();
      preview = null;
    }
  }).observe(place.parentElement);
}

async function showSent(place) {
  try {
    fill(place, sentList(await api.get(`/memory/sent?limit=${SENT}`)));
  } catch (error) {
    fill(place, h("p", { class: "muted" }, error.message));
  }
}

function sentList({ refiner, sent, left_there: leftThere, problem }) {
  return h(
    "div",
    { class: "stack" },
    problem && h("p", { class: "problem" }, problem),
    leftThere.length > 0 && h("p", { class: "problem" }, `${leftThere.length} segments lie elsewhere and should not: they could not be deleted there so far.`),
    sent.length === 0
      ? h("p", {}, h("span", { class: "badge good" }, "nothing"), ` Nothing of what was recorded has left${refiner === "none" ? ", and nobody is switched on to whom it could go." : " so far."}`)
      : h(
          "div",
          { class: "scroll", tabindex: "0", role: "region", "aria-label": "What left" },
          h(
            "table",
            { class: "table" },
            h("thead", {}, h("tr", {}, ["When", "What", "Where to", "How much"].map((text) => h("th", { scope: "col" }, text)))),
            h("tbody", {}, sent.map(sentRow)),
          ),
        ),
    sent.length === SENT && h("p", { class: "muted small" }, coded(`The newest ${SENT}; \`vaider record sent\` lists all.`)),
  );
}

function sentRow({ at, what, host, model, memory, bytes: size, text_bytes: textSize }) {
  return h(
    "tr",
    {},
    h("td", {}, h("time", { datetime: at }, moment(at))),
    h("td", {}, memory ? h("a", { href: link(`/ui/memory#${encodeURIComponent(memory)}`) }, what) : what),
    h("td", {}, host, model && h("span", { class: "muted" }, ` ${model}`)),
    h("td", { class: "number" }, bytes(size + textSize)),
  );
}
