/** The live screen of a run: asked for again and again, sent only when it has changed. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { every } from "../shared/polling.js";

const LOOK_MS = 500;
const DRIVE_MS = 160;
const STEP = 160;
const WIDEST = 1920;

/**
 * @param {HTMLElement} place
 * @param {string} job its id
 */
export function liveScreen(place, job) {
  const image = h("img", { class: "run-picture", alt: "", draggable: "false", hidden: true });
  const mark = h("span", { class: "run-mark", "aria-hidden": "true", hidden: true });
  const words = h("p", { class: "run-nothing" }, "Looking …");
  const stage = h("div", { class: "run-stage", tabindex: "-1" }, image, mark, words);
  const caption = h("p", { class: "muted small row between" });
  fill(place, stage, caption);
  const state = { job, image, words, etag: "", address: "", size: null, width: 0, failed: "" };
  let polling = null;
  const pace = (ms) => {
    polling?.stop();
    polling = ms > 0 ? every(ms, () => look(state)) : null;
  };
  addEventListener("pagehide", () => URL.revokeObjectURL(state.address));
  return {
    stage,
    /** Watch it: `live`, `driven` or `still`. */
    watch: (how) => pace({ live: LOOK_MS, driven: DRIVE_MS }[how] ?? 0),
    /** One look, e.g. at how it was in the end. */
    once: () => look(state),
    /** It is there, but not to be seen. */
    say(text) {
      if (image.hidden) words.textContent = text;
    },
    caption: (...children) => fill(caption, ...children),
    /** In pixels of the desktop. @param {[number, number]|null} size */
    measure(size) {
      if (size === null) return;
      state.size = size;
      shape(stage, ...size);
    },
    get size() {
      return state.size;
    },
    /** The point that was acted on last. @param {{x_px?: number, y_px?: number}|null} action */
    point(action) {
      mark.hidden = !(state.size && action?.x_px >= 0 && action?.y_px >= 0);
      if (mark.hidden) return;
      const [left, top] = [action.x_px / state.size[0], action.y_px / state.size[1]];
      const before = `${mark.style.left} ${mark.style.top}`;
      mark.style.setProperty("left", `${(100 * left).toFixed(2)}%`);
      mark.style.setProperty("top", `${(100 * top).toFixed(2)}%`);
      if (before === `${mark.style.left} ${mark.style.top}`) return;
      mark.classList.remove("fresh");
      requestAnimationFrame(() => mark.classList.add("fresh"));
    },
    describe: (text) => image.setAttribute("alt", text),
  };
}

async function look(state) {
  const width = wanted(state.image.parentElement);
  if (width !== state.width) [state.width, state.etag] = [width, ""];
  const answer = await fetch(`${api.address("jobs", state.job, "screen.jpg")}?width=${width}`, {
    headers: state.etag ? { "If-None-Match": state.etag } : {}, cache: "no-store",
  });
  if (answer.status === 304) return;
  if (!answer.ok) {
    if (state.image.hidden) state.words.textContent = "There is no picture of its screen.";
    return;
  }
  const address = URL.createObjectURL(await answer.blob());
  state.etag = answer.headers.get("ETag") ?? "";
  state.image.src = address;
  await state.image.decode().catch(() => {});
  URL.revokeObjectURL(state.address);
  state.address = address;
  state.image.hidden = false;
  state.words.hidden = true;
  if (state.size === null && state.image.naturalHeight > 0) shape(state.image.parentElement, state.image.naturalWidth, state.image.naturalHeight);
}

function shape(stage, width, height) {
  stage.style.setProperty("--ratio", (width / height).toFixed(4));
}

/** As many pixels as are shown, in steps: each width is a picture of its own to the daemon. */
function wanted(stage) {
  const pixels = stage.clientWidth * Math.min(devicePixelRatio, 2);
  return Math.min(WIDEST, Math.max(STEP * 2, Math.ceil(pixels / STEP) * STEP));
}
