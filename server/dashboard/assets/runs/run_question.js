/** What the gate asks in the middle of a run, with the time that is left to answer. */

import { approvalPanel } from "./approval.js";
import { fill, h } from "../shared/dom.js";
import { plural } from "../shared/format.js";

/** @param {HTMLElement} place */
export function question(place) {
  let [shown, timer] = ["", 0];
  const clear = () => {
    clearInterval(timer);
    [shown, timer] = ["", 0];
    fill(place);
  };
  return {
    /** @param {any} job @param {{approval_id: string, question: string, seconds_left: number}|null} approval */
    show(job, approval) {
      if (!approval) return clear();
      if (approval.approval_id === shown) return;
      clear();
      shown = approval.approval_id;
      const until = Date.now() + approval.seconds_left * 1000;
      // Not read out each second: the question itself is.
      const left = h("p", { class: "muted small", role: "timer", "aria-live": "off" });
      const tick = () => {
        const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
        left.textContent = seconds > 0 ? `${plural(seconds, "second")} left; no answer means no.` : "The time to answer is over.";
      };
      tick();
      timer = setInterval(tick, 1000);
      const panel = approvalPanel(job, approval);
      panel.append(left);
      fill(place, panel);
    },
  };
}
