/** Texts line by line: what differs between two, and three made one again. */

const MOST_CELLS = 4_000_000;

/** The lines of a text without their ends. @param {string} text */
export function linesOf(text) {
  return text.split(/\r\n|\r|\n/);
}

/**
 * How to get from one list of lines to another, in order.
 * @param {string[]} old
 * @param {string[]} now
 * @returns {{kind: "same"|"old"|"new", text: string, old: number, now: number}[]} with the places in both, from 0
 */
export function compared(old, now) {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const same = (from, count, shift) => Array.from({ length: count }, (_, at) => step("same", old[from + at], from + at, from + at + shift));
  const inner = middle(old.slice(start, old.length - end), now.slice(start, now.length - end), start);
  return [...same(0, start, 0), ...inner, ...same(old.length - end, end, now.length - old.length)];
}

function middle(old, now, shift) {
  // Two long texts with nothing in common at either end: not worth minutes of comparing.
  const table = old.length * now.length <= MOST_CELLS ? lengths(old, now) : null;
  const steps = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < now.length) {
    if (table && at < old.length && to < now.length && old[at] === now[to]) {
      steps.push(step("same", old[at], shift + at++, shift + to++));
    } else if (at < old.length && (to >= now.length || !table || table[at + 1][to] >= table[at][to + 1])) {
      steps.push(step("old", old[at], shift + at++, shift + to));
    } else steps.push(step("new", now[to], shift + at, shift + to++));
  }
  return steps;
}

/** How many lines two rests have in common, for each pair of rests. */
function lengths(old, now) {
  const table = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let at = old.length - 1; at >= 0; at -= 1) {
    for (let to = now.length - 1; to >= 0; to -= 1) {
      table[at][to] = old[at] === now[to] ? table[at + 1][to + 1] + 1 : Math.max(table[at + 1][to], table[at][to + 1]);
    }
  }
  return table;
}

function step(kind, text, old, now) {
  return { kind, text, old, now };
}

/**
 * Two edits of one text in one; where both changed the same lines, both stand there between marks.
 * @param {string[]} base
 * @param {string[]} mine
 * @param {string[]} theirs
 * @returns {{lines: string[], conflicts: number}}
 */
export function merged(base, mine, theirs) {
  const [my, their] = [matches(base, mine), matches(base, theirs)];
  const lines = [];
  let conflicts = 0;
  let [at, mineAt, theirsAt] = [0, 0, 0];
  while (at <= base.length) {
    // The next line that both have kept ends what may differ.
    let next = at;
    while (next < base.length && (my[next] === undefined || their[next] === undefined)) next += 1;
    const last = next === base.length;
    const [mineEnd, theirsEnd] = [last ? mine.length : my[next], last ? theirs.length : their[next]];
    const parts = [base.slice(at, next), mine.slice(mineAt, mineEnd), theirs.slice(theirsAt, theirsEnd)];
    const chosen = settled(...parts);
    lines.push(...(chosen ?? marked(parts[1], parts[2])));
    conflicts += chosen === null ? 1 : 0;
    if (!last) lines.push(base[next]);
    [at, mineAt, theirsAt] = [next + 1, mineEnd + 1, theirsEnd + 1];
  }
  return { lines, conflicts };
}

const MARKS = ["<<<<<<< yours", "=======", ">>>>>>> on disk"];

/** Whether a text still has the marks of a merge in it. @param {string} text */
export function isMarked(text) {
  const lines = new Set(linesOf(text));
  return lines.has(MARKS[0]) || lines.has(MARKS[2]);
}

function settled(base, mine, theirs) {
  if (equal(mine, theirs) || equal(theirs, base)) return mine;
  return equal(mine, base) ? theirs : null;
}

function marked(mine, theirs) {
  return [MARKS[0], ...mine, MARKS[1], ...theirs, MARKS[2]];
}

function matches(base, other) {
  const found = new Array(base.length);
  for (const each of compared(base, other)) if (each.kind === "same") found[each.old] = each.now;
  return found;
}

function equal(one, other) {
  return one.length === other.length && one.every((line, at) => line === other[at]);
}

/**
 * A text that a field has given other line ends, with those of the text that it was made of: lines that stayed keep theirs.
 * @param {string} edited
 * @param {string} original
 */
export function withLineEnds(edited, original) {
  const ends = original.match(/\r\n|\r|\n/g) ?? [];
  const most = ends.filter((end) => end === "\r\n").length * 2 > ends.length ? "\r\n" : "\n";
  if (!ends.some((end) => end !== "\n")) return edited;
  const kept = new Map();
  const lines = linesOf(edited);
  for (const each of compared(linesOf(original), lines)) if (each.kind === "same") kept.set(each.now, ends[each.old]);
  return lines.map((line, at) => (at < lines.length - 1 ? line + (kept.get(at) ?? most) : line)).join("");
}
