/** Settings as they are, and as somebody wants them until they are saved. */

import { api } from "../shared/api.js";
import { tellWindows } from "./other_windows.js";

const listeners = new Set();
/** Wished values by name; null is the default. */
const wishes = new Map();
let known = null;
let fault = null;

export const drafts = {
  /** Called at once, if there is something, and whenever anything changes. */
  on(listener) {
    listeners.add(listener);
    if (known !== null) listener();
    return () => listeners.delete(listener);
  },
  /** All that `GET /settings` tells; null before it has answered. */
  get all() {
    return known;
  },
  /** How many wait to be saved. */
  get count() {
    return wishes.size;
  },
  /** Why the last saving failed: `{message, field}`. */
  get fault() {
    return fault;
  },
  names: () => [...wishes.keys()],
  wished: (name) => wishes.has(name),
  setting: (name) => known.settings.find((setting) => setting.name === name),
  /** The value that a form shows. */
  value(name) {
    const setting = drafts.setting(name);
    const value = wishes.has(name) ? wishes.get(name) : setting.next;
    return value === null ? setting.default : value;
  },
  wish(name, value) {
    const setting = drafts.setting(name);
    fault = null;
    if (value === null ? !setting.in_file : same(value, setting.next)) wishes.delete(name);
    else wishes.set(name, value);
    tell();
  },
  undo(name) {
    wishes.delete(name);
    fault = null;
    tell();
  },
  discard() {
    wishes.clear();
    fault = null;
    tell();
  },
  async load() {
    known = await api.get("/settings");
    tell();
  },
  /** Save all; tells whether that went well. */
  async save() {
    try {
      known = await api.patch("/settings", Object.fromEntries(wishes));
      wishes.clear();
      fault = null;
      tellWindows("settings");
    } catch (error) {
      fault = { message: error.message, field: error.body?.field ?? null };
    }
    tell();
    return fault === null;
  },
};

function tell() {
  for (const listener of listeners) listener();
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
