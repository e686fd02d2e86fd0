/** Pictures of any moment of a clip that can be played: of what has no picture of its own, and for a look ahead. */

const WIDTH = 640;
const KEPT = 120;

/** One moment after the other, for a clip has one place at a time. */
export class Stills {
  #address = null;
  #video = null;
  #isOver = false;
  #kept = new Map();
  #waiting = [];
  #isBusy = false;

  /** The clip can be played, from there; or it cannot. @param {string|null} address */
  tell(address) {
    this.#address = address;
    this.#isOver = address === null;
    this.#next();
  }

  /**
   * The address of a picture; null when there is none, or when a newer look was taken meanwhile.
   * @param {number} ms
   * @param {boolean} [isLook] only the newest of these matters
   * @returns {Promise<string|null>}
   */
  take(ms, isLook = false) {
    const known = this.#kept.get(ms);
    if (known) return Promise.resolve(known);
    // A look does not wait for the clip.
    if (this.#isOver || (isLook && this.#address === null)) return Promise.resolve(null);
    if (isLook) for (const old of this.#waiting.filter((each) => each.isLook)) old.done(null);
    return new Promise((done) => {
      this.#waiting = [...this.#waiting.filter((each) => !(isLook && each.isLook)), { ms, isLook, done }];
      this.#next();
    });
  }

  /** Whether no picture is waited for. */
  get isIdle() {
    return !this.#isBusy && this.#waiting.length === 0;
  }

  /** Let go of the clip; what waits for a picture of it gets none, and those that were given stay. */
  close() {
    this.#isOver = true;
    this.#video?.removeAttribute("src");
    this.#video?.load();
    this.#video = null;
    this.#next();
  }

  async #next() {
    if (this.#isOver) for (const each of this.#waiting.splice(0)) each.done(null);
    if (this.#isBusy || this.#waiting.length === 0 || this.#address === null) return;
    this.#isBusy = true;
    const place = Math.max(0, this.#waiting.findIndex((each) => each.isLook));
    const [wanted] = this.#waiting.splice(place, 1);
    const taken = this.#kept.get(wanted.ms) ?? (await this.#draw(wanted.ms).catch(() => null));
    if (taken) this.#keep(wanted.ms, taken);
    wanted.done(taken);
    this.#isBusy = false;
    this.#next();
  }

  async #draw(ms) {
    const video = await this.#open();
    const shown = happened(video, "seeked");
    video.currentTime = (ms + 10) / 1000;
    await shown;
    const scale = Math.min(1, WIDTH / video.videoWidth);
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(video.videoWidth * scale)), Math.max(1, Math.round(video.videoHeight * scale)));
    canvas.getContext("2d")?.drawImage(video, 0, 0, canvas.width, canvas.height);
    return URL.createObjectURL(await canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 }));
  }

  async #open() {
    if (this.#video) return this.#video;
    const video = document.createElement("video");
    [video.muted, video.preload, video.src] = [true, "auto", this.#address ?? ""];
    await happened(video, "loadeddata");
    return (this.#video = video);
  }

  #keep(ms, address) {
    this.#kept.set(ms, address);
    if (this.#kept.size <= KEPT) return;
    const [[oldest, old]] = this.#kept;
    this.#kept.delete(oldest);
    URL.revokeObjectURL(old);
  }
}

function happened(video, type) {
  return new Promise((done, failed) => {
    video.addEventListener(type, done, { once: true });
    video.addEventListener("error", failed, { once: true });
  });
}
