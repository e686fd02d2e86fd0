"use strict";
// Tells the recording script what happened and when it was on the glass: at the second animation frame after the change.

const glass = () =>
  new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.timeOrigin + performance.now()))),
  );

const tell = (report) => glass().then((t) => window.truth?.({ t, lines: visibleLines(), ...report }));

let marks = 0;

/** Something happened just now; the key is for `end`. */
function mark(kind, text = null, more = {}) {
  const key = `${Math.round(performance.timeOrigin)}-${++marks}`;
  tell({ op: "begin", key, kind, text, ...more });
  return key;
}

/** What was marked is gone, or has come to its end. */
const end = (key) => tell({ op: "end", key });

/** Something that may be reported or not: a hover, a focus ring, a partial page. */
const may = (text = null, kind = "changed") => mark(kind, text, { optional: true });

const fields = new WeakMap();
addEventListener("input", (event) => {
  const field = event.target;
  if (field.type === "checkbox" || field.type === "range" || field.tagName === "SELECT") return;
  if (!fields.has(field)) {
    fields.set(field, `${Math.round(performance.timeOrigin)}-${++marks}`);
    if (field.placeholder) may(field.placeholder, "vanished");
  }
  const text = field.type === "password" ? null : field.value;
  tell({ op: "typed", key: fields.get(field), text });
});
addEventListener("focusin", (event) => may(event.target.placeholder || null));
addEventListener("focusout", (event) => fields.delete(event.target));

/** Whether a point of the element is seen, i.e. neither outside the window nor under something else. */
function seen(element, box) {
  if (box.width < 2 || box.height < 2 || box.top < 0 || box.left < 0) return false;
  if (box.bottom > innerHeight || box.right > innerWidth) return false;
  const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return top !== null && (element.contains(top) || top.contains(element));
}

/** Every line of text that can be read in the window, field values and placeholders too. */
function visibleLines() {
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.trim();
    if (!text || /^(SCRIPT|STYLE|OPTION)$/.test(node.parentElement.tagName)) continue;
    if (!node.parentElement.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    if ([...range.getClientRects()].some((box) => seen(node.parentElement, box))) lines.push(text.replace(/\s+/g, " "));
  }
  // The browser's own frame shows the title and the address too.
  if (outerHeight > innerHeight + 20) lines.push(document.title, location.host + location.pathname, "Not secure");
  for (const field of document.querySelectorAll("input:not([type=checkbox]):not([type=password]),textarea,select")) {
    const text = field.tagName === "SELECT" ? field.selectedOptions[0]?.text : field.value || field.placeholder;
    if (text && seen(field, field.getBoundingClientRect())) lines.push(text);
  }
  return lines;
}

const $ = (selector) => document.querySelector(selector);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Add an element and return it. */
function put(parent, tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}

/** A toast that stays for `ms`. */
async function toast(text, ms, className = "toast") {
  const element = put($("#toasts"), "div", className, text);
  const key = mark("appeared", text);
  await pause(ms);
  element.remove();
  end(key);
}

/** Other words in the same place. */
function reword(element, text, more = {}) {
  const before = element.textContent;
  element.textContent = text;
  mark("changed", text, { before, ...more });
}

/** Each of these texts may be told by itself, e.g. the rows of a table that changes as a whole. */
const mayEach = (texts, kind = "changed") =>
  glass().then((t) => {
    for (const text of texts) window.truth?.({ t, op: "begin", key: `each-${t}-${++marks}`, kind, text, optional: true });
  });

/** These look different while the pointer is over them. */
function hovers(selector) {
  for (const element of document.querySelectorAll(selector))
    for (const way of ["pointerenter", "pointerleave"])
      element.addEventListener(way, () => may(element.textContent.trim() || null));
}
