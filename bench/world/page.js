// Tells `worldSample` which texts stand on the page, line by line as they are laid out, whenever that changes.
(() => {
  if (window.top !== window || window.worldIsWatched) return;
  window.worldIsWatched = true;
  const TYPED = new Set(["text", "search", "email", "url", "number", "tel", "date", "time", "submit", "button", "reset", "password"]);
  const ICONS = /icon|symbol|awesome|codicon/i;
  const canvas = document.createElement("canvas").getContext("2d");
  let dirty = true, last = "", sweptAt = 0, cost = 0, opacity = new Map();

  const meet = (a, b) => ({
    left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
  });
  const moved = (r, at) => ({ left: r.left + at.x, top: r.top + at.y, right: r.right + at.x, bottom: r.bottom + at.y });

  function isOpaque(element) {
    if (opacity.has(element)) return opacity.get(element);
    const style = getComputedStyle(element);
    const alpha = /rgba\(.*, ([\d.]+)\)/.exec(style.backgroundColor);
    const drawn = /^(IMG|VIDEO|IFRAME)$/.test(element.tagName) || /url|gradient/.test(style.backgroundImage);
    const is = Number(style.opacity) > 0.6 && (drawn || (alpha ? Number(alpha[1]) : 1) > 0.6);
    opacity.set(element, is);
    return is;
  }

  function isSeen(element, x, y) {
    for (const hit of element.getRootNode().elementsFromPoint(x, y)) {
      if (hit === element || element.contains(hit) || hit.contains(element)) return true;
      if (isOpaque(hit)) return false;
    }
    return true;
  }

  // The words of a text node with their places, cut where a word is broken over two lines.
  function* words(node) {
    const range = node.ownerDocument.createRange();
    for (const found of node.data.matchAll(/\S+/g)) {
      let start = found.index;
      const end = start + found[0].length;
      range.setStart(node, start);
      range.setEnd(node, end);
      const rects = [...range.getClientRects()].filter((r) => r.width > 0);
      if (rects.length > 1 && rects.at(-1).top > rects[0].bottom - 2) {
        for (let at = start + 1; at <= end; at++) {
          range.setStart(node, start);
          range.setEnd(node, at);
          const seen = range.getBoundingClientRect();
          if (at === end || seen.height > rects[0].height * 1.5) {
            const cut = at === end ? end : at - 1;
            range.setEnd(node, cut);
            yield [node.data.slice(start, cut), range.getBoundingClientRect(), start, cut];
            start = cut;
          }
        }
      } else if (rects.length) yield [found[0], range.getBoundingClientRect(), start, end];
    }
  }

  function transformed(text, style) {
    if (style.textTransform === "uppercase") return text.toUpperCase();
    if (style.textTransform === "lowercase") return text.toLowerCase();
    return text;
  }

  function partOf(word, node, clip) {
    const range = node.ownerDocument.createRange();
    let text = "";
    for (let at = word[2]; at < word[3]; at++) {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const r = range.getBoundingClientRect();
      if (r.left >= clip.left - 1 && r.right <= clip.right + 1) text += node.data[at];
    }
    return text;
  }

  function addText(node, element, style, clip, at, out) {
    const rows = [];
    const whole = node.ownerDocument.createRange();
    whole.selectNodeContents(node);
    const all = whole.getBoundingClientRect();
    if (all.bottom < clip.top || all.top > clip.bottom || all.right < clip.left || all.left > clip.right) return;
    for (const word of words(node)) {
      const r = word[1];
      if (r.bottom <= clip.top || r.top >= clip.bottom) continue;
      if (Math.min(r.bottom, clip.bottom) - Math.max(r.top, clip.top) < 0.6 * r.height) continue;
      const outside = r.left < clip.left - 1 || r.right > clip.right + 1;
      const text = outside ? partOf(word, node, clip) : word[0];
      const seen = meet(r, clip);
      const hidden = !text || !isSeen(element, (seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2);
      let row = rows.at(-1);
      if (!row || Math.abs(row.top - r.top) > r.height / 2) rows.push((row = { top: r.top, parts: [], cut: 0 }));
      if (outside || hidden) row.cut = 1;
      if (!hidden) row.parts.push([text, seen]);
    }
    for (const row of rows) {
      if (!row.parts.length) continue;
      const text = transformed(row.parts.map((part) => part[0]).join(" "), style);
      const rects = row.parts.map((part) => part[1]);
      add(out, text, {
        left: Math.min(...rects.map((r) => r.left)), top: Math.min(...rects.map((r) => r.top)),
        right: Math.max(...rects.map((r) => r.right)), bottom: Math.max(...rects.map((r) => r.bottom)),
      }, at, row.cut);
    }
  }

  function add(out, text, rect, at, cut) {
    const r = moved(rect, at);
    out.texts.push([text, r.left, r.top, r.right - r.left, r.bottom - r.top, cut]);
  }

  function linesOfArea(element, style, width) {
    canvas.font = style.font;
    const lines = [];
    for (const line of element.value.split("\n")) {
      let row = "";
      for (const word of line.split(/(?<=\s)/)) {
        if (row && canvas.measureText((row + word).trimEnd()).width > width) { lines.push(row); row = ""; }
        row += word;
      }
      lines.push(row);
    }
    return lines;
  }

  // A date or a time as its field shows it: in the browser's own language, with a blank where nothing is chosen.
  function saidOf(element) {
    const { type, value, valueAsDate: day } = element;
    if (type === "date") return day ? day.toLocaleDateString(undefined, { year: "numeric", month: "2-digit", day: "2-digit", timeZone: "UTC" }) : "mm/dd/yyyy";
    if (type === "time") return day ? day.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" }) : "--:-- --";
    return type === "password" ? "\u2022".repeat(value.length) : value;
  }

  function addField(element, style, clip, at, out) {
    const r = element.getBoundingClientRect();
    if (r.width < 4 || r.height < 4) return;
    const seen = meet(r, clip);
    const middle = [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2];
    if (seen.right <= seen.left || seen.bottom <= seen.top || !isSeen(element, ...middle)) return;
    const left = r.left + parseFloat(style.paddingLeft), width = r.width - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    canvas.font = style.font;
    const put = (text, top, height) => {
      const shown = text.trim().replace(/\s+/g, " ");
      const long = Math.min(canvas.measureText(shown).width, width);
      const cut = canvas.measureText(shown).width > width + 1;
      const fits = cut ? Math.floor(shown.length * width / canvas.measureText(shown).width) : shown.length;
      const box = { left, top, right: left + long, bottom: top + height };
      const inside = Math.min(box.bottom, seen.bottom) - Math.max(box.top, seen.top) >= 0.6 * height;
      if (shown && inside) add(out, shown.slice(0, fits), box, at, cut ? 1 : 0);
    };
    if (element.tagName === "TEXTAREA" && element.value) {
      const height = parseFloat(style.lineHeight) || parseFloat(style.fontSize) * 1.2;
      const top = r.top + parseFloat(style.paddingTop) - element.scrollTop;
      linesOfArea(element, style, width).forEach((line, number) => put(line, top + number * height, height));
      return;
    }
    const hidden = element.tagName === "SELECT" ? "" : saidOf(element);
    const text = element.tagName === "SELECT" ? element.selectedOptions[0]?.label || "" : hidden || element.placeholder || "";
    const height = parseFloat(style.fontSize) * 1.2;
    put(text, element.tagName === "TEXTAREA" ? r.top + parseFloat(style.paddingTop) : (r.top + r.bottom - height) / 2, height);
  }

  function addPicture(element, clip, at, out) {
    const r = moved(meet(element.getBoundingClientRect(), clip), at);
    if (r.right - r.left > 12 && r.bottom - r.top > 12) out.pictures.push([r.left, r.top, r.right - r.left, r.bottom - r.top]);
  }

  // `clips.flow` cuts what is laid out in its parent, `clips.placed` what is placed by its positioned ancestor.
  function walk(node, clips, fade, at, out) {
    const style = getComputedStyle(node);
    if (style.display === "none" || node.tagName === "SCRIPT" || node.tagName === "STYLE" || node.tagName === "NOSCRIPT") return;
    fade *= Number(style.opacity);
    if (fade < 0.5) return;
    let { flow, placed, view } = clips;
    if (style.position === "fixed") flow = placed = view;
    else if (style.position === "absolute") flow = placed;
    const shown = style.visibility === "visible" && !ICONS.test(style.fontFamily.split(",")[0]);
    if (/^(IMG|CANVAS|VIDEO|svg)$/.test(node.tagName) && shown) addPicture(node, flow, at, out);
    if (node.tagName === "VIDEO" || node.tagName === "CANVAS") return;
    if (node.tagName === "IFRAME") return intoFrame(node, flow, fade, at, out);
    if (node.tagName === "SELECT" || node.tagName === "TEXTAREA" || (node.tagName === "INPUT" && TYPED.has(node.type))) {
      if (shown) addField(node, style, flow, at, out);
      return;
    }
    const cuts = style.overflowX !== "visible" || style.overflowY !== "visible";
    // What the page's own root hides is cut at the window.
    if (cuts && node.tagName !== "HTML" && node.tagName !== "BODY") flow = meet(flow, node.getBoundingClientRect());
    if (style.position !== "static" || style.transform !== "none") placed = flow;
    if (flow.right - flow.left < 2 || flow.bottom - flow.top < 2) flow = { left: 0, top: 0, right: 0, bottom: 0 };
    const children = node.shadowRoot ? node.shadowRoot.childNodes : node.tagName === "SLOT" && node.assignedNodes().length ? node.assignedNodes() : node.childNodes;
    const folded = node.tagName === "DETAILS" && !node.open;
    for (const child of children) {
      if (folded && child.tagName !== "SUMMARY") continue;
      if (child.nodeType === 1) walk(child, { flow, placed, view }, fade, at, out);
      else if (child.nodeType === 3 && shown && /\S/.test(child.data)) addText(child, node, style, flow, at, out);
    }
  }

  function intoFrame(frame, clip, fade, at, out) {
    const inner = frame.contentDocument?.documentElement;
    if (!inner) return addPicture(frame, clip, at, out);
    const r = frame.getBoundingClientRect();
    const x = r.left + frame.clientLeft, y = r.top + frame.clientTop;
    const cut = meet(clip, r);
    const view = { left: cut.left - x, top: cut.top - y, right: cut.right - x, bottom: cut.bottom - y };
    walk(inner, { flow: view, placed: view, view }, fade, { x: at.x + x, y: at.y + y }, out);
  }

  function addMoving(out) {
    for (const animation of document.getAnimations()) {
      const element = animation.effect?.target;
      if (animation.playState !== "running" || !element || animation.effect.getTiming().iterations !== Infinity) continue;
      const r = element.getBoundingClientRect();
      if (r.width > 3 && r.height > 3) out.moving.push([r.left, r.top, r.width, r.height]);
    }
  }

  function sweep() {
    opacity = new Map();
    const out = { texts: [], pictures: [], moving: [], bars: [document.title, location.host + location.pathname + location.search] };
    const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    if (document.documentElement) walk(document.documentElement, { flow: view, placed: view, view }, 1, { x: 0, y: 0 }, out);
    addMoving(out);
    const under = [...document.querySelectorAll(":hover")];
    for (const element of under) {
      if (element.title) out.bars.push(String(element.title));
      if (element.href) out.bars.push(String(element.href));
    }
    const scale = devicePixelRatio, left = screenX * scale, top = (screenY + outerHeight - innerHeight) * scale;
    const put = (x, y, w, h) => [Math.round(left + x * scale), Math.round(top + y * scale), Math.round(w * scale), Math.round(h * scale)];
    out.texts = out.texts.map(([text, x, y, w, h, cut]) => [text, ...put(x, y, w, h), cut]);
    out.pictures = out.pictures.map((box) => put(...box));
    out.moving = out.moving.map((box) => put(...box));
    return out;
  }

  function frame() {
    const began = performance.now();
    const rest = began - sweptAt;
    if (rest > Math.max(50, 3 * cost) && (dirty || rest > 200)) {
      dirty = false;
      sweptAt = began;
      const t = Date.now();
      const out = JSON.stringify(sweep());
      cost = performance.now() - began;
      if (out !== last) window.worldSample(t, (last = out));
    }
    requestAnimationFrame(frame);
  }

  const touch = () => { dirty = true; };
  for (const kind of ["scroll", "input", "transitionend", "animationend", "resize", "load", "mouseover"]) addEventListener(kind, touch, true);
  new MutationObserver(touch).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  requestAnimationFrame(frame);
})();
