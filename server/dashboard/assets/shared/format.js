/** Numbers and times as people read them, in their own zone and language. */

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const UNITS = [["second", 60], ["minute", 60], ["hour", 24], ["day", 30], ["month", 12], ["year", Infinity]];

/** A place in a clip: `00:05.2`, `1:02:03.4`. @param {number} ms */
export function clock(ms) {
  // Cut off, as the timelines' own sentences do: never a moment that is yet to come.
  const tenths = Math.max(0, Math.floor(ms / 100));
  const [seconds, minutes, hours] = [Math.floor(tenths / 10) % 60, Math.floor(tenths / 600) % 60, Math.floor(tenths / 36000)];
  const tail = `${String(seconds).padStart(2, "0")}.${tenths % 10}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${String(minutes).padStart(2, "0")}:${tail}`;
}

/** How long something took: `320 ms`, `4.1 s`, `3 min 20 s`, `2 h 5 min`. @param {number} ms */
export function lasting(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago, or in how long: `2 minutes ago`, `in 3 hours`. @param {string} iso */
export function ago(iso) {
  let amount = (Date.parse(iso) - Date.now()) / 1000;
  if (Number.isNaN(amount)) return "";
  if (Math.abs(amount) < 10) return amount > 0 ? "in a moment" : "just now";
  for (const [unit, size] of UNITS) {
    if (Math.abs(amount) < size) return RELATIVE.format(Math.round(amount), unit);
    amount /= size;
  }
  return "";
}

/** Day and time of day. @param {string} iso */
export function moment(iso) {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "";
  return time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** @param {number} count */
export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [amount, unit] = [count, 0];
  while (amount >= 1000 && unit < units.length - 1) [amount, unit] = [amount / 1000, unit + 1];
  return `${amount < 10 && unit > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

/** @param {number} part 0 to 1 */
export function percent(part) {
  return `${Math.round(part * 100)} %`;
}

/** A rate that says of how many: `7 of 9`. @param {number} some @param {number} all */
export function ofAll(some, all) {
  return `${some.toLocaleString()} of ${all.toLocaleString()}`;
}

/** `1 event`, `2 events`. @param {number} count @param {string} word */
export function plural(count, word) {
  return `${count.toLocaleString()} ${word}${count === 1 ? "" : "s"}`;
}
