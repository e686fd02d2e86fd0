/** The settings page: keys, privacy, limits, agents, health. */

import { coded } from "./coded.js";
import { byId, fill, h } from "../shared/dom.js";
import { drafts } from "./drafts.js";
import { healthPanel } from "./health_panel.js";
import { keyList } from "./key_list.js";
import { limitGroups } from "./limit_groups.js";
import { live } from "../shared/live.js";
import { whenChangedElsewhere } from "./other_windows.js";
import { every } from "../shared/polling.js";
import { privacyPanel } from "./privacy_panel.js";
import { restartButton } from "./restart.js";
import { saveBar } from "./save_bar.js";
import { wordsOf } from "./setting_field.js";
import { settingsNavigation } from "./settings_navigation.js";
import { showSnippets } from "./snippets.js";
import { api } from "../shared/api.js";

const EVERY_MS = 15000;
let built = false;

async function load() {
  try {
    await drafts.load();
  } catch (error) {
    if (!built) fill(byId("warnings"), h("p", { class: "panel problem", role: "alert" }, error.message));
    throw error;
  }
  if (built) return;
  built = true;
  privacyPanel(byId("privacy-panels"));
  limitGroups(byId("limit-groups"));
  drafts.on(warn);
  saveBar();
  navigation.arrive();
}

/** What stands in the way, and what waits: once, above all else. */
function warn() {
  const { problem, settings } = drafts.all;
  const waiting = settings.filter((setting) => setting.restart).map((setting) => wordsOf(setting.name));
  const place = byId("warnings");
  const text = `${problem} ${waiting.join()}`;
  if (place.dataset.text === text) return;
  place.dataset.text = text;
  fill(
    place,
    problem && h("p", { class: "panel ask" }, h("strong", {}, "The settings file cannot be used: "), problem, " Until then nothing else can be saved here."),
    waiting.length > 0 &&
      h(
        "div",
        { class: "panel ask stack tight" },
        h("div", { class: "row between" }, h("p", { class: "grow" }, h("strong", {}, "Waits for the daemon's next start: "), waiting.join(", "), "."), restartButton()),
        h("p", { class: "muted small" }, coded("By hand: Ctrl+C where it runs, then `vaider serve`; a service manager's restart does the same.")),
      ),
  );
}

async function about(report) {
  const { version, uptime_seconds: uptime } = report ? { version: report.versions.vaider } : await api.get("/health");
  const rows = [
    ["Vaider", version],
    uptime !== undefined && ["Up for", `${Math.round(uptime / 60)} min`],
    report && ["Data", h("code", {}, report.data_dir)],
    report && ["Log", h("code", {}, report.log)],
    drafts.all && ["Settings file", h("code", {}, drafts.all.file)],
    ...Object.entries(report?.versions ?? {}).filter(([name]) => name !== "vaider"),
  ].filter(Boolean);
  fill(
    byId("facts"),
    h("dl", { class: "facts" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    h("p", {}, "There is no telemetry: nothing is counted, and nobody is told that Vaider runs. With the provider ", h("code", {}, "local"), " no byte leaves this machine."),
    h("p", { class: "row" }, h("a", { href: "/docs" }, "The HTTP interface"), h("a", { href: "/ui/welcome" }, "The welcome page")),
  );
}

const navigation = settingsNavigation();
const keys = keyList(byId("key-list"));
showSnippets(byId("snippets"));
healthPanel(about);
about(null).catch(() => {});
const settings = every(EVERY_MS, async () => {
  await load();
  await keys();
});
live.back(settings.now);
whenChangedElsewhere("settings", settings.now);
