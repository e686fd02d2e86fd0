/** Which step each run is at, in the words of its own page. */

import { following } from "../runs/run_following.js";
import { whereabouts } from "../runs/run_plan.js";

/** @param {() => void} changed called whenever one of them has told something */
export function runSteps(changed) {
  /** @type {Map<string, ReturnType<typeof following>>} */
  const followed = new Map();
  return {
    /** Follow these runs, and no others. @param {any[]} jobs */
    follow(jobs) {
      const wanted = new Set(jobs.filter((job) => job.kind === "replay" && job.state === "running").map((job) => job.id));
      for (const [id, told] of followed) {
        if (wanted.has(id)) continue;
        told.leave();
        followed.delete(id);
      }
      for (const id of wanted) if (!followed.has(id)) followed.set(id, following(id, { heard: changed, loaded: changed }));
    },
    /** @param {string} id of a run @returns {{number: string, text: string}|null} */
    at(id) {
      const told = followed.get(id);
      return told ? whereabouts(told.tale) : null;
    },
  };
}
