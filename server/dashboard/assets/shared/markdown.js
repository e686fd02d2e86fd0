/** The Markdown that tasks are written in, as elements: headings, lists with checkboxes, quotes, code, emphasis, links. */

import { h, link } from "./dom.js";

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|\*([^\s*](?:[^*]*[^\s*])?)\*|\[([^\]]*)\]\(([^()\s]*)\)/;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const FENCE = /^\s*(`{3,}|~{3,})/;

/**
 * @param {string} text
 * @param {{under?: number}} [options] the level of the heading that it stands below
 * @returns {DocumentFragment}
 */
export function markdown(text, { under = 1 } = {}) {
  const lines = String(text).replaceAll("\r\n", "\n").split("\n");
  const blocks = document.createDocumentFragment();
  let at = 0;
  while (at < lines.length) at = block(lines, at, blocks, under);
  return blocks;
}

function block(lines, at, into, under) {
  const line = lines[at];
  if (line.trim() === "") return at + 1;
  const fence = FENCE.exec(line);
  if (fence) return code(lines, at, fence[1], into);
  const heading = HEADING.exec(line);
  if (heading) {
    into.append(h(`h${Math.min(6, heading[1].length + under)}`, {}, inline(heading[2])));
    return at + 1;
  }
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
    into.append(h("hr"));
    return at + 1;
  }
  if (ITEM.test(line)) return list(lines, at, into);
  return paragraph(lines, at, into);
}

function code(lines, at, fence, into) {
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(fence)) end += 1;
  into.append(h("pre", { tabindex: "0" }, h("code", {}, lines.slice(at + 1, end).join("\n"))));
  return end + 1;
}

function list(lines, at, into) {
  const [, indent, number] = ITEM.exec(lines[at]);
  const depth = indent.length;
  const element = h(number ? "ol" : "ul", { start: number && number !== "1" ? number : null });
  into.append(element);
  while (at < lines.length) {
    const found = ITEM.exec(lines[at]);
    if (found && found[1].length > depth + 1) at = list(lines, at, element.lastElementChild ?? element);
    else if (found && found[1].length >= depth - 1 && Boolean(found[2]) === Boolean(number)) {
      element.append(item(found));
      at += 1;
    } else if (!found && /^\s+\S/.test(lines[at]) && element.lastElementChild) {
      element.lastElementChild.append(h("br"), ...inline(lines[at].trim()));
      at += 1;
    } else return at;
  }
  return at;
}

function item([, , , mark, text]) {
  if (mark === undefined) return h("li", {}, inline(text));
  const done = mark !== " ";
  return h(
    "li",
    { class: "check" },
    h("span", { class: "mark", role: "img", "aria-label": done ? "done" : "open" }, done ? "☑" : "☐"),
    " ",
    inline(text),
  );
}

function paragraph(lines, at, into) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== "" && !ITEM.test(lines[end]) && !HEADING.test(lines[end]) && !FENCE.test(lines[end])) {
    end += 1;
  }
  const text = lines.slice(at, end);
  const quoted = text.every((line) => /^\s*>/.test(line));
  const said = text.map((line) => (quoted ? line.replace(/^\s*>\s?/, "") : line.trim()));
  const content = said.flatMap((line, index) => (index ? [h("br"), ...inline(line)] : inline(line)));
  into.append(h(quoted ? "blockquote" : "p", {}, content));
  return end;
}

/** Emphasis, code and links of a line. @returns {(Node|string)[]} */
function inline(text) {
  const parts = [];
  let rest = text;
  for (let found = INLINE.exec(rest); found; found = INLINE.exec(rest)) {
    const [whole, , source, strong, emphasised, label, target] = found;
    if (found.index > 0) parts.push(rest.slice(0, found.index));
    if (source !== undefined) parts.push(h("code", {}, source));
    else if (strong !== undefined) parts.push(h("strong", {}, inline(strong)));
    else if (emphasised !== undefined) parts.push(h("em", {}, inline(emphasised)));
    else parts.push(anchor(label, target, whole));
    rest = rest.slice(found.index + whole.length);
  }
  if (rest) parts.push(rest);
  return parts;
}

function anchor(label, target, whole) {
  const address = /^https?:/i.test(target) ? link(target) : null;
  // Where it leads is said beside it: the label is somebody else's word.
  return address ? h("span", {}, h("a", { href: address, rel: "noreferrer noopener", target: "_blank" }, label || address), ` (${new URL(address).host})`) : whole;
}
