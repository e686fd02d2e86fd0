/** The analysed video as it plays; and where it cannot be played, the pictures of its events in its place. */

import { api } from "../shared/api.js";
import { byId, fill, h } from "../shared/dom.js";
import { picture, placeBox } from "./event_row.js";
import { before } from "./moments.js";

const PATIENCE_MS = 400;
const BOXED_MS = 2500;
const SPEEDS = [0.25, 0.5, 1, 2, 4];

/** Several of its parts are of the page: the buttons `play` and `full`, the list `speed`. */
export class WatchedClip {
  #stage;
  #jobId;
  #onTime;
  #stills;
  #box = h("div", { class: "box", hidden: true });
  #words = h("div", { class: "stage-words", role: "status" }, h("p", {}, "Looking for the clip …"));
  #still = h("img", { class: "stage-still", alt: "", hidden: true });
  #analysis = null;
  #player = null;
  #ms = 0;
  #asked = null;
  #frame = 0;

  /**
   * @param {HTMLElement} stage where it is shown
   * @param {string} jobId
   * @param {(ms: number) => object|null} onTime it has come to a moment; the event that is to be pointed at
   * @param {import("../shared/stills.js").Stills} stills told whether the clip can be played
   */
  constructor(stage, jobId, onTime, stills) {
    this.#stage = stage;
    this.#jobId = jobId;
    this.#onTime = onTime;
    this.#stills = stills;
    fill(stage, this.#still, this.#words, this.#box);
    const speed = byId("speed");
    fill(speed, SPEEDS.map((each) => h("option", { value: each, selected: each === 1 }, `${each}×`)));
    speed.addEventListener("change", () => this.#player && (this.#player.playbackRate = Number(speed.value)));
    byId("play").addEventListener("click", () => this.toggle());
    byId("full").addEventListener("click", () => stage.parentElement.requestFullscreen?.().catch(() => {}));
  }

  /** The moment that it has come to. */
  get ms() {
    return this.#ms;
  }

  /** Load it; again after the analysis is done, when it may be a copy that this browser can play. */
  async load() {
    if (this.#player) return;
    const address = `${api.address("jobs", this.#jobId, "video")}?playable=true`;
    this.#stage.append(this.#words);
    const preparing = () => fill(this.#words, h("p", {}, "Preparing a copy that this browser can play …"));
    const patience = setTimeout(preparing, PATIENCE_MS);
    const problem = await complaint(address);
    clearTimeout(patience);
    if (problem) this.#give(problem);
    else this.#play(address);
  }

  /** What was found, once it is known. */
  tell(found) {
    this.#analysis = found;
    this.#shape(found.video.width, found.video.height);
    this.#come();
  }

  /** Go to a moment, into the middle of its first frame: the clip's clock is finer than ours. */
  seek(wanted) {
    this.#asked = wanted;
    const half = Math.min(500 / (this.#analysis?.video.fps || 50), 20);
    if (this.#player) this.#player.currentTime = Math.max(0, wanted + half) / 1000;
    else this.#ms = wanted;
    this.#come();
  }

  /** Play, or pause. */
  toggle() {
    if (this.#player?.paused) this.#player.play().catch(() => {});
    else this.#player?.pause();
  }

  /** A frame on, or back. */
  step(count) {
    this.#player?.pause();
    const length = 1000 / (this.#analysis?.video.fps || 25);
    this.seek(Math.max(0, (Math.floor(this.#ms / length + 0.02) + count) * length));
  }

  #play(address) {
    // Controls of our own, beside it: the browser's would lie over what is to be seen.
    const player = h("video", { class: "stage-video", playsinline: true, preload: "auto", src: address, "aria-label": "The analysed video" });
    this.#player = player;
    player.addEventListener("click", () => this.toggle());
    for (const type of ["play", "pause", "seeking", "seeked", "timeupdate"]) player.addEventListener(type, () => this.#run());
    player.addEventListener("loadedmetadata", () => this.#loaded(), { once: true });
    const broken = () => this.#give(player.error?.code === MediaError.MEDIA_ERR_NETWORK ? "The clip stopped coming." : "This browser cannot play the clip.");
    player.addEventListener("error", broken, { once: true });
    this.#stage.insertBefore(player, this.#box);
  }

  #loaded() {
    this.#words.hidden = true;
    this.#still.hidden = true;
    this.#shape(this.#player.videoWidth, this.#player.videoHeight);
    if (this.#asked !== null) this.seek(this.#asked);
    this.#controls(true);
    this.#stills.tell(this.#player.src);
  }

  /** There is nothing to play, for a reason. */
  #give(message) {
    this.#player?.remove();
    this.#player = null;
    this.#controls(false);
    this.#stills.tell(null);
    const hasPictures = this.#analysis?.timeline.some((event) => event.frame);
    fill(this.#words, h("p", {}, message), hasPictures && h("p", {}, "The pictures of its events are shown instead."));
    this.#words.hidden = false;
    // Beside the pictures, not over them.
    if (hasPictures) this.#stage.parentElement.after(this.#words);
    this.#come();
  }

  #run() {
    cancelAnimationFrame(this.#frame);
    this.#come();
    const isPlaying = this.#player && !this.#player.paused;
    byId("play").textContent = isPlaying ? "Pause" : "Play";
    if (isPlaying && !this.#player.ended) this.#frame = requestAnimationFrame(() => this.#run());
  }

  /** It has come to a moment. */
  #come() {
    this.#ms = this.#player ? Math.round(this.#player.currentTime * 1000) : this.#ms;
    if (this.#player === null) this.#showStill();
    const event = this.#onTime(this.#ms);
    // What changed is pointed at when it changes, not for the rest of the clip; who stopped to look sees it longer.
    const isAsked = this.#player?.paused && this.#asked === event?.t_ms;
    const isFresh = event && (this.#ms - event.t_ms < BOXED_MS || isAsked);
    placeBox(this.#box, isFresh && this.#analysis ? event.region : null, this.#analysis?.video ?? {});
  }

  #showStill() {
    const events = this.#analysis?.timeline ?? [];
    let index = before(events, this.#ms);
    while (index >= 0 && !events[index].frame) index -= 1;
    const source = picture(this.#jobId, (events[index] ?? events.find((each) => each.frame))?.frame);
    this.#still.hidden = source === null;
    if (source && this.#still.getAttribute("src") !== source) this.#still.src = source;
  }

  #shape(width, height) {
    this.#stage.style.setProperty("--ratio", String(width / Math.max(1, height)));
  }

  #controls(usable) {
    for (const name of ["play", "speed", "full"]) byId(name).disabled = !usable;
  }
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
