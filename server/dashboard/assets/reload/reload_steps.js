/** What an entry does, step by step, with pictures of its targets; and what its healing would change. */

import { fill, h, svg } from "../shared/dom.js";
import { actionWords } from "./reload_words.js";

const HEAD = 32;
const PICTURED = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The list of steps, each of which can be left out.
 * @param {HTMLElement} list
 * @param {(skipped: number[], all: boolean) => void} changed
 * @returns {{update: (actions: object[]) => void}}
 */
export function stepList(list, changed) {
  const tell = () => {
    const boxes = [...list.querySelectorAll("input[type=checkbox]")];
    const skipped = boxes.filter((box) => !box.checked).map((box) => Number(box.value));
    for (const box of boxes) box.closest("li").classList.toggle("skipped", !box.checked);
    changed(skipped, boxes.length > 0 && skipped.length === boxes.length);
  };
  list.addEventListener("change", tell);
  return {
    update(actions) {
      fill(list, actions.map(step));
      tell();
    },
  };
}

function step(action) {
  const label = `Do action ${action.index + 1}: ${actionWords(action)}`;
  return h(
    "li",
    { class: "step" },
    h("span", { class: "step-number number", "aria-hidden": "true" }, action.index + 1),
    h("div", { class: "stack tight grow" }, ...told(action), targetPicture(action)),
    h("label", { class: "check-field small step-do" }, h("input", { type: "checkbox", value: String(action.index), checked: true, "aria-label": label }), h("span", { "aria-hidden": "true" }, "do it")),
  );
}

function told(action) {
  return [
    h("p", { class: "step-words" }, actionWords(action)),
    action.window && h("p", { class: "small muted" }, `in ${action.window}`),
    action.effect && h("p", { class: "small muted" }, `then ${action.effect}`),
  ].filter(Boolean);
}

/** What healing has found: before and after, side by side. @returns {HTMLElement[]} */
export function differences(entry) {
  if (entry.healingSteps.length === 0) return [];
  const tried = `A replay found its target elsewhere and went on there. This has succeeded ${entry.proposalSuccesses} of 2 times; after the second the entry is changed so.`;
  return [h("p", { class: "muted small" }, tried), ...entry.healingSteps.map(difference)];
}

function difference(step) {
  const name = `difference-${step.index}`;
  return h(
    "section",
    { class: "panel stack", "aria-labelledby": name },
    h("h3", { id: name }, `Action ${step.index + 1}: ${step.told}`),
    h("div", { class: "split before-after" }, side("As it is kept", step.before), side("As it was found", step.after)),
  );
}

function side(name, action) {
  return h("div", { class: "stack tight" }, h("h4", { class: "muted" }, name), ...told(action), targetPicture(action));
}

/**
 * The picture by which a target is found again, with the target boxed and the place of the click marked; null without one.
 * @param {{anchor: any, words: string, target: string}} action
 */
export function targetPicture(action) {
  const { anchor } = action;
  const size = anchor && pngSize(anchor.image);
  if (!size) return null;
  const [width, height] = size;
  const { core, point } = anchor;
  const label = `The picture by which its target is found: ${actionWords(action)}`;
  return svg(
    "svg",
    { class: "target picture", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    svg("image", { href: `data:image/png;base64,${anchor.image}`, width, height }),
    svg("rect", { class: "target-core", x: core.x, y: core.y, width: core.width, height: core.height }),
    svg("circle", { class: "target-point", cx: point.x, cy: point.y, r: 3 }),
  );
}

/** Width and height out of a PNG's head; null of what is none. */
function pngSize(image) {
  if (typeof image !== "string" || !PICTURED.test(image)) return null;
  const head = atob(image.slice(0, HEAD));
  if (head.length < 24 || !head.startsWith("\x89PNG")) return null;
  const number = (at) => [0, 1, 2, 3].reduce((value, more) => value * 256 + head.charCodeAt(at + more), 0);
  const [width, height] = [number(16), number(20)];
  return width > 0 && height > 0 ? [width, height] : null;
}
