/** The analysed video as it plays; and where it cannot be played, the pictures of its events in its place. */

import { api } from "../shared/api.js";
import { byId, fill, h } from "../shared/dom.js";
import { picture, placeBox } from "./event_row.js";
import { before } from "./timeline_panel.js";

const PATIENCE_MS = 400;
const BOXED_MS = 2500;
const SPEEDS = [0.25, 0.5, 1, 2, 4];

/**
 * @param {HTMLElement} stage where it is shown
 * @param {string} jobId
 * @param {(ms: number) => object|null} onTime it has come to a moment; the event that is to be pointed at
 */
export function watchedClip(stage, jobId, onTime) {
  const box = h("div", { class: "box", hidden: true });
  const words = h("div", { class: "stage-words", role: "status" }, h("p", {}, "Looking for the clip …"));
  const still = h("img", { class: "stage-still", alt: "", hidden: true });
  let analysis = null;
  let player = null;
  let ms = 0;
  let asked = null;
  let frame = 0;
  fill(stage, still, words, box);

  const tell = () => {
    ms = player ? Math.round(player.currentTime * 1000) : ms;
    if (player === null) showStill();
    showBox(onTime(ms));
  };
  const showBox = (event) => {
    // What changed is pointed at when it changes, not for the rest of the clip; who stopped to look sees it longer.
    const isFresh = event && (ms - event.t_ms < BOXED_MS || (player?.paused && asked === event.t_ms));
    placeBox(box, isFresh && analysis ? event.region : null, analysis?.video ?? {});
  };
  const showStill = () => {
    const events = analysis?.timeline ?? [];
    let index = before(events, ms);
    while (index >= 0 && !events[index].frame) index -= 1;
    const source = picture(jobId, (events[index] ?? events.find((each) => each.frame))?.frame);
    still.hidden = source === null;
    if (source && still.getAttribute("src") !== source) still.src = source;
  };
  const run = () => {
    cancelAnimationFrame(frame);
    tell();
    byId("play").textContent = player && !player.paused ? "Pause" : "Play";
    if (player && !player.paused && !player.ended) frame = requestAnimationFrame(run);
  };
  const give = (message) => {
    player?.remove();
    player = null;
    controls(false);
    const hasPictures = analysis?.timeline.some((event) => event.frame);
    fill(words, h("p", {}, message), hasPictures && h("p", {}, "The pictures of its events are shown instead."));
    words.hidden = false;
    // Beside the pictures, not over them.
    if (hasPictures) stage.parentElement.after(words);
    tell();
  };
  const play = (address) => {
    // Controls of our own, beside it: the browser's would lie over what is to be seen.
    player = h("video", { class: "stage-video", playsinline: true, preload: "auto", src: address, "aria-label": "The analysed video" });
    player.addEventListener("click", toggle);
    for (const type of ["play", "pause", "seeking", "seeked", "timeupdate"]) player.addEventListener(type, run);
    player.addEventListener("loadedmetadata", () => {
      words.hidden = true;
      still.hidden = true;
      stage.style.setProperty("--ratio", String(player.videoWidth / Math.max(1, player.videoHeight)));
      if (asked !== null) seek(asked);
      controls(true);
    }, { once: true });
    player.addEventListener("error", () => give(player.error?.code === MediaError.MEDIA_ERR_NETWORK ? "The clip stopped coming." : "This browser cannot play the clip."), { once: true });
    stage.insertBefore(player, box);
  };

  const toggle = () => {
    if (player?.paused) player.play().catch(() => {});
    else player?.pause();
  };
  const controls = (usable) => {
    for (const name of ["play", "speed", "full"]) byId(name).disabled = !usable;
  };
  byId("play").addEventListener("click", toggle);
  byId("full").addEventListener("click", () => stage.parentElement.requestFullscreen?.().catch(() => {}));
  const speed = byId("speed");
  fill(speed, SPEEDS.map((each) => h("option", { value: each, selected: each === 1 }, `${each}×`)));
  speed.addEventListener("change", () => player && (player.playbackRate = Number(speed.value)));

  /** Go to a moment, into the middle of its first frame: the clip's clock is finer than ours. */
  const seek = (wanted) => {
    asked = wanted;
    const half = Math.min(500 / (analysis?.video.fps || 50), 20);
    if (player) player.currentTime = Math.max(0, wanted + half) / 1000;
    else ms = wanted;
    tell();
  };

  return {
    seek,
    /** Load it; again after the analysis is done, when it may be a copy that this browser can play. */
    async load() {
      if (player) return;
      const address = `${api.address("jobs", jobId, "video")}?playable=true`;
      stage.append(words);
      const patience = setTimeout(() => fill(words, h("p", {}, "Preparing a copy that this browser can play …")), PATIENCE_MS);
      const problem = await complaint(address);
      clearTimeout(patience);
      if (problem) give(problem);
      else play(address);
    },
    /** What was found, once it is known. */
    tell(found) {
      analysis = found;
      stage.style.setProperty("--ratio", String(found.video.width / Math.max(1, found.video.height)));
      tell();
    },
    toggle,
    /** A frame on, or back. */
    step(count) {
      player?.pause();
      const length = 1000 / (analysis?.video.fps || 25);
      seek(Math.max(0, (Math.floor(ms / length + 0.02) + count) * length));
    },
    get ms() {
      return ms;
    },
  };
}

/** Why a video cannot be had; null when it can. */
async function complaint(address) {
  try {
    const answer = await fetch(address, { headers: { Range: "bytes=0-0" }, cache: "no-store" });
    if (answer.ok) return null;
    return (await answer.json()).error;
  } catch {
    return "The daemon does not answer.";
  }
}
