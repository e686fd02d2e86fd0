/** All other settings, by the headings that they have in their file. */

import { coded } from "./coded.js";
import { byId, fill, h } from "../shared/dom.js";
import { drafts } from "./drafts.js";
import { plural } from "../shared/format.js";
import { isPrivate } from "./privacy_panel.js";
import { settingField, updateField, wordsOf } from "./setting_field.js";

const groups = [];

/** Build them once the settings are known. @param {Element} container */
export function limitGroups(container) {
  for (const section of drafts.all.sections) {
    const settings = drafts.all.settings.filter((setting) => setting.section === section.name && !isPrivate(setting.name));
    if (settings.length > 0) groups.push(group(section, settings));
  }
  fill(container, groups.map(({ element }) => element));
  drafts.on(update);
  const find = /** @type {HTMLInputElement} */ (byId("find"));
  const look = () => search(find.value.trim().toLowerCase());
  find.addEventListener("input", look);
  // Somebody was faster, or the browser has kept what stood in it.
  if (find.value !== "") look();
}

function group({ name, note }, settings) {
  const count = h("span", { class: "badge", hidden: true });
  const fields = settings.map((setting) => ({ setting, element: settingField(setting) }));
  const element = h(
    "details",
    { class: "panel" },
    h("summary", {}, name, " ", count),
    note && h("p", { class: "muted small" }, coded(note)),
    h("div", { class: "setting-grid" }, fields.map((field) => field.element)),
  );
  return { element, count, fields };
}

function update() {
  let changed = 0;
  for (const { count, fields } of groups) {
    let here = 0;
    for (const { setting, element } of fields) {
      updateField(element, drafts.setting(setting.name));
      if (JSON.stringify(drafts.value(setting.name)) !== JSON.stringify(setting.default)) here += 1;
    }
    count.hidden = here === 0;
    count.textContent = `${here} changed`;
    changed += here;
  }
  fill(byId("limits-note"), changed === 0 ? "All have their defaults." : `${plural(changed, "setting")} changed from the default.`);
}

function search(text) {
  for (const { element, fields } of groups) {
    let found = 0;
    for (const { setting, element: field } of fields) {
      const here = [setting.name, wordsOf(setting.name), setting.description, setting.section].some((words) => words.toLowerCase().includes(text));
      field.hidden = !here;
      found += here ? 1 : 0;
    }
    element.hidden = found === 0;
    element.open = text !== "" && found > 0;
  }
}
