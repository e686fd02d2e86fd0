/** The film that a task was learned from: it plays the seconds that a step or a question is about. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { clock } from "../shared/format.js";

const BEFORE_MS = 1000;
const AFTER_MS = 1500;

/**
 * @param {HTMLElement} place hidden while there is no film
 * @param {string} task its id
 */
export function taskFilm(place, task) {
  const video = /** @type {HTMLVideoElement} */ (h("video", { class: "picture", controls: true, playsinline: true, preload: "metadata", "aria-label": "The film that this task was learned from" }));
  const said = h("p", { class: "muted small", role: "status" });
  let shown = "";
  let until = Infinity;
  video.muted = true;
  video.addEventListener("timeupdate", () => {
    if (video.currentTime * 1000 < until) return;
    until = Infinity;
    video.pause();
  });
  // Whoever moves on by hand watches on.
  video.addEventListener("seeking", () => video.paused && (until = Infinity));
  video.addEventListener("error", () => {
    video.hidden = true;
    said.textContent = "This browser cannot play the film.";
  });
  fill(place, video, said);
  place.hidden = true;
  return {
    /** @param {string} name of the recording; empty without one */
    update(name) {
      if (name === shown) return;
      shown = name;
      place.hidden = !name;
      video.hidden = false;
      said.textContent = "";
      if (name) video.src = api.address("tasks", task, "recordings", name);
    },
    has: () => shown !== "" && !video.hidden,
    /** Play what was shown from then until then. @param {number} from @param {number} to @param {string} what */
    play(from, to, what) {
      const begin = () => {
        video.currentTime = Math.max(0, from - BEFORE_MS) / 1000;
        until = to + AFTER_MS;
        video.play().catch(() => {});
      };
      if (video.readyState > 0) begin();
      else video.addEventListener("loadedmetadata", begin, { once: true });
      said.textContent = `${clock(from)}: ${what}`;
      video.scrollIntoView({ block: "nearest" });
    },
  };
}

/** The button of a moment. @param {number} ms @param {string} what @param {() => void} play */
export function momentButton(ms, what, play) {
  const text = clock(ms).replace(/\.\d$/, "");
  return h("button", { class: "button small moment number", type: "button", "aria-label": `Play ${text}: ${what}`, on: { click: play } }, "▶ ", text);
}
