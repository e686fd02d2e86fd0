/** Mouse and keyboard of a person, sent to the display of a run that is held. Nothing of it is kept. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { failure } from "../shared/notice.js";

const TWICE_MS = 220;
const TYPING_MS = 60;
const WHEEL_MS = 120;
const NOTCH = 60;
const DRAGGED = 5;
const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified", "Compose"]);
const KEYS = [["Enter", "enter"], ["Tab", "tab"], ["Backspace", "backspace"], ["Escape", "escape"], ["↑", "up"], ["↓", "down"], ["←", "left"], ["→", "right"]];

/**
 * @param {string} job its id
 * @param {{stage: HTMLElement, size: [number, number]|null}} screen
 * @param {() => void} giveBack
 */
export function driving(job, screen, giveBack) {
  const send = sender(job);
  const panel = h("div", { class: "panel stack run-driving", role: "group", "aria-label": "You are driving" });
  const back = h("button", { class: "button primary", type: "button", on: { click: giveBack } }, "Give back");
  let listening = null;
  return {
    panel,
    /** @param {string|null} viewer where it can be watched by VNC */
    begin(viewer) {
      if (listening !== null) return;
      listening = new AbortController();
      fill(panel, ...contents(send, back, viewer));
      const { stage } = screen;
      stage.classList.add("driven");
      stage.tabIndex = 0;
      stage.setAttribute("role", "application");
      stage.setAttribute("aria-label", "The run's screen: clicks and keys go to it. Control, Alt and Enter together lead back to this page.");
      listen(screen, send, back, listening.signal);
      stage.focus({ preventScroll: true });
    },
    end() {
      if (listening === null) return;
      listening.abort();
      listening = null;
      screen.stage.classList.remove("driven");
      screen.stage.tabIndex = -1;
      screen.stage.removeAttribute("role");
      screen.stage.removeAttribute("aria-label");
    },
  };
}

/** One after the other, as they were done; after a failure the rest is dropped. */
function sender(job) {
  let chain = Promise.resolve();
  let waiting = 0;
  return (action) => {
    if (waiting > 40) return;
    waiting += 1;
    chain = chain.then(async () => {
      try {
        const answer = await api.post(api.address("jobs", job, "input"), action);
        if (!answer.done) failure(new Error(answer.reason));
      } catch (error) {
        failure(error);
      } finally {
        waiting -= 1;
      }
    });
  };
}

function contents(send, back, viewer) {
  const field = h("input", { id: "drive-text", type: "password", autocomplete: "off", spellcheck: "false", maxlength: 2000 });
  const show = h("input", { type: "checkbox", on: { change: () => (field.type = show.checked ? "text" : "password") } });
  const type = (event) => {
    event.preventDefault();
    if (field.value) send({ action: "type", text: field.value });
    field.value = "";
  };
  return [
    h("div", { class: "row between" }, h("p", {}, h("strong", {}, "You are driving."), " Click, scroll and type on the picture; the run waits."), back),
    h(
      "form",
      { class: "row run-type", on: { submit: type } },
      h("label", { class: "field grow" }, h("span", {}, "Type a text"), field),
      h("label", { class: "check-field small" }, show, "Show"),
      h("button", { class: "button", type: "submit" }, "Type"),
    ),
    h("div", { class: "row", role: "group", "aria-label": "Keys" }, KEYS.map(([label, key]) => h(
      "button", { class: "button small", type: "button", "aria-label": `Press ${key}`, on: { click: () => send({ action: "key", keys: [key] }) } }, label,
    ))),
    h("p", { class: "hint" }, "What you type is kept nowhere. ", h("kbd", {}, "Ctrl"), "+", h("kbd", {}, "Alt"), "+", h("kbd", {}, "Enter"), " leads from the picture back here."),
    viewer && h("p", { class: "hint" }, "Or attach a VNC viewer: ", h("code", {}, viewer), "; its password is in the file ", h("code", {}, "viewer-password"), " of the data directory."),
  ];
}

function listen(screen, send, back, signal) {
  const { stage } = screen;
  const at = (event) => {
    const area = stage.getBoundingClientRect();
    const [width, height] = screen.size;
    const part = (value, size) => Math.min(size - 1, Math.max(0, Math.floor(value * size)));
    return { x: part((event.clientX - area.left) / area.width, width), y: part((event.clientY - area.top) / area.height, height) };
  };
  listenToPointer(stage, at, send, signal);
  listenToWheel(stage, at, send, signal);
  listenToKeys(stage, send, back, signal);
}

function listenToPointer(stage, at, send, signal) {
  let pressed = null;
  let single = 0;
  stage.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    stage.focus({ preventScroll: true });
    stage.setPointerCapture(event.pointerId);
    pressed = at(event);
  }, { signal });
  stage.addEventListener("pointerup", (event) => {
    if (event.button !== 0 || pressed === null) return;
    const [from, to] = [pressed, at(event)];
    pressed = null;
    if (Math.hypot(to.x - from.x, to.y - from.y) > DRAGGED) return send({ action: "left_click_drag", path: [from, to] });
    if (single) {
      clearTimeout(single);
      single = 0;
      return send({ action: "double_click", at: to });
    }
    single = setTimeout(() => {
      single = 0;
      send({ action: "left_click", at: to });
    }, TWICE_MS);
  }, { signal });
  stage.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    send({ action: "right_click", at: at(event) });
  }, { signal });
}

function listenToWheel(stage, at, send, signal) {
  let [turned, timer] = [0, 0];
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    turned += event.deltaMode === 0 ? event.deltaY / NOTCH : event.deltaY;
    const point = at(event);
    timer ||= setTimeout(() => {
      const notches = Math.max(-20, Math.min(20, Math.trunc(turned) || Math.sign(turned)));
      [turned, timer] = [0, 0];
      if (notches) send({ action: "scroll", notches, at: point });
    }, WHEEL_MS);
  }, { signal, passive: false });
}

function listenToKeys(stage, send, back, signal) {
  let [text, timer] = ["", 0];
  const flush = () => {
    clearTimeout(timer);
    if (text) send({ action: "type", text });
    [text, timer] = ["", 0];
  };
  stage.addEventListener("keydown", (event) => {
    event.preventDefault();
    if (event.ctrlKey && event.altKey && event.key === "Enter") return back.focus();
    if (MODIFIERS.has(event.key) || event.isComposing) return;
    const chord = event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph"));
    if (event.key.length === 1 && !chord) {
      text += event.key;
      timer ||= setTimeout(flush, TYPING_MS);
      return;
    }
    flush();
    const held = [[event.ctrlKey, "ctrl"], [event.altKey, "alt"], [event.metaKey, "meta"], [event.shiftKey, "shift"]].filter(([is]) => is).map(([, name]) => name);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    send({ action: "key", keys: [...held, key] });
  }, { signal });
  // What follows by another way must not overtake it.
  stage.addEventListener("blur", flush, { signal });
  stage.addEventListener("pointerdown", flush, { signal });
  signal.addEventListener("abort", flush);
}
