/** A text field knows one end of a line; files have others. */

/** The lines of a text without their ends. @param {string} text */
export function linesOf(text) {
  return text.split(/\r\n|\r|\n/);
}

/**
 * A text that a field has given other line ends, with those of the text that it was made of: lines before and after what was edited keep theirs.
 * @param {string} edited
 * @param {string} original
 */
export function withLineEnds(edited, original) {
  const ends = original.match(/\r\n|\r|\n/g) ?? [];
  const most = ends.filter((end) => end === "\r\n").length * 2 > ends.length ? "\r\n" : "\n";
  const [old, now] = [linesOf(original), linesOf(edited)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let rest = 0;
  while (rest < shorter - start && old.at(-1 - rest) === now.at(-1 - rest)) rest += 1;
  const end = (at) => ends[at < start ? at : at < now.length - rest ? -1 : at - now.length + old.length] ?? most;
  return now.map((line, at) => (at < now.length - 1 ? line + end(at) : line)).join("");
}
