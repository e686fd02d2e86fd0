/** The clip of a memory: nothing of it is fetched before somebody asks to see it, but for the picture of a card in sight. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { lasting } from "../shared/format.js";

/**
 * A place for the clip, and the button that plays it.
 * @param {string} id the memory's
 * @param {number} ms how long it is
 * @param {string} summary for those who do not see it
 * @param {HTMLImageElement|false} poster of a large button, which stands where the clip will be; else it is a small one, to be
 *   put elsewhere
 * @returns {{button: HTMLElement, place: HTMLElement}}
 */
export function clip(id, ms, summary, poster) {
  const place = h("div", { class: "clip" });
  const sign = h("span", { class: poster ? "clip-sign" : "", "aria-hidden": "true" }, "▶");
  const props = { class: poster ? "clip-play" : "button small", type: "button", "aria-label": `Play the clip of: ${summary}`, on: { click: () => play() } };
  const button = h("button", props, poster, sign, h("span", {}, `Play ${lasting(ms)}`));
  const rest = (words = null) => {
    button.hidden = false;
    fill(place, poster && button, words && h("p", { class: "problem small", role: "alert" }, words));
  };
  const play = () => {
    const address = api.address("memory", id, "clip.mp4");
    const video = h("video", { class: "picture", controls: true, playsinline: true, preload: "auto", src: address, "aria-label": summary });
    video.muted = true;
    video.addEventListener("error", async () => rest(await complaint(address)), { once: true });
    button.hidden = true;
    fill(place, video);
    video.focus();
    video.play().catch(() => {});
  };
  rest();
  return { button, place };
}

async function complaint(address) {
  return api.get(address).then(
    () => "This browser cannot play the clip.",
    (error) => (error.code === "unreadable" ? "This browser cannot play the clip." : error.message),
  );
}
