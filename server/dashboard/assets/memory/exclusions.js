/** What of the screen would be blacked out now: its windows drawn as boxes, without a pixel of them. */

import { api } from "../shared/api.js";
import { fill, h, svg } from "../shared/dom.js";
import { plural } from "../shared/format.js";
import { every } from "../shared/polling.js";

const EVERY_MS = 5000;
const SETTLED_MS = 300;
const LABEL = 0.028;
/** The stage is dark in both themes. */
const ON_BLACK = "light-dark(var(--panel), var(--text))";
let drawn = 0;

/**
 * Draw the preview, now and while the page is looked at.
 * @param {Element} container
 * @param {() => {exclude_apps?: string[], exclude_titles?: string[], exclude_urls?: string[], exclude_usual?: boolean}} getPatterns
 *     asked each time; what is left out is as in the settings
 * @returns {{refresh: () => void, stop: () => void}} `refresh` once the patterns have changed, `stop` when it is not shown
 */
export function exclusionPreview(container, getPatterns) {
  let asked = 0;
  let timer = 0;
  let before = "";
  const look = async () => {
    const mine = ++asked;
    let found;
    try {
      found = await api.post("/recorder/preview", getPatterns());
    } catch (error) {
      if (mine !== asked) return;
      before = "";
      return void fill(container, h("p", { class: "muted" }, error.message));
    }
    // An answer to older patterns is not shown; the same again is left as it is, with whatever is selected in it.
    const text = JSON.stringify(found);
    if (mine !== asked || text === before) return;
    before = text;
    fill(container, found.reason ? h("p", { class: "muted" }, found.reason) : [picture(found), list(found)]);
  };
  fill(container, h("p", { class: "muted" }, "Looking at the windows …"));
  const polled = every(EVERY_MS, look);
  return {
    refresh() {
      clearTimeout(timer);
      timer = setTimeout(look, SETTLED_MS);
    },
    stop() {
      clearTimeout(timer);
      asked += 1;
      polled.stop();
    },
  };
}

function picture({ width, height, area, windows }) {
  const size = Math.max(10, Math.round(Math.max(width, height) * LABEL));
  const hidden = windows.filter((window) => window.excluded);
  const hatch = `hatch-${++drawn}`;
  const text = `The screen with ${plural(windows.length, "window")}, of which ${hidden.length} would be black. The list below names them.`;
  const stripes = svg(
    "pattern",
    { id: hatch, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: size, height: size, fill: "var(--stage)" }),
    svg("rect", { width: size / 6, height: size, fill: "var(--muted)", opacity: 0.5 }),
  );
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text, class: "exclusion-picture", width: "100%", preserveAspectRatio: "xMidYMid meet" },
    svg("defs", {}, stripes),
    svg("rect", { width, height, fill: "var(--line)", stroke: "var(--strong-line)", "stroke-width": size / 8 }),
    svg("rect", { ...place(area), fill: "none", stroke: "var(--accent)", "stroke-width": size / 6, "stroke-dasharray": size / 2 }),
    windows.map((window, at) => box(window, at, size, hatch)),
  );
}

function place({ x, y, width, height }) {
  return { x, y, width, height };
}

function box(window, at, size, hatch) {
  const clip = `window-${drawn}-${at}`;
  const text = `${at + 1}  ${window.application || "?"}${window.excluded ? "  ✕" : ""}`;
  const { x, y } = window.box;
  return svg(
    "g",
    {},
    svg("clipPath", { id: clip }, svg("rect", place(window.box))),
    svg("rect", { ...place(window.box), fill: window.excluded ? `url(#${hatch})` : "var(--panel)", stroke: "var(--strong-line)", "stroke-width": size / 8 }),
    svg("text", { x: x + size / 2, y: y + size * 1.3, "font-size": size, "font-weight": 600, "clip-path": `url(#${clip})`, fill: window.excluded ? ON_BLACK : "var(--text)" }, text),
  );
}

function list({ windows }) {
  if (windows.length === 0) return h("p", { class: "muted" }, "No window is shown now.");
  const rows = windows.map((window, at) => ({ window, at })).reverse();
  return h(
    "ol",
    { class: "list exclusion-windows", "aria-label": "Windows, the topmost first" },
    rows.map(({ window, at }) =>
      h(
        "li",
        { class: "row between" },
        h("span", { class: "grow" }, h("span", { class: "muted number" }, `${at + 1} `), h("strong", {}, window.application || "A window that does not say what it is"), window.title ? h("span", { class: "muted" }, ` ${window.title}`) : null),
        window.excluded ? reason(window.why) : h("span", { class: "badge good" }, "recorded"),
      ),
    ),
  );
}

/** A pattern may be long: here a badge goes over several lines. */
function reason(why) {
  const badge = h("span", { class: "badge bad" }, `black: ${why}`);
  badge.style.setProperty("white-space", "normal");
  badge.style.setProperty("overflow-wrap", "anywhere");
  return badge;
}
